"""Elementwise functions: of numbers, arrays, and arrays with numbers that take their element type."""

from __future__ import annotations

import numpy as np

from graph_program.tensor_api.array_api.array import Array, Scalar, binary, elements, floor_quotient, unary, wrap
from graph_program.tensor_api.array_api.dtypes import (
    BOOL,
    COMPLEX,
    FLOAT,
    FLOATING,
    INTEGER,
    NUMERIC,
    REAL,
    check_scalar,
    promoted,
)

Real = Array | int | float
Number = Array | int | float | complex
Any = Array | Scalar


def abs(x: Array, /) -> Array:
    """The distance of each element from 0; real numbers."""
    return unary("abs", np.absolute, x, NUMERIC)


def acos(x: Array, /) -> Array:
    """The inverse cosine, in radians."""
    return unary("acos", np.arccos, x, FLOATING)


def acosh(x: Array, /) -> Array:
    """The inverse hyperbolic cosine."""
    return unary("acosh", np.arccosh, x, FLOATING)


def add(x1: Number, x2: Number, /) -> Array:
    """The sum."""
    return binary("add", np.add, x1, x2, NUMERIC)


def asin(x: Array, /) -> Array:
    """The inverse sine, in radians."""
    return unary("asin", np.arcsin, x, FLOATING)


def asinh(x: Array, /) -> Array:
    """The inverse hyperbolic sine."""
    return unary("asinh", np.arcsinh, x, FLOATING)


def atan(x: Array, /) -> Array:
    """The inverse tangent, in radians."""
    return unary("atan", np.arctan, x, FLOATING)


def atan2(x1: Real, x2: Real, /) -> Array:
    """The angle in radians of the point (x2, x1)."""
    return binary("atan2", np.arctan2, x1, x2, FLOAT)


def atanh(x: Array, /) -> Array:
    """The inverse hyperbolic tangent."""
    return unary("atanh", np.arctanh, x, FLOATING)


def bitwise_and(x1: Array | int | bool, x2: Array | int | bool, /) -> Array:
    """The bits that are set in both."""
    return binary("bitwise_and", np.bitwise_and, x1, x2, INTEGER + BOOL)


def bitwise_invert(x: Array, /) -> Array:
    """Each bit the other way."""
    return unary("bitwise_invert", np.invert, x, INTEGER + BOOL)


def bitwise_left_shift(x1: Array | int, x2: Array | int, /) -> Array:
    """The bits moved x2 places up."""
    return binary("bitwise_left_shift", np.left_shift, x1, x2, INTEGER)


def bitwise_or(x1: Array | int | bool, x2: Array | int | bool, /) -> Array:
    """The bits that are set in one or both."""
    return binary("bitwise_or", np.bitwise_or, x1, x2, INTEGER + BOOL)


def bitwise_right_shift(x1: Array | int, x2: Array | int, /) -> Array:
    """The bits moved x2 places down; the sign stays."""
    return binary("bitwise_right_shift", np.right_shift, x1, x2, INTEGER)


def bitwise_xor(x1: Array | int | bool, x2: Array | int | bool, /) -> Array:
    """The bits that are set in one of them."""
    return binary("bitwise_xor", np.bitwise_xor, x1, x2, INTEGER + BOOL)


def ceil(x: Array, /) -> Array:
    """The smallest integer that is not less than each element, in its element type."""
    return unary("ceil", np.ceil, x, REAL)


def clip(x: Array, /, min: Real | None = None, max: Real | None = None) -> Array:
    """Each element, but `min` for those below it and `max` for those above it, in the element type of `x`."""
    array = elements("clip", x, REAL)
    low, high = _bound(x, min), _bound(x, max)
    if low is None and high is None:
        return Array(array.copy())
    return wrap(np.clip(array, low, high))


def _bound(x: Array, bound: Real | None) -> np.ndarray | int | float | None:
    """A bound as NumPy takes it."""
    if isinstance(bound, Array):
        promoted(x.dtype, bound.dtype)
        return bound._array.astype(x.dtype)
    if bound is not None:
        check_scalar("clip", bound, x.dtype)
    return bound


