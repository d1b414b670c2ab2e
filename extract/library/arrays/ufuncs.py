"""NumPy's ufuncs that others make up; operands have the element types of NumPy's loop."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def heaviside(x1: Array, x2: Array) -> Array:
    """`np.heaviside`: 0 or 1 by the sign, `x2` at 0."""
    step = np.where(x1 == 0, x2, np.where(x1 < 0, x1.dtype.type(0), x1.dtype.type(1)))
    return np.where(np.isnan(x1), x1, step)


def logaddexp2(x1: Array, x2: Array) -> Any:
    """`log2(2**x1 + 2**x2)`: the larger, and what the smaller adds to it; float16 by way of float32."""
    if x1.dtype == np.float16:
        return logaddexp2(x1.astype(np.float32), x2.astype(np.float32)).astype(np.float16)
    added = np.log1p(np.exp2(-np.abs(x1 - x2))) * x1.dtype.type(1 / math.log(2))
    return np.where(x1 == x2, x1 + x1.dtype.type(1), np.maximum(x1, x2) + added)


def modf(x: Array) -> tuple[Array, Array]:
    """Fraction and whole part, both with the sign of x; an infinity has fraction 0."""
    whole = np.trunc(x)
    return np.copysign(np.where(np.isinf(x), x.dtype.type(0), x - whole), x), whole


def ldexp(x1: Array, x2: Array) -> Any:
    """`x1 * 2**x2`, in two steps so that neither power overflows before its time."""
    half = x2 // x2.dtype.type(2)
    rest = x2 - half
    scaled = x1.astype(np.float64) * np.exp2(half.astype(np.float64)) * np.exp2(rest.astype(np.float64))
    return scaled.astype(x1.dtype)


__all__ = ["heaviside", "ldexp", "logaddexp2", "modf"]
