"""`np.nextafter` and `np.spacing`: the numbers next to a floating-point number, by arithmetic alone.

The successor of x is `x + phi * abs(x)`, rounded, with phi a little more than half of the last bit of 1 (Rump,
Zimmermann, Boldo and Melquiond, Computing predecessor and successor in rounding to nearest, 2009).
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

SINGLE = (2.0**-24 * (1 + 2.0**-23), 2.0**-149, 2.0**-125, 2.0**60)
DOUBLE = (2.0**-53 * (1 + 2.0**-52), 5e-324, 2.0**-1021, 2.0**200)
"""phi, the smallest number, below which number that is the distance of all, and a scale for numbers less than 1."""


def nextafter(x: Array, y: Array) -> Array:
    """The number after `x` on the way to `y`; both have one element type.

    Sizes and signs are found apart: a -0.0 that a true condition chooses may lose its sign in a model.
    """
    found = np.where(y > x, successor(x), -successor(-x))
    same = x if x.dtype == np.float16 else y
    signs = np.where((found != 0) & (x != y), found, np.where(x != y, x, same))
    result: Array = np.copysign(np.where(x != y, np.abs(found), np.abs(y)), signs)
    return np.where(np.isnan(x) | np.isnan(y), x + y, result)


def spacing(x: Array) -> Array:
    """The distance to the next number away from 0, with the sign of `x`; in float16 to the next greater one."""
    if x.dtype == np.float16:
        return np.where(np.isinf(x), np.float16(np.nan), successor(x) - x)
    size = np.abs(x)
    result: Array = np.copysign(successor(size) - size, np.where(x == 0, size, x))
    return result


def successor(x: Array) -> Array:
    """The next greater number."""
    if x.dtype == np.float16:
        return half_successor(x)
    phi, least, small, scale = DOUBLE if x.dtype == np.float64 else SINGLE
    size = np.abs(x)
    scaled = x * scale
    below_one = (scaled + phi * np.abs(scaled)) / scale
    result = np.where(size < small, x + least, np.where(size < 1, below_one, x + phi * size))
    return np.where(x == -np.inf, np.asarray(-np.finfo(x.dtype).max), result)


def half_successor(x: Array) -> Array:
    """The next greater number in float16: the sums are exact in float32, then rounded."""
    wide = x.astype(np.float32)
    size = np.abs(wide)
    result = np.where(size < 2.0**-13, wide + 2.0**-24, wide + 2.0**-11 * (1 + 2.0**-10) * size)
    return np.where(wide == -np.inf, np.float32(-65504.0), result).astype(np.float16)


__all__ = ["nextafter", "spacing"]
