"""Arrays made of lists whose numbers have several classes, such as Python ints among NumPy's.

    np.array([v if v > 2 else -1 for v in x])       # uint8 x
    ->  uint8 if all are NumPy numbers, else int64

The element type is the one that NumPy finds for the classes that the list has when the program runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from graph_program.extract.stage import flow, growing, growing_lists, mixed_numbers, several
from graph_program.extract.stage.conversions import as_element
from graph_program.extract.stage.elements import Growing
from graph_program.extract.stage.layouts import Choice, Leaf
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.signals import Unreachable
from graph_program.extract.stage.values import Ref, Tensor, Tuple, Value
from graph_program.extract.types.promotion import result_type
from graph_program.extract.types.tensor_type import FLOAT64, Kind, TensorType

DType = np.dtype[Any]


def numbers_of(m: Machine, value: Value) -> Growing | None:
    """The columns of a list of numbers of several classes; None for any other value."""
    if growing_lists.is_growing(m, value):
        found: Growing | None = m.live.heap[value]  # type: ignore[index]
    elif isinstance(value, Tuple | Ref):
        items = value.elts if isinstance(value, Tuple) else m.live.heap.get(value)
        mixed = isinstance(items, tuple) and any(mixed_numbers.one_of_numbers(v) is not None for v in items)
        found = growing.grown(m, items, m.live.heap.__getitem__) if mixed else None  # type: ignore[arg-type]
    else:
        return None
    return found if found is not None and classes(found) else None


def classes(numbers: Growing) -> tuple[TensorType, ...]:
    """The classes that the elements of a list may have; none for elements of one class, and for other elements."""
    parts = numbers.layout.parts if isinstance(numbers.layout, Choice) else ()
    found = tuple(part.type for part in parts if isinstance(part, Leaf))
    return found if len(found) == len(parts) else ()


def element_type(types: Sequence[TensorType]) -> DType:
    """The element type of an array of numbers of some classes."""
    return result_type([TensorType(t.dtype) for t in types])


def element_types(numbers: Growing) -> set[DType]:
    """All that an array of such numbers may have."""
    return set(map(element_type, _subsets(classes(numbers))))


def _subsets(types: Sequence[TensorType], first: Sequence[TensorType] = ()) -> Iterator[Sequence[TensorType]]:
    for count in range(len(types) + 1):
        yield from ((*first, *some) for some in combinations(types, count) if first or some)


def with_element_type(m: Machine, numbers: Growing, make: Callable[[DType], Value]) -> Value:
    """What is made of the list with the element type that NumPy finds."""
    types = classes(numbers)

    def from_(place: int, present: tuple[TensorType, ...]) -> Value:
        rest = types[place:]
        possible = {element_type(some) for some in _subsets(rest, present)}
        if not present and not rest:
            possible = {element_type(types)}
        if len(possible) == 1:
            return make(possible.pop())
        is_case = m.op("equal", numbers.columns[0].data, m.constant(np.asarray(place)))
        test = m.op("any", is_case, axes=(0,), keepdims=False, kind=Kind.PYTHON)
        own = types[place]
        return flow.choose(m, test, lambda: from_(place + 1, (*present, own)), lambda: from_(place + 1, present))

    return from_(0, ())


def stacked(m: Machine, numbers: Growing, dtype: DType) -> Tensor:
    """The numbers as an array of an element type."""
    case, *columns = (c.data for c in numbers.columns)
    found = []
    for place, (column, type_) in enumerate(zip(columns, classes(numbers), strict=True)):
        own = m.op("equal", case, m.constant(np.asarray(place)))
        found.append(elements(m, column, type_, dtype, own))
    return several.selected(m, case, found)


def elements(m: Machine, column: Tensor, type_: TensorType, dtype: DType, own: Tensor | None = None) -> Tensor:
    """Numbers of one class, side by side, as elements of a type: what one of them raises alone, the first raises.

    `own` says which ones are of the class; the others do not matter.
    """
    bad = _refused(m, column, type_, dtype)
    if bad is not None:
        bad = bad if own is None else m.op("bitwise_and", own, bad)
        _raise_for_first(m, column, type_, dtype, bad)
    return m.cast(column, dtype, Kind.ARRAY)


def _refused(m: Machine, column: Tensor, type_: TensorType, dtype: DType) -> Tensor | None:
    """Which numbers an array of integers refuses (see `conversions.as_element`); None where it takes all."""
    given = type_.dtype
    wraps = type_.kind is Kind.NUMPY and dtype.kind == "u"
    if wraps or dtype.kind not in "iu" or np.can_cast(given, dtype) or (given.kind == "f" and dtype == np.uint64):
        return None
    info = np.iinfo(dtype)
    if given.kind == "f":
        whole = m.op("trunc", m.cast(column, FLOAT64))
        low = m.op("greater_equal", whole, m.constant(np.asarray(float(info.min))))
        high = m.op("less", whole, m.constant(np.asarray(float(int(info.max) + 1))))
        return m.op("invert", m.op("bitwise_and", low, high))
    range_, bad = np.iinfo(given), None
    for test, limit in (("less", int(info.min)), ("greater", int(info.max))):
        if range_.min < limit < range_.max or (test == "less" and range_.min < limit):
            outside = m.op(test, column, m.constant(np.asarray(limit, given)))
            bad = outside if bad is None else m.op("bitwise_or", bad, outside)
    return bad


def _raise_for_first(m: Machine, column: Tensor, type_: TensorType, dtype: DType, bad: Tensor) -> None:
    def refuse() -> None:
        position = m.op("argmax", m.cast(bad, np.dtype(np.uint8)), axis=0, keepdims=False, kind=Kind.PYTHON)
        as_element(m, m.op("take", column, position, axis=0, kind=type_.kind), dtype)

    flow.branch(m, m.op("any", bad, axes=(0,), keepdims=False, kind=Kind.PYTHON), refuse, lambda: None)
    if m.state is None:
        raise Unreachable
