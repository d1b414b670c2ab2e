"""Elements of lists of computed length that are on the host: what else may stand beside them.

lines = ["head"]            lines := [h1]               # host[0]: "head"
for v in x:                 for k in range(...):
    lines.append(f"{v}")        lines := lines + [h2]   # host[1](x[k]): f"{v}"
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from graph_program.extract.ir.host import NUMBER
from graph_program.extract.stage.lists import list_columns
from graph_program.extract.stage.machine import host_contents
from graph_program.extract.stage.machine.decisions import HOST_DICTS
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.operations.known_and_truth import not_static
from graph_program.extract.stage.paths.joins import join_choices
from graph_program.extract.stage.values.column_data import Column, Growing
from graph_program.extract.stage.values.layouts import Choice, Group, Layout, Leaf, OnHost, Same
from graph_program.extract.stage.values.values import Host, MadeSet, Static
from graph_program.extract.types.tensors.tensor_type import INT64, Kind

if TYPE_CHECKING:
    from graph_program.extract.stage.paths.joins.join import Join


def layout(m: Machine, value: Host | MadeSet) -> OnHost:
    """The layout of an object on the host; a set of the program's that is an element has to be one.

    Raises
    ------
    Needed
    """
    if isinstance(value, MadeSet):
        raise Needed(HOST_DICTS, [value.loc], not_static(m, value, "an element of a list"))
    if value.method is not None:
        host_contents.give_up(m, host_contents.places_in(value.method.owner))
    return OnHost(Leaf(NUMBER), value.note)


def has_host(layout: Layout) -> bool:
    """Whether elements are objects on the host, or have some in them."""
    inside = getattr(layout, "parts", None) or (getattr(layout, "inner", None),)
    return isinstance(layout, OnHost) or any(part is not None and has_host(part) for part in inside)


def is_of_host(layout: Layout) -> bool:
    """Whether elements are objects on the host, known things, and structures of them."""
    if isinstance(layout, OnHost | Same):
        return True
    inside = getattr(layout, "parts", None) or (getattr(layout, "inner", None),)
    return all(part is not None and is_of_host(part) for part in inside)


def common(a: Layout, b: Layout) -> OnHost | None:
    """The layout of objects on the host beside strings and other known things, which are handed over."""
    host, other = (a, b) if isinstance(a, OnHost) else (b, a)
    known = known_things(other)
    if known is None:
        return None
    assert isinstance(host, OnHost)
    texts = all(type(v.value) is str for v in known)
    return OnHost(host.leaf, str if texts and host.note is str else None)


def known_things(layout: Layout) -> list[Static] | None:
    """The strings and other known things that elements are; None for anything else, also where some are None."""
    parts = layout.parts if isinstance(layout, Choice) else (layout,)
    found = [p.value for p in parts if isinstance(p, Same) and isinstance(p.value, Static)]
    return found if len(found) == len(parts) and not any(v.value is None for v in found) else None


def growing(join: Join, layout: Layout, hint: str) -> Layout:
    """A layout of which strings that a loop makes ever longer are objects on the host."""
    if isinstance(layout, Group):
        parts = (growing(join, part, f"{hint}.{i}") for i, part in enumerate(layout.parts))
        return replace(layout, parts=tuple(parts))
    known = known_things(layout)
    if known is None or not all(type(v.value) is str for v in known):
        return layout
    return OnHost(Leaf(NUMBER), str) if join_choices.is_growing(join, known, f"{hint}[]") else layout


def handed_over(m: Machine, whole: Growing, ours: Layout, columns: Iterator[Column]) -> Column:
    """Known things as objects on the host; of several, the column in front says which one an element is."""
    known = known_things(ours)
    assert known is not None
    numbers = [m.cast(host_entries.keep(m, v).number, INT64, Kind.ARRAY) for v in known]
    if not isinstance(ours, Choice):
        return Column(m.op("full", numbers[0], list_columns.length(m, whole)))
    table = list_columns.concatenated(m, [m.op("expand_dims", n, axes=(0,)) for n in numbers])
    return Column(m.op("take", table, next(columns).data, axis=0))


__all__ = ["common", "growing", "handed_over", "has_host", "is_of_host", "known_things", "layout"]
