"""Element by element: arithmetic, comparison, logic, bits, rounding, exponentials, trigonometry."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.tensor_api.opdef import define

SAME_UNARY: dict[str, tuple[Any, str]] = {
    "negative": (np.negative, "-x"),
    "absolute": (np.absolute, "|x|"),
    "sign": (np.sign, "-1, 0 or 1 (NaN for NaN)"),
    "floor": (np.floor, "largest integer <= x"),
    "ceil": (np.ceil, "smallest integer >= x"),
    "trunc": (np.trunc, "x without its fraction"),
    "rint": (np.rint, "nearest integer, halves to even"),
    "sqrt": (np.sqrt, "square root, NaN below 0"),
    "cbrt": (np.cbrt, "cube root"),
    "reciprocal": (np.reciprocal, "1 / x"),
    "exp": (np.exp, "e to the x"),
    "exp2": (np.exp2, "2 to the x"),
    "expm1": (np.expm1, "exp(x) - 1, accurate near 0"),
    "log": (np.log, "natural logarithm"),
    "log2": (np.log2, "logarithm to base 2"),
    "log10": (np.log10, "logarithm to base 10"),
    "log1p": (np.log1p, "log(1 + x), accurate near 0"),
    "sin": (np.sin, "sine"),
    "cos": (np.cos, "cosine"),
    "tan": (np.tan, "tangent"),
    "arcsin": (np.arcsin, "inverse sine"),
    "arccos": (np.arccos, "inverse cosine"),
    "arctan": (np.arctan, "inverse tangent"),
    "sinh": (np.sinh, "hyperbolic sine"),
    "cosh": (np.cosh, "hyperbolic cosine"),
    "tanh": (np.tanh, "hyperbolic tangent"),
    "arcsinh": (np.arcsinh, "inverse hyperbolic sine"),
    "arccosh": (np.arccosh, "inverse hyperbolic cosine"),
    "arctanh": (np.arctanh, "inverse hyperbolic tangent"),
    "invert": (np.invert, "bitwise not; logical not of booleans"),
}
BOOL_UNARY: dict[str, tuple[Any, str]] = {
    "isnan": (np.isnan, "is x NaN"),
    "isinf": (np.isinf, "is x infinite"),
    "isfinite": (np.isfinite, "is x neither NaN nor infinite"),
    "signbit": (np.signbit, "is the sign bit set"),
}
SAME_BINARY: dict[str, tuple[Any, str]] = {
    "add": (np.add, "x + y; integers wrap"),
    "subtract": (np.subtract, "x - y; integers wrap"),
    "multiply": (np.multiply, "x * y; integers wrap"),
    "divide": (np.divide, "x / y of floats"),
    "floor_divide": (np.floor_divide, "floor(x / y); an integer divided by 0 gives 0"),
    "remainder": (np.remainder, "x - floor(x / y) * y; an integer modulo 0 gives 0"),
    "fmod": (np.fmod, "remainder with the sign of x"),
    "power": (np.power, "x to the y; integer exponents must be >= 0"),
    "maximum": (np.maximum, "the larger, NaN if either is"),
    "minimum": (np.minimum, "the smaller, NaN if either is"),
    "fmax": (np.fmax, "the larger, ignoring NaN"),
    "fmin": (np.fmin, "the smaller, ignoring NaN"),
    "arctan2": (np.arctan2, "angle of the point (y, x)"),
    "hypot": (np.hypot, "sqrt(x*x + y*y)"),
    "copysign": (np.copysign, "|x| with the sign of y"),
    "logaddexp": (np.logaddexp, "log(exp(x) + exp(y))"),
    "bitwise_and": (np.bitwise_and, "bits set in both; logical and of booleans"),
    "bitwise_or": (np.bitwise_or, "bits set in either; logical or of booleans"),
    "bitwise_xor": (np.bitwise_xor, "bits set in one; logical xor of booleans"),
    "left_shift": (np.left_shift, "x * 2**y; 0 where y reaches the width"),
    "right_shift": (np.right_shift, "x // 2**y; 0 or -1 where y reaches the width"),
}
BOOL_BINARY: dict[str, tuple[Any, str]] = {
    "equal": (np.equal, "x == y"),
    "not_equal": (np.not_equal, "x != y"),
    "less": (np.less, "x < y"),
    "less_equal": (np.less_equal, "x <= y"),
    "greater": (np.greater, "x > y"),
    "greater_equal": (np.greater_equal, "x >= y"),
}
KINDS = {
    "float": "rint sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh "
    "arcsinh arccosh arctanh signbit divide arctan2 hypot copysign logaddexp",
    "number": "negative sign reciprocal subtract floor_divide remainder fmod power",
    "discrete": "invert bitwise_and bitwise_or bitwise_xor",
    "integer": "left_shift right_shift",
}
"""The operations that take some kinds of element types only: those NumPy computes without converting first."""
_WHERE = {name: f" where t is {kind}" for kind, names in KINDS.items() for name in names.split()}


def _cast(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return np.asarray(x).astype(dtype)


for _name, (_ufunc, _doc) in SAME_UNARY.items():
    define(_name, "x", "t [*s] -> t [*s]" + _WHERE.get(_name, ""), "elementwise", _ufunc, _doc)
for _name, (_ufunc, _doc) in BOOL_UNARY.items():
    define(_name, "x", "t [*s] -> bool [*s]" + _WHERE.get(_name, ""), "predicate", _ufunc, _doc)
for _name, (_ufunc, _doc) in SAME_BINARY.items():
    define(_name, "x y", "(t [*s], t [*s]) -> t [*s]" + _WHERE.get(_name, ""), "elementwise", _ufunc, _doc)
for _name, (_ufunc, _doc) in BOOL_BINARY.items():
    define(_name, "x y", "(t [*s], t [*s]) -> bool [*s]", "predicate", _ufunc, _doc)

define(
    "where",
    "condition x y",
    "(bool [*s], t [*s], t [*s]) -> t [*s]",
    "where",
    np.where,
    "x where the condition holds, else y",
)
define("cast", "x", "t [*s] -> dtype [*s]", "cast", _cast, "the same values as another element type", attrs="dtype")
