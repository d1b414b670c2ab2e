"""What changes an array in place: `fill`, `sort`, `partition`, `array op= value`; methods that change other objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract.stage.arrays import alias, array_contents
from graph_program.extract.stage.arrays.lowering_arguments import as_index, checked_axis, require_kind, takes
from graph_program.extract.stage.arrays.size_checks import check_same_shape, output_text
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.checks.size_facts import settle
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations import operators
from graph_program.extract.stage.operations.known_and_truth import numeric, static, tensor
from graph_program.extract.stage.operations.of_numbers.conversions import as_element
from graph_program.extract.stage.paths.several import member_numbers, mixed_numbers
from graph_program.extract.stage.values.questions import is_known_as, is_list_or_tuple
from graph_program.extract.stage.values.values import NONE, Mixed, Tensor, Value, type_of
from graph_program.extract.types.rules.facts import Requirement, equal
from graph_program.extract.types.rules.products import PRODUCT_SIGNATURE
from graph_program.extract.types.rules.requirements import broadcast, shapes_text
from graph_program.extract.types.tensors.promotion import check_in_place, ufunc_dtypes
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
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


NO_MATRIX = (
    "inplace matrix multiplication requires the first operand to have at least one and the second at least two "
    "dimensions."
)
NO_REDUCTION = (
    "output operand requires a reduction along dimension -1, but the reduction is not enabled. The dimension size of "
    "1 does not match the expected output shape."
)


def write_operator(m: Machine, op: str, array: Tensor, value: Value) -> None:
    """`array op= value`: the result goes into the array, which keeps its shape and element type."""
    alias.require_writable(m, array, "output array is read-only")
    if isinstance(value, Mixed) or _is_array_like(array_contents.listed(m, value)):
        value = numeric(m, value)
    function = arithmetic.BINARY[op][1]
    check, fit = (_check_product, _require_product_fit) if op == "@" else (_check_broadcast, _require_fit)
    if isinstance(value, Tensor):
        if op != "@":
            _check_types(m, function, array, value)
        check(m, array, value)
    new = tensor(m, operators.binary(m, op, array, value))
    _check_cast(m, function, array, new.type.dtype)
    new = fit(m, array, value, new)
    alias.write(m, array, m.cast(new, array.type.dtype, Kind.ARRAY))


def _check_types(m: Machine, function: np.ufunc, array: Tensor, value: Tensor) -> None:
    """NumPy looks at element types before it looks at sizes."""
    _, result = m.by_rule(ufunc_dtypes, function, [array.type, value.type])
    _check_cast(m, function, array, result)


def _check_cast(m: Machine, function: np.ufunc, array: Tensor, result: np.dtype) -> None:
    m.by_rule(check_in_place, function, result, array.type.dtype)


def _is_array_like(value: Value) -> bool:
    """Whether NumPy makes an array of a value: of a list, or of a captured array."""
    return is_list_or_tuple(value) or is_known_as(value, np.ndarray)


def _check_broadcast(m: Machine, array: Tensor, value: Tensor) -> None:
    """NumPy's text shows the shape of the output, too."""
    together = [array.type.shape, value.type.shape]
    text = ("operands could not be broadcast together with shapes ", *shapes_text([*together, together[0]]))
    settle(m, Requirement(tuple(broadcast(together)), "shape", text), [array, value])


def _require_fit(m: Machine, array: Tensor, value: Value, new: Tensor) -> Tensor:
    """The result, where it has the shape of the array."""
    if new.rank > array.rank:
        raise m.type_error(TypeRuleError("shape", *output_text(array, new)), [array, value, new])
    check_same_shape(m, array, new, [array, value, new])
    return new


def _check_product(m: Machine, array: Tensor, value: Tensor) -> None:
    if array.rank and value.rank == 1:
        raise m.type_error(TypeRuleError("shape", NO_MATRIX))


def _require_product_fit(m: Machine, array: Tensor, value: Value, new: Tensor) -> Tensor:
    """The last dim of a product is that of the array; more dims than it has are dropped where they are 1."""
    mine, its = array.type.shape[-1], new.type.shape[-1]
    if mine != its:
        text = f"matmul: Output operand 0 has a mismatch in its core dimension {min(array.rank, 2) - 1}, with gufunc "
        shown = (f"{text}signature {PRODUCT_SIGNATURE} (size ", mine, " is different from ", its, ")")
        settle(m, Requirement((equal(mine, its),), "shape", shown), [array, value, new])
    more = range(new.rank - array.rank)
    if more:
        clauses = tuple(equal(new.type.shape[axis], 1) for axis in more)
        settle(m, Requirement(clauses, "shape", (NO_REDUCTION,)), [array, value, new])
        new = m.op("squeeze", new, axes=tuple(more))
    return _require_fit(m, array, value, new)
