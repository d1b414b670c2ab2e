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

from graph_program.extract.records import dataclass
from graph_program.extract.stage.arrays import array_contents
from graph_program.extract.stage.lists import choice_columns
from graph_program.extract.stage.lists import columns as growing
from graph_program.extract.stage.machine.checks import lengths
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numpy.move import stacking
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.paths.several import mixed_numbers
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.inside import contents_in
from graph_program.extract.stage.values.layouts import Choice, Leaf
from graph_program.extract.stage.values.questions import is_array_of_graph
from graph_program.extract.stage.values.values import Static, Tensor, Value, is_numeric, type_of
from graph_program.extract.types.tensors.promotion import result_type
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType

DType = np.dtype[Any]


@dataclass(frozen=True)
class Numbers:
    """Numbers of several classes.

    Attributes
    ----------
    list : Growing
        Their columns.
    present : tuple of TensorType
        The classes that some of them are known to have.
    """

    list: Growing
    present: tuple[TensorType, ...] = ()


def numbers_of(m: Machine, value: Value) -> Numbers | None:
    """A list of numbers of several classes; None for any other value."""
    if lengths.is_growing(m, value):
        found: Growing = m.live.heap[value]
        return Numbers(found, found.present) if classes(found) else None
    return _numbers(m, _items(m, value) or ())


def _numbers(m: Machine, items: tuple[Value, ...]) -> Numbers | None:
    """Items of which some are numbers of several classes, if all are numbers."""
    if not any(mixed_numbers.one_of_numbers(v) is not None for v in items):
        return None
    found = growing.grown(m, items, m.live.heap.__getitem__)
    known = tuple(type_of(v) for v in items if is_numeric(v))
    return Numbers(found, known) if found is not None and classes(found) else None


def numbers_within(m: Machine, value: Value) -> Numbers | None:
    """The numbers in the rows of a list, of several classes, with a zero for each array; None for any other value.

    They tell the element type; what is in an array is more.
    """
    rows = _items(m, value) or ()
    if not any(_items(m, row) is not None for row in rows):
        return None
    found = list(_leaves(m, value))
    return None if None in found else _numbers(m, tuple(v for v in found if v is not None))


def _items(m: Machine, value: Value) -> tuple[Value, ...] | None:
    """The items of a list or tuple whose length is known."""
    items = contents_in(m.live.heap, value)
    return items if isinstance(items, tuple) else None


def _leaves(m: Machine, value: Value) -> Iterator[Value | None]:
    """The numbers of a nested list, with a zero for an array, and None for what is neither."""
    items = _items(m, value)
    if items is not None:
        for item in items:
            yield from _leaves(m, item)
    elif is_array_of_graph(value):
        yield Static(np.zeros((), value.type.dtype)[()])
    elif is_numeric(value) or mixed_numbers.one_of_numbers(value) is not None:
        yield value
    else:
        yield None


def classes(numbers: Growing) -> tuple[TensorType, ...]:
    """The classes that the elements of a list may have; none for elements of one class, and for other elements."""
    parts = numbers.layout.parts if isinstance(numbers.layout, Choice) else ()
    found = tuple(part.type for part in parts if isinstance(part, Leaf))
    return found if len(found) == len(parts) else ()


def element_type(types: Sequence[TensorType]) -> DType:
    """The element type of an array of numbers of some classes."""
    return result_type([TensorType(t.dtype) for t in types])


def element_types(numbers: Numbers) -> set[DType]:
    """All that an array of such numbers may have."""
    return set(map(element_type, _subsets(classes(numbers.list), numbers.present)))


def _subsets(types: Sequence[TensorType], first: Sequence[TensorType] = ()) -> Iterator[Sequence[TensorType]]:
    for count in range(len(types) + 1):
        yield from ((*first, *some) for some in combinations(types, count) if first or some)


def with_element_type(m: Machine, numbers: Numbers, make: Callable[[DType], Value]) -> Value:
    """What is made of the list with the element type that NumPy finds."""
    types = classes(numbers.list)

    def from_(place: int, present: tuple[TensorType, ...]) -> Value:
        rest = types[place:]
        possible = {element_type(some) for some in _subsets(rest, present)}
        if not present and not rest:
            possible = {element_type(types)}
        if len(possible) == 1:
            return make(possible.pop())
        is_case = m.op("equal", numbers.list.columns[0].data, m.constant(np.asarray(place)))
        test = m.op("any", is_case, axes=(0,), keepdims=False, kind=Kind.PYTHON)
        own = types[place]
        return flow.choose(m, test, lambda: from_(place + 1, (*present, own)), lambda: from_(place + 1, present))

    return from_(0, numbers.present)


def of_one_type(m: Machine, contents: Growing) -> Tensor:
    """The elements of a list as an array, if it can have one element type only."""
    numbers = Numbers(contents, contents.present) if classes(contents) and contents.present else None
    possible = element_types(numbers) if numbers is not None else set()
    return stacked(m, contents, possible.pop()) if len(possible) == 1 else stacking.stacked(m, contents)


def stacked(m: Machine, numbers: Growing, dtype: DType) -> Tensor:
    """The numbers as an array of an element type."""
    case, *columns = (c.data for c in numbers.columns)
    array_contents.check(m, numbers, dtype)
    return choice_columns.selected(m, case, [m.cast(column, dtype, Kind.ARRAY) for column in columns])
