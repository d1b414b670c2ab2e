"""Which NumPy ufunc is which primitive operation: data only.

`UFUNCS` holds the ufuncs that are one operation once their operands have been promoted.  The others
are combinations of operations (`extract/stage/numpy/elementwise/elementwise.py`).
"""

from __future__ import annotations

import numpy as np

UFUNCS: dict[np.ufunc, str] = {
    # arithmetic
    np.add: "add",
    np.subtract: "subtract",
    np.multiply: "multiply",
    np.divide: "divide",
    np.floor_divide: "floor_divide",
    np.remainder: "remainder",
    np.fmod: "fmod",
    np.power: "power",
    np.negative: "negative",
    np.absolute: "absolute",
    np.sign: "sign",
    np.reciprocal: "reciprocal",
    # rounding
    np.floor: "floor",
    np.ceil: "ceil",
    np.trunc: "trunc",
    np.rint: "rint",
    # exponentials and roots
    np.sqrt: "sqrt",
    np.cbrt: "cbrt",
    np.exp: "exp",
    np.exp2: "exp2",
    np.expm1: "expm1",
    np.log: "log",
    np.log2: "log2",
    np.log10: "log10",
    np.log1p: "log1p",
    np.logaddexp: "logaddexp",
    # trigonometry
    np.sin: "sin",
    np.cos: "cos",
    np.tan: "tan",
    np.arcsin: "arcsin",
    np.arccos: "arccos",
    np.arctan: "arctan",
    np.arctan2: "arctan2",
    np.hypot: "hypot",
    np.sinh: "sinh",
    np.cosh: "cosh",
    np.tanh: "tanh",
    np.arcsinh: "arcsinh",
    np.arccosh: "arccosh",
    np.arctanh: "arctanh",
    # extremes
    np.maximum: "maximum",
    np.minimum: "minimum",
    np.fmax: "fmax",
    np.fmin: "fmin",
    np.copysign: "copysign",
    # comparison and tests
    np.equal: "equal",
    np.not_equal: "not_equal",
    np.less: "less",
    np.less_equal: "less_equal",
    np.greater: "greater",
    np.greater_equal: "greater_equal",
    np.isnan: "isnan",
    np.isinf: "isinf",
    np.isfinite: "isfinite",
    np.signbit: "signbit",
    # bits
    np.invert: "invert",
    np.bitwise_and: "bitwise_and",
    np.bitwise_or: "bitwise_or",
    np.bitwise_xor: "bitwise_xor",
    np.left_shift: "left_shift",
    np.right_shift: "right_shift",
}
"""Ufuncs that are one operation on promoted operands."""

LOGICAL: dict[np.ufunc, str] = {
    np.logical_and: "bitwise_and",
    np.logical_or: "bitwise_or",
    np.logical_xor: "bitwise_xor",
    np.logical_not: "invert",
}
"""Ufuncs of truth values: one operation on operands made bool."""


REDUCTIONS: dict[np.ufunc, str] = {
    np.add: "sum",
    np.multiply: "prod",
    np.maximum: "max",
    np.minimum: "min",
    np.logical_and: "all",
    np.logical_or: "any",
}
"""`ufunc.reduce` as the NumPy function it equals."""

ACCUMULATIONS: dict[np.ufunc, str] = {np.add: "cumsum", np.multiply: "cumprod"}
"""`ufunc.accumulate` as the NumPy function it equals."""

MIRRORED = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}
"""Comparisons, and those of the operands in the other order that come to the same."""

REFUSED_DTYPE_KINDS: dict[str, str] = {
    "O": "object",
    "U": "str",
    "S": "bytes",
    "M": "datetime64",
    "m": "timedelta64",
    "V": "structured",
}
"""Kinds of element types that a graph cannot hold."""
