"""Element types in C, and numbers as C writes them.

A float16 is computed with as a `float` that is rounded after each operation, and kept as 16 bits; so is a bfloat16.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from graph_program.backends.c.expression import UNARY, Expr, call

FLOAT16 = np.dtype(np.float16)
HALVES = {"float16": "f16", "bfloat16": "bf16"}
"""Element types of 16 bits, and their names in functions."""
LOCAL = {
    "bool": "bool",
    "float16": "float",
    "bfloat16": "float",
    "float32": "float",
    "float64": "double",
    **{f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
"""What a number is computed with."""
KEPT = {**LOCAL, **dict.fromkeys(HALVES, "uint16_t")}
"""What an element of an array is kept as."""
BYTES = {"bool": 1, "float": 4, "double": 8} | {
    f"{sign}int{bits}_t": bits // 8 for sign in ("", "u") for bits in (8, 16, 32, 64)
}
"""How large an element of a C type is."""
SHORT = {"bool": "b", "float16": "f16", "float32": "f32", "float64": "f64"} | {
    f"{sign}int{bits}": f"{sign or 'i'}{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}
"""Element types in the names of functions."""


def local_type(dtype: np.dtype[Any]) -> str:
    """The C type of a number."""
    return LOCAL[dtype.name]


def kept_type(dtype: np.dtype[Any]) -> str:
    """The C type of an element in memory."""
    return KEPT[dtype.name]


def loaded(dtype: np.dtype[Any], element: Expr) -> Expr:
    """The number that an element in memory is."""
    half = HALVES.get(dtype.name)
    return call(f"gp_{half}_load", element) if half else element


def stored(dtype: np.dtype[Any], value: Expr) -> Expr:
    """The element in memory that a number is."""
    half = HALVES.get(dtype.name)
    return call(f"gp_{half}_store", value) if half else value


def rounded(dtype: np.dtype[Any], value: Expr) -> Expr:
    """The result of an operation as a number of an element type."""
    half = HALVES.get(dtype.name)
    return call(f"gp_{half}_round", value) if half else value


def literal(dtype: np.dtype[Any], value: Any) -> Expr:
    """A number of an element type."""
    if dtype.kind == "b":
        return Expr("true" if value else "false")
    if dtype.kind in "iu":
        return _integer(dtype, int(value))
    return _float(dtype, float(value))


def _integer(dtype: np.dtype[Any], value: int) -> Expr:
    if dtype == np.int64 and value == np.iinfo(np.int64).min:
        return Expr("INT64_MIN")
    if dtype == np.int64 and value == np.iinfo(np.int64).max:
        return Expr("INT64_MAX")
    if dtype == np.int32 and value == np.iinfo(np.int32).min:
        return Expr("INT32_MIN")
    text = str(value)
    if abs(value) > 2**31 - 1:
        text = f"UINT64_C({value})" if dtype == np.uint64 else f"INT64_C({value})"
        text = f"UINT32_C({value})" if dtype == np.uint32 else text
    return Expr(text, UNARY if value < 0 else 0)


def _float(dtype: np.dtype[Any], value: float) -> Expr:
    if math.isnan(value):
        return Expr("NAN") if math.copysign(1.0, value) > 0 else Expr("-NAN", UNARY)  # which `copysign` tells apart
    if math.isinf(value):
        return Expr("INFINITY") if value > 0 else Expr("-INFINITY", UNARY)
    if dtype == np.float64:
        text = repr(value)
    else:
        text = np.format_float_scientific(np.float32(value), unique=True, trim="0")
        short = np.format_float_positional(np.float32(value), unique=True, trim="0")
        text = short if len(short) <= len(text) else text
        text += "f"
    return Expr(text, UNARY if text.startswith("-") else 0)
