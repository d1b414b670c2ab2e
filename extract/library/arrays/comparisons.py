"""Whole arrays compared: equal, or near to each other."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    """`np.isclose`: `|a - b| <= atol + rtol * |b|`, infinities only equal to themselves."""
    y = np.asarray(b)
    if y.dtype.kind not in "fc":  # those of bfloat16, too
        y = y.astype(np.float64)
    near = np.abs(np.subtract(a, y)) <= np.add(atol, np.multiply(rtol, np.abs(y)))
    found = near & np.isfinite(y) | np.equal(a, y)
    return found | np.isnan(a) & np.isnan(y) if equal_nan else found


def allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> bool:
    """`np.allclose`: a Python bool."""
    return bool(np.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1: Array, a2: Array, equal_nan: bool = False) -> bool:
    """`np.array_equal`: same shape and elements, as a Python bool."""
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    if equal_nan and a1.dtype.kind in "fc" and a2.dtype.kind in "fc":
        same = same | np.isnan(a1) & np.isnan(a2)
    return bool(np.all(same))


__all__ = ["allclose", "array_equal", "isclose"]
