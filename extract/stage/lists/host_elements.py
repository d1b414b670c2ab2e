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
from graph_program.extract.stage.lists.common_layouts import Lookup, layout_of_thing
from graph_program.extract.stage.machine import host_contents
from graph_program.extract.stage.machine.decisions import HOST_DICTS
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import host_containers
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.operations.known_and_truth import not_static
from graph_program.extract.stage.paths.joins import join_choices
from graph_program.extract.stage.values.choice_layouts import known_things
from graph_program.extract.stage.values.column_data import Column, Growing
from graph_program.extract.stage.values.layouts import Choice, Group, Layout, Leaf, OnHost
from graph_program.extract.stage.values.values import Host, MadeSet
from graph_program.extract.types.tensors.tensor_type import INT64, Kind

if TYPE_CHECKING:
    from graph_program.extract.stage.paths.joins.join import Join


@layout_of_thing.of(MadeSet, holding=set)
def _layout_of_set(m: Machine, value: MadeSet, lookup: Lookup) -> OnHost:
    """A set of the program's that is an element has to be on the host.

    Raises
    ------
    Needed
    """
    raise Needed(HOST_DICTS, [value.loc], not_static(m, value, "an element of a list"))


@layout_of_thing.of(Host)
def _layout(m: Machine, value: Host, lookup: Lookup) -> OnHost:
    if value.method is not None:
        host_containers.give_up(m, host_contents.places_in(value.method.owner))
    return OnHost(Leaf(NUMBER), value.note)


def growing(join: Join, layout: Layout, hint: str) -> Layout:
    """A layout of which strings that a loop makes ever longer are objects on the host."""
    if isinstance(layout, Group):
        parts = (growing(join, part, f"{hint}.{i}") for i, part in enumerate(layout.parts))
        return replace(layout, parts=tuple(parts))
    known = known_things(layout)
    if known is None or not all(type(v.value) is str for v in known):
        return layout
    return OnHost(Leaf(NUMBER), str) if join_choices.is_growing(join, known, f"{hint}[]") else layout


@list_columns.handed_over.given
def handed_over(m: Machine, whole: Growing, ours: Layout, columns: Iterator[Column]) -> Column:
    known = known_things(ours)
    assert known is not None
    numbers = [m.cast(host_entries.keep(m, v).number, INT64, Kind.ARRAY) for v in known]
    if not isinstance(ours, Choice):
        return Column(m.op("full", numbers[0], list_columns.length(m, whole)))
    table = list_columns.concatenated(m, [m.op("expand_dims", n, axes=(0,)) for n in numbers])
    return Column(m.op("take", table, next(columns).data, axis=0))
