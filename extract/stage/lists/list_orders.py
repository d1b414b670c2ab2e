"""The order of lists of computed length: `sorted(items)`, `items.sort()`.

    sorted(jobs)        ->      order = argsort(prio)           # for each field that is compared, the last one first
                                order = take(order, argsort(take(due, order)))
                                take(jobs, order)

What numbers do not decide is merged, as a program over positions that asks `<`: elements whose classes say
themselves how they compare, and tuples of which two are the same up to an array or an object without an order.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from graph_program.extract.library import sorted_lists
from graph_program.extract.records import dataclass
from graph_program.extract.stage.arrays.indices import indexing
from graph_program.extract.stage.lists import choice_columns
from graph_program.extract.stage.lists import columns as growing
from graph_program.extract.stage.lists.growing_lists import as_growing, turned
from graph_program.extract.stage.lists.list_columns import length
from graph_program.extract.stage.machine.checks.lengths import structure_error
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import tables
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations import attributes, objects
from graph_program.extract.stage.operations.known_and_truth import tensor
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.values import layouts, user_classes
from graph_program.extract.stage.values.column_data import Column, Growing
from graph_program.extract.stage.values.layouts import (
    Choice,
    Classed,
    Contents,
    Counted,
    Group,
    InTable,
    Layout,
    Leaf,
    Listed,
    Same,
    describe_layout,
    has_arrays,
    leaves,
)
from graph_program.extract.stage.values.questions import is_known_as
from graph_program.extract.stage.values.values import Static, Tensor, Value
from graph_program.extract.types.tensors.tensor_type import BOOL, INT64, Kind, TensorType
from graph_program.tensor_api.ops.indexing import INT64_MAX

NEIGHBOURS = ((0, -1), (1, INT64_MAX))
"""The bounds of all elements but the last, and of all but the first."""
HINT = "sort by a number: sorted(..., key=...)"


@dataclass(frozen=True)
class Ranks:
    """The numbers that elements are compared by, in order."""

    columns: tuple[Tensor, ...] = ()
    decide: bool = False
    """Whether elements with the same numbers are equal; if not, something behind the numbers is compared."""


UNORDERED = Ranks()


def positions(m: Machine, found: Contents, keys: Contents, backwards: bool) -> Tensor:
    """The positions of elements in the order of their keys; equal ones stay as they are."""
    by = as_growing(m, keys)
    if layouts.has_host(by.layout):
        return positions_by_host(m, by, backwards)
    ranks = ranks_of(m, by.layout, iter(by.columns))
    if not (ranks.columns or ranks.decide or any(map(_compares_itself, _parts(by.layout)))):
        raise _unordered(m, found, by)
    columns = [indexing.turned(m, x) if backwards else x for x in ranks.columns]  # equal elements keep their order
    order = _by_columns(m, by, columns) if ranks.decide or columns else _merged(m, by, backwards)
    if columns and not ranks.decide:
        order = _with_ties(m, by, _has_ties(m, columns, order), order, backwards)
    return m.op("subtract", m.cast(_last(m, by), INT64), indexing.turned(m, order)) if backwards else order


def _with_ties(m: Machine, by: Growing, tied: Value, order: Tensor, backwards: bool) -> Tensor:
    """The order by numbers where no two elements have the same; else that of `<`, which asks what is behind them."""
    if has_arrays(by.layout) and not by.apart:
        text = "elements that are equal up to their arrays are compared, which may be one array or two"
        m.limit(tied, "GP443", text, hint=HINT)
        return order
    return tensor(m, flow.choose(m, tied, lambda: _merged(m, by, backwards), lambda: order))


def _last(m: Machine, by: Growing) -> Value:
    return arithmetic.arithmetic(m, "-", length(m, by), Static(1))


def _by_columns(m: Machine, by: Growing, columns: Sequence[Tensor]) -> Tensor:
    """The positions of elements in the order of their numbers."""
    order = m.op("iota", length(m, by))
    for column in reversed(columns):
        data = m.op("take", column, order, axis=0)
        data = m.cast(data, np.dtype(np.uint8)) if data.type.dtype == BOOL else data
        order = m.op("take", order, m.op("argsort", data, axis=0), axis=0)
    return order


def _has_ties(m: Machine, columns: Sequence[Tensor], order: Tensor) -> Value:
    """Whether two elements in order have the same numbers."""
    ordered = [m.op("take", column, order, axis=0) for column in columns]
    pairs = [[m.op("slice", x, *map(Static, part), axes=(0,), steps=(1,)) for part in NEIGHBOURS] for x in ordered]
    equal = functools.reduce(partial(m.op, "bitwise_and"), (m.op("equal", a, b) for a, b in pairs))
    return m.op("any", equal, axes=(0,), keepdims=False, kind=Kind.PYTHON)


def _merged(m: Machine, by: Growing, backwards: bool) -> Tensor:
    """The positions of elements in the order that their own `<` says; of the elements in reverse."""
    return tensor(m, entries.run(m, sorted_lists.positions, objects.new_list(m, turned(m, by) if backwards else by)))


# ---------------------------------------------------------------- what elements are compared by


def ranks_of(m: Machine, layout: Layout, columns: Iterator[Column], inside: bool = False) -> Ranks:
    """The numbers that elements are compared by.

    What is the same in all elements does not matter `inside` of them: nothing asks for its order.
    """
    match layout:
        case Leaf(type_):
            column = next(columns)
            return UNORDERED if type_.rank or type_.kind is Kind.ARRAY else Ranks((column.data,), True)
        case Classed(inner) | Counted(inner):
            next(columns)
            return ranks_of(m, inner, columns, inside)
        case Same(value):
            return Ranks((), inside or is_known_as(value, str))
        case Choice():
            found = choice_columns.key_columns(m, layout, columns)
            return UNORDERED if found is None else Ranks(tuple(found), True)
        case InTable(cls):
            rows = next(columns).data
            if tables.is_recursive(m, cls):
                return UNORDERED
            contents = growing.reordered(m, tables.contents(m, cls), rows)
            return ranks_of(m, contents.layout, iter(contents.columns), inside)
        case Group():
            return _ranks_of_group(m, layout, columns)
    return UNORDERED


def _ranks_of_group(m: Machine, layout: Group, columns: Iterator[Column]) -> Ranks:
    """What tuples, lists and data classes with an order are compared by, which are all or some of their parts."""
    compared = _compared(layout)
    found = Ranks((), compared is not None)
    for key, part in zip(layout.keys, layout.parts, strict=True):
        own = [next(columns) for _ in leaves(part)]
        if found.decide and compared is not None and key in compared:
            more = ranks_of(m, part, iter(own), inside=True)
            found = Ranks((*found.columns, *more.columns), more.decide)
    return found


def _compared(layout: Group) -> tuple[Any, ...] | None:
    """The parts of a tuple, list or object that `<` compares, in order; None where something else decides."""
    cls = layout.cls
    if cls is None or (cls is list and layout.is_object):
        return layout.keys
    if cls is dict or _compares_itself(layout):
        return None
    if not layout.is_object:
        return layout.keys
    if not user_classes.is_generated(cls, "__lt__"):
        return None
    names = tuple(f.name for f in dataclasses.fields(cls) if f.compare)
    return names if [k for k in layout.keys if k in names] == list(names) else None


def _compares_itself(layout: Layout) -> bool:
    """Whether a class of the user's says how its objects compare, or lists go on in their elements."""
    match layout:
        case Listed():
            return True
        case Group(type() as cls) | InTable(cls):
            return user_classes.says_order(cls) and not user_classes.is_generated(cls, "__lt__")
        case Same(Static(thing)):
            return user_classes.says_order(type(thing))
        case Choice(parts):
            return any(map(_compares_itself, parts))
    return False


