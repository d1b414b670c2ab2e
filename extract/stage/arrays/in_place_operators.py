"""`array op= value`: the result goes into the array, which keeps its shape and element type."""

from __future__ import annotations

import numpy as np

from graph_program.extract.stage.arrays import alias, array_contents
from graph_program.extract.stage.arrays.size_checks import check_same_shape, output_text
from graph_program.extract.stage.machine.checks.size_facts import settle
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations import operators
from graph_program.extract.stage.operations.known_and_truth import numeric, tensor
from graph_program.extract.stage.values.questions import is_known_as, is_list_or_tuple
from graph_program.extract.stage.values.values import Mixed, Tensor, Value
from graph_program.extract.types.rules.facts import Requirement, equal
from graph_program.extract.types.rules.products import PRODUCT_SIGNATURE
from graph_program.extract.types.rules.requirements import broadcast, shapes_text
from graph_program.extract.types.tensors.promotion import check_in_place, ufunc_dtypes
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
from graph_program.extract.types.tensors.tensor_type import Kind

NO_MATRIX = (
    "inplace matrix multiplication requires the first operand to have at least one and the second at least two "
    "dimensions."
)
NO_REDUCTION = (
    "output operand requires a reduction along dimension -1, but the reduction is not enabled. The dimension size of "
    "1 does not match the expected output shape."
)


def write_operator(m: Machine, op: str, array: Tensor, value: Value) -> None:
    """`array op= value`."""
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
