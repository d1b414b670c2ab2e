"""Methods that change an array in place: `fill`, `sort`, `partition`; names of those that change lists, dicts, sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.stage.arrays import alias, array_contents
from graph_program.extract.stage.arrays.lowering_arguments import require_kind
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations.known_and_truth import numeric, static, tensor
from graph_program.extract.stage.operations.of_numbers.conversions import as_element
from graph_program.extract.stage.paths.several import member_numbers, mixed_numbers
from graph_program.extract.stage.values.questions import is_list_or_tuple
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Value, type_of
from graph_program.extract.types.tensors.tensor_type import Kind

Args = list[Value]


def fill(m: Machine, array: Tensor, args: Args, keywords: dict[str, Value]) -> Value:
    """`x.fill(value)`."""
    (value,) = [*args, *keywords.values()]
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


NO_AXIS = "'NoneType' object cannot be interpreted as an integer"


def sort(m: Machine, array: Tensor, args: Args, keywords: dict[str, Value]) -> Value:
    """`x.sort(axis=-1)`."""
    require_kind(m, np.sort, args[1] if len(args) > 1 else keywords.get("kind", NONE), keywords.get("stable", NONE))
    alias.require_writable(m, array, "sort array is read-only")
    given = args[0] if args else keywords.get("axis", Static(-1))
    axis = static(m, given, "the axis of a sort")
    if axis is None:
        raise m.error("GP302", NO_AXIS, raised=True)
    if not -array.rank <= axis < array.rank:
        text = f"axis {axis} is out of bounds for array of dimension {array.rank}"
        raise m.error("GP303", text, cls=diagnostics.ProgramAxisError)
    alias.write(m, array, m.op("sort", array, axis=axis % array.rank))
    return NONE


def partition(m: Machine, array: Tensor, args: Args, keywords: dict[str, Value]) -> Value:
    """`x.partition(kth, axis=-1)`."""
    alias.require_writable(m, array, "partition array is read-only")
    given = args[1] if len(args) > 1 else keywords.get("axis", Static(-1))
    if static(m, given, "the axis of a partition") is None:
        raise m.error("GP302", NO_AXIS, raised=True)
    alias.write(m, array, tensor(m, registry.FUNCTIONS[np.partition](m, [array, *args], keywords)))
    return NONE


METHODS: dict[str, Callable[[Machine, Tensor, Args, dict[str, Value]], Value]] = {
    "fill": fill,
    "sort": sort,
    "partition": partition,
}
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