def _parts(layout: Layout) -> Iterator[Layout]:
    """A layout, and what of it is compared."""
    yield layout
    if isinstance(layout, Counted):
        yield from _parts(layout.inner)
    if isinstance(layout, Group):
        compared = _compared(layout) or ()
        for key, part in zip(layout.keys, layout.parts, strict=True):
            if key in compared:
                yield from _parts(part)


def _unordered(m: Machine, found: Contents, by: Growing) -> Exception:
    """The refusal of elements that do not compare."""
    return structure_error(m, [found, by], "GP443", f"a list of {describe_layout(by.layout)} has no order", HINT)


def positions_by_host(m: Machine, keys: Contents, backwards: bool) -> Tensor:
    """The positions of elements in the order of keys that only the host can compare, such as texts; equal ones stay.

    sorted(names)       ->      order = host[0](names)      # sorted(range(len(names)), key=names.__getitem__)
                                take(names, order)
    """
    count = length(m, keys)
    given = host_entries.step(m, "keep", objects.new_list(m, keys), text="sorted(...)")
    numbers = host_entries.call(m, Static(range), [count], {}, "sorted(...)")
    by = attributes.attribute(m, given, "__getitem__")
    ordered = host_entries.call(m, Static(sorted), [numbers], {"key": by, "reverse": Static(backwards)}, "sorted(...)")
    type_ = TensorType(INT64, (m.fresh_dim(),), Kind.ARRAY)
    told = host_entries.call(m, Static(np.array), [ordered], {"dtype": Static(np.int64)}, "sorted(...)", type_).told
    assert told is not None
    return m.op("reshape", told, count)
