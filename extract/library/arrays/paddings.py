"""The ways of `np.pad` that compute what they put beside an array, along one axis each."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import known_size, of_sizes, raise_where
from graph_program.extract.library.linalg.common import rows_at

Array = np.ndarray[Any, Any]


def with_constants(x: Array, widths: Any, how: str, ends: Any) -> Array:
    """All axes with constants before and after."""
    for axis, (before, after) in enumerate(widths):
        first, last = (0, 0) if ends is None else ends[axis]
        left = () if known_size(before) == 0 else (constants(x, axis, before, first),)
        right = () if known_size(after) == 0 else (constants(x, axis, after, last),)
        x = np.concatenate((*left, x, *right), axis=axis) if left or right else x
    return x.copy()


def with_zeros(x: Array, widths: Any, how: str) -> Array:
    """All axes with zeros before and after."""
    return with_constants(x, widths, how, None)


def constants(x: Array, axis: int, width: Any, value: Any) -> Array:
    """What goes beside an axis; that the width is not negative has been checked."""
    return np.full((*x.shape[:axis], width, *x.shape[axis + 1 :]), value, x.dtype)


def with_ramps(x: Array, widths: Any, how: str, ends: Any) -> Array:
    """All axes with numbers that lead to end values."""
    for axis, (before, after) in enumerate(widths):
        x = ramped(x, axis, before, after, *ends[axis])
    return x.copy()


def with_statistics(x: Array, widths: Any, how: str, lengths: Any) -> Array:
    """All axes with statistics of their elements."""
    for axis, (before, after) in enumerate(widths):
        first, last = lengths[axis]
        x = with_statistic(x, axis, before, after, first, last, how)
    return x.copy()


def with_reflections(x: Array, widths: Any, how: str, odd: bool) -> Array:
    """All axes mirrored, or turned about their edges."""
    if not odd:
        return with_own(x, widths, how)
    for axis, (before, after) in enumerate(widths):
        x = reflected_oddly(x, axis, before, after, int(how == "symmetric"))
    return x.copy()


def with_own(x: Array, widths: Any, how: str) -> Array:
    """All axes with their own elements before and after."""
    for axis, (before, after) in enumerate(widths):
        if known_size(before) != 0 or known_size(after) != 0:
            size = x.shape[axis]
            total = of_sizes("+", of_sizes("+", before, size), after)
            text = f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
            raise_where((size == 0, total != 0), ValueError, text)
            x = rows_at(x, sources(np.subtract(np.arange(total), before), size, how), axis)
    return x.copy()


def sources(i: Array, n: Any, how: str) -> Any:
    """Where each element of a padded axis comes from: there and back, with the ends met once or twice in a period."""
    if how == "wrap":
        return np.remainder(i, n)
    if how == "edge":
        return np.minimum(np.maximum(i, 0), np.subtract(n, 1))
    shared = int(how == "reflect")
    period = np.maximum(np.subtract(np.multiply(n, 2), 2 * shared), 1)
    step = np.remainder(i, period)
    return np.where(step < n, step, np.subtract(np.subtract(period, 1 - shared), step))


def ramped(x: Array, axis: int, before: Any, after: Any, first: Any, last: Any) -> Array:
    """An axis with numbers before and after that lead from the edges to `first` and `last`."""
    require_elements(x, axis, before, after)
    if before == 0 and after == 0:
        return x
    left = np.linspace(first, np.take(x, 0, axis=axis), before, endpoint=False, dtype=x.dtype, axis=axis)
    right = np.linspace(last, np.take(x, -1, axis=axis), after, endpoint=False, dtype=x.dtype, axis=axis)
    return np.concatenate((left, x, np.flip(right, axis=axis)), axis=axis)


def with_statistic(x: Array, axis: int, before: Any, after: Any, first: Any, last: Any, name: str) -> Array:
    """An axis with a statistic of its `first` elements before and one of its `last` after; None for all of them."""
    if name in ("maximum", "minimum"):
        for length in (first, last):
            if length is not None and length == 0 and x.size != 0:
                raise ValueError("stat_length of 0 yields no value for padding")
    require_elements(x, axis, before, after)
    if before == 0 and after == 0:
        return x
    size = x.shape[axis]
    left = right = statistic(x, axis, name)
    if first is not None:
        left = statistic(np.take(x, np.arange(min(first, size)), axis=axis), axis, name)
    if last is not None:
        right = statistic(np.take(x, np.arange(max(size - last, 0), size), axis=axis), axis, name)
    return np.concatenate((np.repeat(left, before, axis=axis), x, np.repeat(right, after, axis=axis)), axis=axis)


def statistic(x: Array, axis: int, name: str) -> Any:
    """The maximum, minimum, mean or median along an axis, which stays; in integers, the nearest one."""
    if name == "maximum":
        return np.max(x, axis=axis, keepdims=True)
    if name == "minimum":
        return np.min(x, axis=axis, keepdims=True)
    found = np.mean(x, axis=axis, keepdims=True) if name == "mean" else np.median(x, axis=axis, keepdims=True)
    return (np.round(found) if x.dtype.kind in "iu" else found).astype(x.dtype)


def reflected_oddly(x: Array, axis: int, before: Any, after: Any, edge: int) -> Any:
    """An axis turned about its edges, over and over; `edge` is 1 where elements at the edges are there twice."""
    require_elements(x, axis, before, after)
    if before == 0 and after == 0:
        return x
    size = x.shape[axis]
    total = before + size + after
    places = np.arange(total)
    padded = np.take(x, np.clip(places - before, 0, size - 1), axis=axis)
    if size == 1:
        return padded
    left, right = before, after
    while left > 0 or right > 0:
        # Whole periods only, so that they follow each other.
        period = size - 1 + edge
        known = (total - left - right - 1 + edge) // period * period
        count = min(known, left)
        padded = turned(padded, axis, left, 2 * left - edge - places, (places >= left - count) & (places < left))
        left, last, count = left - count, total - right - 1, min(known, right)
        padded = turned(padded, axis, last, 2 * last + edge - places, (places > last) & (places <= last + count))
        right = right - count
    return padded


def turned(padded: Array, axis: int, middle: Any, sources: Array, chosen: Array) -> Any:
    """The chosen places of an axis as their sources seen from the other side of the middle."""
    places = np.where(chosen, sources, 0)
    other = 2 * np.take(padded, np.arange(middle, middle + 1), axis=axis) - np.take(padded, places, axis=axis)
    along = (*(1,) * axis, len(chosen), *(1,) * (padded.ndim - axis - 1))
    return np.where(chosen.reshape(along), other.astype(padded.dtype), padded)


def padded_by(x: Array, widths: tuple[Any, ...], function: Any, **kwargs: Any) -> Array:
    """An array with zeros around it, whose vectors along each axis a function changes in place."""
    x = with_zeros(x, widths, "empty")
    for axis, width in enumerate(widths):
        moved = np.moveaxis(x, axis, -1)
        count: Any = 1
        for size in moved.shape[:-1]:
            count = count * size
        rows = moved.reshape((count, moved.shape[-1])).copy()
        for i in range(count):
            row = rows[i].copy()
            function(row, width, axis, kwargs)
            rows[i] = row
        x = np.moveaxis(rows.reshape(moved.shape), -1, axis)
    return x


def require_elements(x: Array, axis: int, before: Any, after: Any) -> None:
    """NumPy's error for an axis without elements to go by."""
    if x.shape[axis] == 0 and (before != 0 or after != 0):
        raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")


__all__ = ["padded_by", "with_constants", "with_own", "with_ramps", "with_reflections", "with_statistics", "with_zeros"]
