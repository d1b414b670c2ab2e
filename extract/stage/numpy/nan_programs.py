"""Order statistics that pass over NaN, as programs over NumPy: extracted like a user's own functions.

`ordered` is sorted along its last axis, so that NaN come last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def nan_median(ordered: Array) -> Array:
    """The middle of what is not NaN, or the mean of the two."""
    there = np.sum(~np.isnan(ordered), axis=-1, keepdims=True)
    left = np.take_along_axis(ordered, np.maximum(there - 1, 0) // 2, -1)[..., 0]
    right = np.take_along_axis(ordered, np.minimum(there // 2, ordered.shape[-1] - 1), -1)[..., 0]
    return np.where(left == right, left, (left + right) / 2)


def nan_quantiles(ordered: Array, q: Array, weak: bool) -> Array:
    """The quantiles `q` of what is not NaN, along a new first axis."""
    last = np.maximum(np.sum(~np.isnan(ordered), axis=-1, keepdims=True) - 1, 0)
    place = last.astype(q.dtype) * q
    low = np.floor(place).astype(np.int64)
    left = np.take_along_axis(ordered, low, -1)
    right = np.take_along_axis(ordered, np.minimum(low + 1, last), -1)
    return np.moveaxis(between(left, right, place - np.floor(place), weak), -1, 0)


def nan_picked(ordered: Array, q: Array) -> Array:
    """The least or the greatest of what is not NaN, by quantiles that are integers."""
    last = np.maximum(np.sum(~np.isnan(ordered), axis=-1, keepdims=True) - 1, 0)
    return np.moveaxis(np.take_along_axis(ordered, last * q, -1), -1, 0)


def quantiles(ordered: Array, q: Array, count: int, weak: bool) -> Array:
    """The quantiles `q` of the first `count` elements, along a new first axis; NaN where any element is."""
    last = count - 1
    place = last * q
    low = np.floor(place).astype(np.int64)
    left, right = np.take(ordered, low, -1), np.take(ordered, np.minimum(low + 1, last), -1)
    found = between(left, right, place - np.floor(place), weak)
    largest = ordered[..., last, np.newaxis]
    return np.moveaxis(np.where(np.isnan(largest), largest, found), -1, 0)


def picked(ordered: Array, q: Array, count: int) -> Array:
    """The least or the greatest of the first `count` elements, by quantiles that are integers; NaN where any is."""
    last = count - 1
    largest = ordered[..., last, np.newaxis]
    found = np.take(ordered, last * q, -1)
    return np.moveaxis(np.where(largest != largest, largest, found), -1, 0)


def between(left: Array, right: Array, t: Array, weak: bool) -> Array:
    """Interpolated from the nearer end; a `weak` distance does not widen the result."""
    t = t.astype(left.dtype) if weak else t
    gap = right - left
    found: Array = np.where(t >= 0.5, right - gap * (1 - t), left + gap * t)
    return found


def require_fractions(q: Array, text: str) -> None:
    """NumPy's error for quantiles that are none; NaN is not."""
    if not ((q >= 0) & (q <= 1)).all():
        raise ValueError(text)


def refuse_all_nan(all_nan: Any) -> None:
    """NumPy's error for a slice without a largest element."""
    if all_nan:
        raise ValueError("All-NaN slice encountered")


__all__ = ["nan_median", "nan_picked", "nan_quantiles", "picked", "quantiles", "refuse_all_nan", "require_fractions"]
