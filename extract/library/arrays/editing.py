"""Arrays with parts less or more: `np.delete`, `np.insert`, `np.trim_zeros`."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import flat, without_form
from graph_program.extract.library.arrays.positions import counted_axis
from graph_program.extract.library.linalg.common import rows_at

Array = np.ndarray[Any, Any]


def append(arr: Array, values: Array, axis: Any = None) -> Array:
    """`np.append`: a new, longer array."""
    return np.concatenate((arr, values), axis)


def extract(condition: Array, arr: Array) -> Array:
    """`np.extract`: the elements where a condition holds."""
    return rows_at(flat(arr), np.flatnonzero(condition))


def delete(arr: Array, obj: Any, axis: Any = None) -> Array:
    """`np.delete`."""
    x = arr.ravel() if axis is None else arr
    axis = x.ndim - 1 if axis is None else counted_axis(axis, x.ndim)
    size = x.shape[axis]
    if isinstance(obj, int | np.integer) and not isinstance(obj, bool):
        return without(x, obj, axis, size)
    if isinstance(obj, slice):
        keep = np.ones(size, np.bool_)
        keep[obj] = False
        return np.compress(keep, x, axis)
    places = np.asarray(obj)
    if places.size == 0 and not isinstance(obj, np.ndarray):
        places = places.astype(np.int64)
    if places.dtype == np.bool_:
        if places.shape != (size,):
            raise ValueError(
                f"boolean array argument obj to delete must be one dimensional and match the axis length of {size}"
            )
        return np.compress(~places, x, axis)
    keep = np.ones(size, np.bool_)
    keep[places] = False
    return np.compress(keep, x, axis)


def without(x: Array, place: Any, axis: int, size: Any) -> Array:
    """An array without one part of an axis."""
    if place < -size or place >= size:
        raise IndexError(f"index {place} is out of bounds for axis {axis} with size {size}")
    first = place + size if place < 0 else place
    kept = np.arange(size - 1)
    return np.take(x, np.where(kept < first, kept, kept + 1), axis=axis)


def insert(arr: Array, obj: Any, values: Any, axis: Any = None) -> Array:
    """`np.insert`."""
    x = arr.ravel() if axis is None else arr
    axis = x.ndim - 1 if axis is None else counted_axis(axis, x.ndim)
    size = x.shape[axis]
    if isinstance(obj, slice):
        return inserted(x, np.arange(size)[obj], values, axis)
    places = np.asarray(obj)
    if places.dtype == np.bool_:
        if places.ndim != 1:
            raise ValueError("boolean array argument obj to insert must be one dimensional")
        places = np.flatnonzero(places)
    if places.ndim > 1:
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    if places.size == 0 and not isinstance(obj, np.ndarray):
        places = places.astype(np.int64)
    if places.ndim == 0:
        return opened(x, places[()], np.moveaxis(np.array(values, dtype=x.dtype, ndmin=x.ndim), 0, axis), axis)
    if places.size == 1:
        return opened(x, places[0], np.array(values, dtype=x.dtype, ndmin=x.ndim), axis)
    return inserted(x, places, values, axis)


def opened(x: Array, place: Any, values: Array, axis: int) -> Array:
    """An array with values at one place of an axis."""
    size = x.shape[axis]
    if place < -size or place > size:
        raise IndexError(f"index {place} is out of bounds for axis {axis} with size {size}")
    first = place + size if place < 0 else place
    middle = np.zeros((*x.shape[:axis], values.shape[axis], *x.shape[axis + 1 :]), x.dtype)
    middle[...] = values
    before, behind = np.take(x, np.arange(first), axis=axis), np.take(x, np.arange(first, size), axis=axis)
    return np.concatenate((before, middle, behind), axis=axis)


def inserted(x: Array, places: Array, values: Any, axis: int) -> Array:
    """An array with one part each before several places of an axis."""
    size, count = x.shape[axis], len(places)
    places = np.where(places < 0, places + size, places)
    order = np.argsort(places, kind="stable")
    moved = np.zeros(count, np.int64)
    moved[order] = places[order] + np.arange(count)
    old = np.ones(size + count, np.bool_)
    old[moved] = False
    result = np.zeros((*x.shape[:axis], size + count, *x.shape[axis + 1 :]), x.dtype)
    before: Any = (slice(None),) * axis
    result[(*before, moved)] = values
    result[(*before, np.flatnonzero(old))] = x
    return result


def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    """`np.trim_zeros`: a part of the array, without zeros at both ends, or one."""
    if isinstance(filt, list | tuple):
        without_form(
            "GP587",
            "np.trim_zeros of a list is a list, as long as the values say",
            hint="give it an array: np.trim_zeros(np.array(items))",
        )
    filt = np.asarray(filt)
    trim = trim.lower()
    if trim not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    axes = tuple(range(filt.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    axes = tuple([counted_axis(a, filt.ndim) for a in axes])
    if len(axes) == 0:
        return filt
    there = filt != 0
    limits: tuple[Any, ...] = ()
    for i, _ in enumerate(filt.shape):
        hit = there.any(axis=tuple([k for k, _ in enumerate(filt.shape) if k != i]))
        first, last = first_and_last(hit, trim)
        limits = (*limits, slice(first, last) if i in axes else slice(None))
    return filt[limits]


def first_and_last(hit: Array, trim: str) -> tuple[Any, Any]:
    """Where truths begin and where they end, or the array does; nothing for none."""
    if not hit.any():
        return 0, 0
    first = int(np.argmax(hit)) if "f" in trim else 0
    return first, len(hit) - int(np.argmax(hit[::-1])) if "b" in trim else len(hit)


__all__ = ["append", "delete", "extract", "insert", "trim_zeros"]