def conj(x: Array, /) -> Array:
    """The complex conjugate; real numbers as they are."""
    return unary("conj", np.conjugate, x, NUMERIC)


def copysign(x1: Real, x2: Real, /) -> Array:
    """x1 with the sign of x2."""
    return binary("copysign", np.copysign, x1, x2, FLOAT)


def cos(x: Array, /) -> Array:
    """The cosine of radians."""
    return unary("cos", np.cos, x, FLOATING)


def cosh(x: Array, /) -> Array:
    """The hyperbolic cosine."""
    return unary("cosh", np.cosh, x, FLOATING)


def divide(x1: Number, x2: Number, /) -> Array:
    """The quotient; of integers as float64."""
    return binary("divide", np.true_divide, x1, x2, NUMERIC)


def equal(x1: Any, x2: Any, /) -> Array:
    """Whether both are equal."""
    return binary("equal", np.equal, x1, x2, NUMERIC + BOOL)


def exp(x: Array, /) -> Array:
    """e to the power of each element."""
    return unary("exp", np.exp, x, FLOATING)


def expm1(x: Array, /) -> Array:
    """`exp(x) - 1`, exact near 0."""
    array = elements("expm1", x, FLOATING)
    if x.dtype.kind in COMPLEX:  # of what is not finite, NumPy knows no more than NaN
        return wrap(np.where(np.isfinite(array), np.expm1(array), np.exp(array) - 1))
    return wrap(np.expm1(array))


def floor(x: Array, /) -> Array:
    """The largest integer that is not greater than each element, in its element type."""
    return unary("floor", np.floor, x, REAL)


def floor_divide(x1: Real, x2: Real, /) -> Array:
    """The quotient rounded down; 0 for integers divided by 0."""
    return binary("floor_divide", floor_quotient, x1, x2, REAL)


def greater(x1: Real, x2: Real, /) -> Array:
    """Whether x1 is greater."""
    return binary("greater", np.greater, x1, x2, REAL)


def greater_equal(x1: Real, x2: Real, /) -> Array:
    """Whether x1 is greater or both are equal."""
    return binary("greater_equal", np.greater_equal, x1, x2, REAL)


def hypot(x1: Real, x2: Real, /) -> Array:
    """The square root of the sum of the squares, without overflow."""
    return binary("hypot", np.hypot, x1, x2, FLOAT)


def imag(x: Array, /) -> Array:
    """The imaginary part of complex numbers."""
    return Array(np.imag(elements("imag", x, COMPLEX)))


def isfinite(x: Array, /) -> Array:
    """Whether each element is a finite number."""
    return unary("isfinite", np.isfinite, x, NUMERIC)


def isinf(x: Array, /) -> Array:
    """Whether each element is infinite."""
    return unary("isinf", np.isinf, x, NUMERIC)


def isnan(x: Array, /) -> Array:
    """Whether each element is NaN."""
    return unary("isnan", np.isnan, x, NUMERIC)


def less(x1: Real, x2: Real, /) -> Array:
    """Whether x1 is less."""
    return binary("less", np.less, x1, x2, REAL)


def less_equal(x1: Real, x2: Real, /) -> Array:
    """Whether x1 is less or both are equal."""
    return binary("less_equal", np.less_equal, x1, x2, REAL)


def log(x: Array, /) -> Array:
    """The natural logarithm."""
    return unary("log", np.log, x, FLOATING)


def log10(x: Array, /) -> Array:
    """The logarithm to base 10."""
    return unary("log10", np.log10, x, FLOATING)


def log1p(x: Array, /) -> Array:
    """`log(1 + x)`, exact near 0."""
    return unary("log1p", np.log1p, x, FLOATING)


def log2(x: Array, /) -> Array:
    """The logarithm to base 2."""
    return unary("log2", np.log2, x, FLOATING)


def logaddexp(x1: Real, x2: Real, /) -> Array:
    """`log(exp(x1) + exp(x2))`, without overflow."""
    return binary("logaddexp", np.logaddexp, x1, x2, FLOAT)


