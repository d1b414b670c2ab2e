"""Functions applied to parts of arrays: `np.apply_along_axis`, `np.apply_over_axes`, `np.piecewise`."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arrays.positions import counted_axis

Array = np.ndarray[Any, Any]


def apply_along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """`np.apply_along_axis`: the results for all vectors along an axis, in its place."""
    arr = np.asarray(arr)
    axis = counted_axis(axis, arr.ndim)
    moved = np.moveaxis(arr, axis, -1)
    count = 1
    for size in moved.shape[:-1]:
        count *= size
    if count == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    results = []
    for row in moved.reshape((count, moved.shape[-1])):
        results.append(np.asarray(func1d(row, *args, **kwargs)))
    stacked = np.stack(results)
    found = stacked.reshape((*moved.shape[:-1], *stacked.shape[1:]))
    rank = stacked.ndim - 1
    return np.moveaxis(found, tuple(range(arr.ndim - 1, found.ndim)), tuple(range(axis, axis + rank)))


def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    """`np.apply_over_axes`: a function for one axis after the other, which keep their places."""
    found = np.asarray(a)
    rank = found.ndim
    for axis in axes if isinstance(axes, tuple | list) else (axes,):
        place = rank + axis if axis < 0 else axis
        result = func(found, place)
        if result.ndim != found.ndim:
            result = np.expand_dims(result, place)
            if result.ndim != found.ndim:
                raise ValueError("function is not returning an array of the correct shape")
        found = result
    return found


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """`np.piecewise`: functions of the elements for which conditions hold, or numbers."""
    x = np.asarray(x)
    if np.isscalar(condlist) or (not isinstance(condlist[0], list | np.ndarray) and x.ndim != 0):
        condlist = [condlist]
    count, pieces = len(condlist), len(funclist)
    if count != pieces and count != pieces - 1:
        raise ValueError(f"with {count} condition(s), either {count} or {count + 1} functions are expected")
    conditions = [np.asarray(condition, dtype=np.bool_) for condition in condlist]
    if count == pieces - 1:
        conditions.append(~np.any(np.stack(conditions), axis=0))
    y = np.zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        if not callable(function):
            y[condition] = function
        else:
            values = x[condition]
            if values.size > 0:
                y[condition] = function(values, *args, **kw)
    return y


__all__ = ["apply_along_axis", "apply_over_axes", "piecewise"]
