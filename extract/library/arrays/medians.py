"""Medians, ranges and elements in order along axes, as programs over NumPy: extracted like a user's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import known, may_be_empty, of_sizes, reduced_axes, selected
from graph_program.extract.library.linalg.common import rows_at

Array = np.ndarray[Any, Any]


def median(a: Array, axis: Any = None, out: None = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    """`np.median`: the middle of the sorted elements, or the mean of the two; NaN if any is, or if there are none."""
    axes = reduced_axes(axis, a.ndim, False, True)
    kind, target = a.dtype.kind, np.dtype(np.float64) if a.dtype.kind in "biu" else a.dtype
    wide = np.dtype(np.float32) if a.dtype == np.float16 else target
    x = a.astype(target) if kind == "b" or (kind in "iu" and may_be_empty(a, axes)) else a
    ordered, count = sorted_last(x, axes)
    before = of_sizes("-", count, 1)
    places = of_sizes("//", before, 2), of_sizes("//", count, 2)
    low, high = rows_at(ordered, places[0], -1), rows_at(ordered, places[1], -1)
    middle = np.divide(np.add(low.astype(wide), high.astype(wide)), 2).astype(target)
    found = selected(places[0] == places[1], low.astype(target), middle)
    if x.dtype.kind == "f":
        largest = rows_at(ordered, before, -1)
        found = np.where(np.isnan(largest), largest.astype(target), found)
    return restored(found, axes, keepdims)


def nanmedian(
    a: Array, axis: Any = None, out: None = None, overwrite_input: bool = False, keepdims: bool = False
) -> Any:
    """`np.nanmedian`: the middle of what is not NaN, or the mean of the two; NaN only where all elements are."""
    if a.dtype.kind != "f":
        return median(a, axis, keepdims=keepdims)
    axes = reduced_axes(axis, a.ndim, False, True)
    ordered, _ = sorted_last(a, axes)
    there = np.sum(~np.isnan(ordered), axis=-1, keepdims=True)
    left = np.take_along_axis(ordered, np.maximum(there - 1, 0) // 2, -1)[..., 0]
    right = np.take_along_axis(ordered, np.minimum(there // 2, ordered.shape[-1] - 1), -1)[..., 0]
    return restored(np.where(left == right, left, (left + right) / 2), axes, keepdims)


def ptp(a: Array, axis: Any = None, out: None = None, keepdims: bool = False) -> Any:
    """`np.ptp`: largest minus smallest."""
    reduced_axes(axis, a.ndim)
    return np.subtract(np.max(a, axis, keepdims=keepdims), np.min(a, axis, keepdims=keepdims))


def sorted_last(x: Array, axes: tuple[int, ...]) -> tuple[Array, int]:
    """The elements along some axes, sorted along one last axis, and how many there are."""
    if not axes:
        return x[..., np.newaxis], 1
    kept = [i for i in range(x.ndim) if i not in axes]
    moved = np.transpose(x, (*kept, *axes))
    count = 1
    for size in moved.shape[len(kept) :]:
        count = of_sizes("*", count, size)
    ordered = np.sort(moved if len(axes) == 1 else moved.reshape((*moved.shape[: len(kept)], count)))
    if x.dtype.kind == "f" and may_be_empty(x, axes):
        # A NaN at the end is what position -1 of no elements finds.
        column = np.full((*ordered.shape[: len(kept)], 1), np.nan, x.dtype)
        ordered = np.concatenate((ordered, column), axis=-1)
    return ordered, count


def restored(found: Array, axes: tuple[int, ...], keepdims: bool) -> Any:
    """A result with dims of size 1 where they are to stay; a number without axes."""
    if known(keepdims, "keepdims") and axes:
        return np.expand_dims(found, axes)
    return found if found.ndim else found[()]


__all__ = ["median", "nanmedian", "ptp", "sorted_last"]
