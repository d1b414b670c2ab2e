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

from graph_program.extract.stage import array_contents, flow, growing, growing_lists, mixed_numbers, several
from graph_program.extract.stage.elements import Growing
from graph_program.extract.stage.layouts import Choice, Leaf
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.values import Ref, Tensor, Tuple, Value
from graph_program.extract.types.promotion import result_type
from graph_program.extract.types.tensor_type import Kind, TensorType

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
    array_contents.check(m, numbers, dtype)
    return several.selected(m, case, [m.cast(column, dtype, Kind.ARRAY) for column in columns])
