"""Taking an element of a list of computed length apart into what its columns have for it, and putting it together.

(0.5, None)      Group(Leaf(float), Option(Leaf(float)))      0.5   true   -
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from graph_program.extract.stage.lists.common_layouts import Lookup
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers.host_numbers import told_of
from graph_program.extract.stage.values import sharing
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.layouts import (
    Classed,
    Counted,
    Group,
    InTable,
    Layout,
    Leaf,
    OnHost,
    Option,
    Same,
    leaves,
)
from graph_program.extract.stage.values.questions import is_just
from graph_program.extract.stage.values.values import Host, Maybe, Ref, Row, Static, Tensor, Tuple, Value, type_of
from graph_program.extract.types.tensors.tensor_type import Kind


@generic
def cells(m: Machine, layout: Layout, value: Value, lookup: Lookup) -> Iterator[Value | None]:
    """What an element has in each column; None where it has nothing there."""
    raise AssertionError(layout)


@cells.of(Leaf)
def _cells_of_number(m: Machine, layout: Leaf, value: Value, lookup: Lookup) -> Iterator[Value | None]:
    found = told_of(value)
    yield m.in_graph(found)


cells.register(OnHost, lambda m, layout, value, *_: iter([host_entries.keep(m, value).number]))


@cells.of(InTable)
def _cells_of_row(m: Machine, layout: InTable, value: Row, lookup: Lookup) -> Iterator[Value | None]:
    yield value.number


cells.register(Same, lambda *_: iter(()))


@cells.of(Counted)
def _cells_of_counted(m: Machine, layout: Counted, value: Value, lookup: Lookup) -> Iterator[Value | None]:
    yield Static(False)
    yield from cells(m, layout.inner, value, lookup)


@cells.of(Classed)
def _cells_of_classed(m: Machine, layout: Classed, value: Value, lookup: Lookup) -> Iterator[Value | None]:
    yield Static(type_of(told_of(value)).kind is Kind.PYTHON)
    yield from cells(m, layout.inner, value, lookup)


cells.register(Option, lambda m, layout, value, lookup: _optional_cells(m, layout.inner, value, lookup))


def inner_contents(value: Value, lookup: Lookup) -> Any:
    """What a tuple or object holds."""
    return value.elts if isinstance(value, Tuple) else lookup(value)  # type: ignore[arg-type]


@cells.of(Group)
def _cells_of_group(m: Machine, layout: Group, value: Value, lookup: Lookup) -> Iterator[Value | None]:
    contents = inner_contents(value, lookup)
    for key, part in zip(layout.keys, layout.parts, strict=True):
        yield from cells(m, part, contents[key], lookup)


def _optional_cells(m: Machine, inner: Layout, value: Value, lookup: Lookup) -> Iterator[Value | None]:
    if is_just(value, None):
        yield Static(True)
        yield from (None for _ in leaves(inner))
        return
    yield value.is_missing
    yield from cells(m, inner, value.there, lookup)


@generic
def built(m: Machine, layout: Layout, parts: Iterator[Tensor], holder: Growing | None) -> Value:
    """An element from what its columns have for it; its arrays and objects are those of `holder`, if any."""
    raise AssertionError(layout)


@built.of(Leaf)
def _built_number(m: Machine, layout: Leaf, parts: Iterator[Tensor], holder: Growing | None) -> Value:
    cell = next(parts)
    if layout.type.kind is Kind.ARRAY and holder is not None and holder.arrays is not None:
        cell.sources = (holder.arrays,)
    return cell


@built.of(OnHost)
def _built_on_host(m: Machine, layout: OnHost, parts: Iterator[Tensor], holder: Growing | None) -> Value:
    shares = sharing.IS if m.host.handed else 0  # any of the copies may have gone into the list
    return Host(next(parts), m.loc, "an element", layout.note, shares=shares)


built.register(InTable, lambda m, layout, parts, *_: Row(layout.cls, next(parts)))
built.register(Same, lambda m, layout, *_: layout.value)


@built.of(Counted, Classed)
def _built_behind(m: Machine, layout: Counted | Classed, parts: Iterator[Tensor], holder: Growing | None) -> Value:
    next(parts)
    return built(m, layout.inner, parts, holder)


@built.of(Option)
def _built_option(m: Machine, layout: Option, parts: Iterator[Tensor], holder: Growing | None) -> Value:
    return Maybe(next(parts), built(m, layout.inner, parts, holder), "none")


@built.of(Group)
def _built_group(m: Machine, layout: Group, parts: Iterator[Tensor], holder: Growing | None) -> Value:
    values = tuple(built(m, p, parts, holder) for p in layout.parts)
    if not layout.is_object:
        return Tuple(values, layout.cls)
    assert layout.cls is not None
    ref = Ref(layout.cls, m.loc, sources_of(holder))
    m.live.heap[ref] = values if layout.cls is list else dict(zip(layout.keys, values, strict=True))
    return ref


def sources_of(holder: Growing | None) -> tuple[Ref, ...]:
    """What an object of a list is one of."""
    return () if holder is None or holder.objects is None else (holder.objects,)


def nothing(leaf: Leaf) -> np.ndarray[Any, Any]:
    """What stands in a column of numbers for an element that has none there."""
    return np.zeros((), leaf.type.dtype)