def logical_and(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Whether both are true."""
    return binary("logical_and", np.logical_and, x1, x2, BOOL)


def logical_not(x: Array, /) -> Array:
    """Whether each element is false."""
    return unary("logical_not", np.logical_not, x, BOOL)


def logical_or(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Whether one or both are true."""
    return binary("logical_or", np.logical_or, x1, x2, BOOL)


def logical_xor(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Whether one is true and not the other."""
    return binary("logical_xor", np.logical_xor, x1, x2, BOOL)


def maximum(x1: Real, x2: Real, /) -> Array:
    """The greater one; NaN where one is NaN."""
    return binary("maximum", np.maximum, x1, x2, REAL)


def minimum(x1: Real, x2: Real, /) -> Array:
    """The smaller one; NaN where one is NaN."""
    return binary("minimum", np.minimum, x1, x2, REAL)


def multiply(x1: Number, x2: Number, /) -> Array:
    """The product."""
    return binary("multiply", np.multiply, x1, x2, NUMERIC)


def negative(x: Array, /) -> Array:
    """Each element with the other sign."""
    return unary("negative", np.negative, x, NUMERIC)


def nextafter(x1: Real, x2: Real, /) -> Array:
    """The next number after x1 on the way to x2."""
    return binary("nextafter", np.nextafter, x1, x2, FLOAT)


def not_equal(x1: Any, x2: Any, /) -> Array:
    """Whether they differ."""
    return binary("not_equal", np.not_equal, x1, x2, NUMERIC + BOOL)


def positive(x: Array, /) -> Array:
    """The elements as they are."""
    return unary("positive", np.positive, x, NUMERIC)


def pow(x1: Number, x2: Number, /) -> Array:
    """x1 to the power of x2."""
    return binary("pow", np.power, x1, x2, NUMERIC)


def real(x: Array, /) -> Array:
    """The real part; real numbers as they are."""
    return Array(np.real(elements("real", x, NUMERIC)))


def reciprocal(x: Array, /) -> Array:
    """1 divided by each element."""
    return unary("reciprocal", np.reciprocal, x, FLOATING)


def remainder(x1: Real, x2: Real, /) -> Array:
    """The remainder, with the sign of x2; 0 for integers divided by 0."""
    return binary("remainder", np.remainder, x1, x2, REAL)


def round(x: Array, /) -> Array:
    """The nearest integer, the even one of two, in the element type."""
    return unary("round", np.round, x, NUMERIC)


def sign(x: Array, /) -> Array:
    """-1, 0 or 1; of a complex number the number divided by its distance from 0."""
    array = elements("sign", x, NUMERIC)
    if x.dtype.kind in COMPLEX:
        return wrap(np.where(array == 0, np.zeros_like(array), np.sign(array)))
    return wrap(np.sign(array))


def signbit(x: Array, /) -> Array:
    """Whether the bit of the sign is set, as it is for -0.0."""
    return unary("signbit", np.signbit, x, FLOAT)


def sin(x: Array, /) -> Array:
    """The sine of radians."""
    return unary("sin", np.sin, x, FLOATING)


def sinh(x: Array, /) -> Array:
    """The hyperbolic sine."""
    return unary("sinh", np.sinh, x, FLOATING)


def sqrt(x: Array, /) -> Array:
    """The square root."""
    return unary("sqrt", np.sqrt, x, FLOATING)


def square(x: Array, /) -> Array:
    """Each element times itself."""
    return unary("square", np.square, x, NUMERIC)


def subtract(x1: Number, x2: Number, /) -> Array:
    """The difference."""
    return binary("subtract", np.subtract, x1, x2, NUMERIC)


def tan(x: Array, /) -> Array:
    """The tangent of radians."""
    return unary("tan", np.tan, x, FLOATING)


def tanh(x: Array, /) -> Array:
    """The hyperbolic tangent."""
    return unary("tanh", np.tanh, x, FLOATING)


def trunc(x: Array, /) -> Array:
    """The next integer towards 0, in the element type."""
    return unary("trunc", np.trunc, x, REAL)


__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "real",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "trunc",
]
