"""Taking an element of a list of computed length apart into what its columns have for it, and putting it together.

(0.5, None)      Group(Leaf(float), Option(Leaf(float)))      0.5   true   -
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from graph_program.extract.stage.lists.common_layouts import Lookup
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers.host_numbers import told_of
from graph_program.extract.stage.values import sharing
from graph_program.extract.stage.values.column_data import Column, Growing, Order
from graph_program.extract.stage.values.layouts import (
    Choice,
    Classed,
    Counted,
    Group,
    InTable,
    Layout,
    Leaf,
    Listed,
    OnHost,
    Option,
    Same,
    leaves,
)
from graph_program.extract.stage.values.values import Host, Maybe, Ref, Row, Static, Tensor, Tuple, Value, type_of
from graph_program.extract.types.tensors.tensor_type import Kind


def cells(m: Machine, layout: Layout, value: Value, lookup: Lookup) -> Iterator[Value | None]:
    """What an element has in each column; None where it has nothing there."""
    from graph_program.extract.stage.lists import choice_columns

    match layout:
        case Choice():
            yield from choice_columns.cells(m, layout, told_of(value))
        case Leaf():
            found = told_of(value)
            yield m.captured_array(found) if isinstance(found, Static) and m.is_captured_array(found) else found
        case OnHost():
            yield host_entries.keep(m, value).number
        case InTable():
            assert isinstance(value, Row)
            yield value.number
        case Counted(inner):
            yield Static(False)
            yield from cells(m, inner, value, lookup)
        case Classed(inner):
            yield Static(type_of(told_of(value)).kind is Kind.PYTHON)
            yield from cells(m, inner, value, lookup)
        case Option(inner):
            yield from _optional_cells(m, inner, value, lookup)
        case Listed(inner):
            from graph_program.extract.stage.lists.list_columns import packed

            contents = value.elts if isinstance(value, Tuple) else lookup(value)  # type: ignore[arg-type]
            for column in packed(m, contents, inner, lookup):
                yield column.data
                if column.shapes is not None:
                    yield column.shapes
        case Group(_, keys, parts):
            contents = value.elts if isinstance(value, Tuple) else lookup(value)  # type: ignore[arg-type]
            for key, part in zip(keys, parts, strict=True):
                yield from cells(m, part, contents[key], lookup)


def _optional_cells(m: Machine, inner: Layout, value: Value, lookup: Lookup) -> Iterator[Value | None]:
    if isinstance(value, Static) and value.value is None:
        yield Static(True)
        yield from (None for _ in leaves(inner))
        return
    yield value.missing if isinstance(value, Maybe) else Static(False)
    yield from cells(m, inner, value.value if isinstance(value, Maybe) else value, lookup)


def built(m: Machine, layout: Layout, parts: Iterator[Tensor], holder: Growing | None) -> Value:
    """An element from what its columns have for it; its arrays and objects are those of `holder`, if any."""
    from graph_program.extract.stage.lists import choice_columns
    from graph_program.extract.stage.lists import columns as growing

    sources = () if holder is None or holder.objects is None else (holder.objects,)

    match layout:
        case Choice():
            return choice_columns.built(m, layout, parts)
        case Leaf(type_):
            cell = next(parts)
            if type_.kind is Kind.ARRAY and holder is not None and holder.arrays is not None:
                cell.sources = (holder.arrays,)
            return cell
        case OnHost():
            shares = sharing.IS if m.host.handed else 0  # any of the copies may have gone into the list
            return Host(next(parts), m.loc, "an element", layout.note, shares=shares)
        case InTable(cls):
            return Row(cls, next(parts))
        case Same(value):
            return value
        case Counted(inner) | Classed(inner):
            next(parts)
            return built(m, inner, parts, holder)
        case Option(inner):
            return Maybe(next(parts), built(m, inner, parts, holder), "none")
        case Listed(inner):
            ref = Ref(layout.cls, m.loc, sources)
            columns = tuple(Column(next(parts), next(parts) if leaf.ragged else None) for leaf in leaves(inner))
            made = Growing(inner, columns, **growing.stand_ins(m, inner, []), apart=True)
            if holder is not None:
                made = replace(holder, layout=inner, columns=columns, loops=None, order=Order())
            m.live.heap[ref] = made
            return ref
        case Group(cls, keys, inner_parts, is_object):
            values = tuple(built(m, p, parts, holder) for p in inner_parts)
            if not is_object:
                return Tuple(values, cls)
            assert cls is not None
            ref = Ref(cls, m.loc, sources)
            m.live.heap[ref] = values if cls is list else dict(zip(keys, values, strict=True))
            return ref
    raise AssertionError(layout)


def nothing(leaf: Leaf) -> np.ndarray[Any, Any]:
    """What stands in a column of numbers for an element that has none there."""
    return np.zeros((), leaf.type.dtype)
