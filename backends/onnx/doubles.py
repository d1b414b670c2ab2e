"""Nodes on floats that onnxruntime's optimizer would change.

It takes all zeros for what may be left out, though -0.0 + 0.0 is 0.0, and reads constants of float64 as float32:

x + 0.0              ->   Sum(x, 0.0)                         else NoopElimination leaves -0.0 as it is
x + 1e-300           ->   Sum(x, 1e-300)                      else NoopElimination takes it for x + 0
x * 1.000000001      ->   x * Where(IsNaN(x), c, c)           else NoopElimination takes it for x * 1
(a @ b) * 0.1        ->   Sum(MatMul(a, b)) * 0.1             else MatMulScaleFusion multiplies by float32(0.1)
(0.1 * a) @ b        ->   Sum(0.1 * a) @ b                    so, too; a scale that only a run has is not taken out

Models are guarded rather than sessions, for an exported model runs in sessions of others.  (onnxruntime 1.26 to 1.31)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

if TYPE_CHECKING:
    from graph_program.backends.onnx.builder import Tensor

SCALES = ("Mul", "Div")
DEEPEST = 8
"""So many operations are looked through for what a scale is made of."""
OPERATORS = frozenset(["Add", "Sub", "MatMul", *SCALES])


def guarded(operator: str, inputs: tuple[Tensor, ...]) -> tuple[str, tuple[Tensor, ...]]:
    """An operator and its floats so that no optimizer sees a constant that it would leave out or round."""
    if operator in ("Add", "Sub"):
        x, y = inputs
        if _is_zero(y, negative=operator == "Sub"):
            return "Sum", (x, y if operator == "Add" else y.builder.constant(np.abs(_content(y))))
        if operator == "Add" and _is_zero(x, negative=False):
            return "Sum", inputs
    return _exact(operator, inputs) if inputs[0].dtype == np.float64 else (operator, inputs)


def _is_zero(x: Tensor, negative: bool) -> bool:
    """Whether a number is a known zero of one sign."""
    return _single(x) and not _content(x).any() and bool(np.signbit(_content(x)).all()) == negative


def _exact(operator: str, inputs: tuple[Tensor, ...]) -> tuple[str, tuple[Tensor, ...]]:
    """An operator and its float64 operands so that no constant is read as float32."""
    if operator == "MatMul":
        return operator, tuple(_apart(x, SCALES) if _has_known_scale(x) else x for x in inputs)
    x, y = inputs
    if operator in SCALES and (_single(x) or _single(y)):
        x, y = _apart(x, ("MatMul",)), _apart(y, ("MatMul",))
    if _single(y):
        return _with_constant(operator, x, y)
    if _single(x) and operator in ("Add", "Mul"):
        return _with_constant(operator, y, x)
    return operator, (x, y)


def _with_constant(operator: str, x: Tensor, constant: Tensor) -> tuple[str, tuple[Tensor, ...]]:
    number = _content(constant).item()
    rounded = _as_single(number)
    if operator in SCALES and rounded == 1 and number != 1:
        return operator, (x, x.op("IsNaN").where(constant, constant))
    if operator not in SCALES and rounded == 0 and number != 0:
        return "Sum", (x, constant if operator == "Add" else x.builder.constant(-_content(constant)))
    return operator, (x, constant)


def _as_single(number: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(number))


def _single(x: Tensor) -> bool:
    return x.known is not None and x.known.size == 1


def _content(x: Tensor) -> np.ndarray:
    assert x.known is not None
    return x.known


def _has_known_scale(x: Tensor) -> bool:
    """Whether onnxruntime may come to know an operand of what has made these numbers."""
    made = x.value.producer()
    return made is not None and any(_may_be_known(value, DEEPEST) for value in made.inputs if value is not None)


def _may_be_known(value: ir.Value, depth: int) -> bool:
    """Whether a value is made of constants, and of sizes, which a session may be told; True where it is not clear."""
    node = value.producer()
    if value.const_value is not None or node is None:
        return value.const_value is not None
    if not depth or node.op_type in ("If", "Loop", "Shape", "Size"):
        return True
    return all(_may_be_known(given, depth - 1) for given in node.inputs if given is not None)


def _apart(x: Tensor, operators: tuple[str, ...]) -> Tensor:
    """The same numbers, where these operators made them from another node."""
    made = x.value.producer()
    return x.op("Sum") if made is not None and made.op_type in operators else x


__all__ = ["OPERATORS", "guarded"]
