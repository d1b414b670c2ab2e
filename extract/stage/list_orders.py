"""The order of lists of computed length: `sorted(items)`, `items.sort()`.

    sorted(jobs)        ->      order = argsort(prio)           # for each field that is compared, the last one first
                                order = take(order, argsort(take(due, order)))
                                take(jobs, order)

Elements whose classes say themselves how they compare are merged, as a program over their positions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from graph_program.extract.library import sorted_lists
from graph_program.extract.stage import (
    growing,
    host_elements,
    object_operators,
    objects,
    several,
    slice_reads,
    tables,
)
from graph_program.extract.stage.elements import Column, Growing
from graph_program.extract.stage.growing_lists import as_growing, turned
from graph_program.extract.stage.layout_texts import describe_layout
from graph_program.extract.stage.layouts import Choice, Classed, Counted, Group, InTable, Layout, Leaf, Same, leaves
from graph_program.extract.stage.list_columns import Contents, length, structure_error
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.values import NONE, SliceValue, Static, Tensor
from graph_program.extract.types.tensor_type import BOOL, Kind

COMPARISONS = ("__lt__", "__gt__")
"""What `a < b` asks of the classes of `a` and `b`."""


def sorted_contents(m: Machine, found: Contents, keys: Contents, backwards: bool) -> Growing:
    """The elements in the order of their keys; equal ones stay as they are."""
    whole, by = as_growing(m, found), as_growing(m, keys)
    if host_elements.has_host(by.layout):
        from graph_program.extract.stage import host_orders

        return growing.reordered(m, whole, host_orders.positions(m, by, backwards), once=True)
    numbers = key_columns(m, by.layout, iter(by.columns))
    if numbers is None and not any(map(_compares_itself, _parts(by.layout))):
        raise _unordered(m, whole, by)
    if backwards:  # equal elements keep their order
        whole, by = turned(m, whole), turned(m, by) if numbers is None else by
        numbers = numbers and [
            slice_reads.read_slices(m, x, [(0, SliceValue(NONE, NONE, Static(-1)))]) for x in numbers
        ]
    order = _merged(m, by) if numbers is None else _by_columns(m, by, numbers)
    result = growing.reordered(m, whole, order, once=True)
    return turned(m, result) if backwards else result


def _by_columns(m: Machine, by: Growing, numbers: list[Tensor]) -> Tensor:
    """The positions of elements in the order of their numbers."""
    order = m.op("iota", length(m, by))
    for column in reversed(numbers):
        data = m.op("take", column, order, axis=0)
        data = m.cast(data, np.dtype(np.uint8)) if data.type.dtype == BOOL else data
        order = m.op("take", order, m.op("argsort", data, axis=0), axis=0)
    return order


def _merged(m: Machine, by: Growing) -> Tensor:
    """The positions of elements in the order that their own `<` says."""
    from graph_program.extract.stage.numpy.programs import run

    order = run(m, sorted_lists.positions, objects.new_list(m, by))
    assert isinstance(order, Tensor)
    return order


# ---------------------------------------------------------------- what elements are compared by


def key_columns(m: Machine, layout: Layout, columns: Iterator[Column], inside: bool = False) -> list[Tensor] | None:
    """The numbers that elements are compared by, in order; None where that is nothing of numbers.

    What is the same in all elements does not matter `inside` of them: nothing asks for its order.
    """
    match layout:
        case Leaf(type_):
            column = next(columns)
            return None if type_.rank or type_.kind is Kind.ARRAY else [column.data]
        case Classed(leaf):
            next(columns)
            return key_columns(m, leaf, columns)
        case Counted(inner):
            next(columns)
            return key_columns(m, inner, columns, inside)
        case Same(value):
            return [] if inside or (isinstance(value, Static) and isinstance(value.value, str)) else None
        case Choice():
            return several.key_columns(m, layout, columns)
        case InTable(cls):
            rows = next(columns).data
            if tables.is_recursive(m, cls):
                return None
            found = growing.reordered(m, tables.contents(m, cls), rows)
            return key_columns(m, found.layout, iter(found.columns), inside)
        case Group():
            return _group_columns(m, layout, columns)
    return None


def _group_columns(m: Machine, layout: Group, columns: Iterator[Column]) -> list[Tensor] | None:
    """What tuples, lists and data classes with an order are compared by, which are all or some of their parts."""
    compared = _compared(layout)
    if compared is None:
        return None
    found: list[Tensor] | None = []
    for key, part in zip(layout.keys, layout.parts, strict=True):
        own = [next(columns) for _ in leaves(part)]
        numbers = key_columns(m, part, iter(own), inside=True) if key in compared else []
        found = None if found is None or numbers is None else found + numbers
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
    if not object_operators.is_generated(cls, "__lt__"):
        return None
    names = tuple(f.name for f in dataclasses.fields(cls) if f.compare)
    return names if [k for k in layout.keys if k in names] == list(names) else None


def _compares_itself(layout: Layout) -> bool:
    """Whether a class of the user's says how its objects compare."""
    match layout:
        case Group(type() as cls) | InTable(cls):
            return says_order(cls) and not object_operators.is_generated(cls, "__lt__")
        case Same(Static(thing)):
            return says_order(type(thing))
        case Choice(parts):
            return any(map(_compares_itself, parts))
    return False


def says_order(cls: type) -> bool:
    """Whether a class of the user's has what `<` asks for."""
    return any(objects.user_function(cls, name) is not None for name in COMPARISONS)


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


def _unordered(m: Machine, whole: Growing, by: Growing) -> Exception:
    """The refusal of elements that do not compare."""
    text = f"a list of {describe_layout(by.layout)} has no order"
    return structure_error(m, [whole, by], "GP443", text, "sort by a number: sorted(..., key=...)")


__all__ = ["key_columns", "says_order", "sorted_contents"]
