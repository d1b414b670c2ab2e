"""Methods that change an array in place: `fill`, `sort`, `partition`; names of those that change lists, dicts, sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract.stage.arrays import alias, array_contents
from graph_program.extract.stage.arrays.lowering_arguments import as_index, checked_axis, require_kind, takes
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations.known_and_truth import numeric, static, tensor
from graph_program.extract.stage.operations.of_numbers.conversions import as_element
from graph_program.extract.stage.paths.several import member_numbers, mixed_numbers
from graph_program.extract.stage.values.questions import is_list_or_tuple
from graph_program.extract.stage.values.values import NONE, Tensor, Value, type_of
from graph_program.extract.types.tensors.tensor_type import Kind

METHODS: dict[str, registry.Lowering] = {}
"""By name; the first parameter after `m` is the array."""


def changes(run: Callable[..., Value]) -> Callable[..., Value]:
    """Register a method that changes an array in place."""
    METHODS[run.__name__] = registry.Lowering(run.__name__, run, registry.Owner.SEQUENCES)
    return run


@changes
@takes("array, value")
def fill(m: Machine, array: Tensor, value: Value) -> Value:
    alias.require_writable(m, array)
    alias.write(m, array, m.broadcast(contents_for(m, value, array.type.dtype), array))
    return NONE


def contents_for(m: Machine, value: Value, dtype: np.dtype[Any], wraps: bool = False) -> Tensor:
    """What is assigned to elements of an array: a number, an array, or a list or tuple of them.

    What NumPy converts element by element is refused element by element; NumPy's own numbers may wrap instead.
    """

    def one(v: Value) -> Tensor:
        plain = wraps and type_of(v).kind is Kind.NUMPY
        return m.cast(v, dtype, Kind.NUMPY) if plain else as_element(m, v, dtype)

    mixed = mixed_numbers.one_of_numbers(value)
    if mixed is not None:
        return tensor(m, mixed_numbers.of_each(m, mixed, one))
    value = array_contents.listed(m, member_numbers.number(m, value))
    if is_list_or_tuple(value):
        return entries.array_of(m, value, dtype)
    what = "value assigned to an array's elements"
    return one(numeric(m, host_entries.operand(m, value, what, element=dtype), what))


@changes
@takes("array, axis=-1, kind=None, order=None, *, stable=None")
def sort(m: Machine, array: Tensor, axis: Value, kind: Value, stable: Value) -> Value:
    require_kind(m, np.sort, kind, stable)
    alias.require_writable(m, array, "sort array is read-only")
    position = checked_axis(m, static(m, axis, "the axis of a sort"), array.rank)
    alias.write(m, array, m.op("sort", array, axis=position))
    return NONE


@changes
@takes("array, kth, axis=-1, kind='introselect', order=None")
def partition(m: Machine, array: Tensor, kth: Value, axis: Value, kind: Value, order: Value) -> Value:
    alias.require_writable(m, array, "partition array is read-only")
    as_index(m, static(m, axis, "the axis of a partition"))  # unlike np.partition's, it is never None
    alias.write(m, array, tensor(m, registry.FUNCTIONS[np.partition](m, [array, kth, axis, kind, order], {})))
    return NONE


MUTATING: dict[type, tuple[str, ...]] = {
    list: ("append", "extend", "insert", "pop", "remove", "reverse", "clear", "sort"),
    dict: ("pop", "popitem", "update", "setdefault", "clear"),
    set: (
        "add",
        "discard",
        "remove",
        "pop",
        "clear",
        "update",
        "difference_update",
        "intersection_update",
        "symmetric_difference_update",
    ),
}


INSTEAD = {
    "resize": "make a new array: `y = np.resize(x, shape)`, or assign to a part of a larger one",
    "setflags": "leave it out: a program changes only the arrays that it writes to",
    "shape": "make a new array: `y = x.reshape(shape)`, which shares the elements",
    "dtype": "make a new array: `y = x.astype(dtype)`",
}
"""What to write instead of array methods and attributes that have no graph form."""
