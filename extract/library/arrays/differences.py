"""Neighbours in arrays, and lines through points, as programs over NumPy: extracted like a user's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import (
    flat,
    known,
    known_int,
    last_place,
    listed_axes,
    one_axis,
    raise_where,
    refuse,
    without_form,
)
from graph_program.extract.library.arrays.gradients import gradient_along
from graph_program.extract.library.arrays.signals import periodic
from graph_program.extract.library.linalg.common import rows_at

Array = np.ndarray[Any, Any]


def part(x: Array, axis: int, start: int | None, stop: int | None) -> Array:
    """`x[start:stop]` along an axis."""
    found: Array = x[(*(slice(None),) * axis, slice(start, stop))]
    return found


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """`np.diff`: differences of neighbours, n times."""
    times = known_int(n, "the order of a difference")
    if times == 0:
        return a
    if times < 0:
        refuse(ValueError, f"order must be non-negative but got {times}")
    x = np.asarray(a)
    if x.ndim == 0:
        refuse(ValueError, "diff requires input that is at least one dimensional")
    i = one_axis(axis, x.ndim)
    parts = [x if v is x else wide(v, x, i) for v in (prepend, x, append) if v is not None]
    x = np.concatenate(parts, axis=i) if len(parts) > 1 else x
    for _ in (None,) * times:
        later, earlier = part(x, i, 1, None), part(x, i, None, -1)
        x = np.not_equal(later, earlier) if x.dtype.kind == "b" else np.subtract(later, earlier)
    return x


def wide(value: Any, x: Array, axis: int) -> Array:
    """What goes beside an array: a number as a slice of it."""
    end = np.asarray(value)
    return end if end.ndim else np.broadcast_to(end, [1 if k == axis else x.shape[k] for k in range(x.ndim)])


def ediff1d(ary: Array, to_end: Array | None = None, to_begin: Array | None = None) -> Array:
    """`np.ediff1d`: differences of the flattened array."""
    x = flat(ary)
    middle = np.subtract(x[1:], x[:-1])
    for name, value in (("to_begin", to_begin), ("to_end", to_end)):
        if value is not None and not np.can_cast(value.dtype, x.dtype, "same_kind"):
            text = f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
            refuse(TypeError, text)
    first = () if to_begin is None else (flat(to_begin.astype(x.dtype)),)
    last = () if to_end is None else (flat(to_end.astype(x.dtype)),)
    return np.concatenate((*first, middle, *last)) if first or last else middle


def trapezoid(y: Array, x: Array | None = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """`np.trapezoid`: the area under a line through points."""
    i = one_axis(axis, y.ndim)
    width = dx
    if x is not None:
        width = diff(x, axis=0 if x.ndim == 1 else i)
        if x.ndim == 1 and y.ndim > 1:
            width = np.expand_dims(width, tuple([k for k in range(y.ndim) if k != i]))
    pairs = np.add(part(y, i, 1, None), part(y, i, None, -1))
    return np.sum(np.divide(np.multiply(width, pairs), 2.0), i)


def gradient(f: Array, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """`np.gradient`: central differences, one-sided at the ends."""
    if f.dtype.kind == "b":
        np.subtract(f, f)  # refused in NumPy's words
    x = f if f.dtype.kind in "fc" else f.astype(np.float64)
    axes = tuple(range(x.ndim)) if axis is None else listed_axes(axis, x.ndim)
    order = known(edge_order, "the edge order")
    if order > 2:
        refuse(ValueError, "'edge_order' greater than 2 not supported")
    if len(varargs) not in (0, 1, len(axes)):
        without_form("GP302", "invalid number of arguments")
    spacings = varargs if len(varargs) == len(axes) else (varargs or (1.0,)) * len(axes)
    found = [gradient_over(x, i, h, order) for i, h in zip(axes, spacings, strict=True)]
    return found[0] if len(found) == 1 else tuple(found)


def gradient_over(x: Array, axis: int, spacing: Any, order: int) -> Array:
    """The gradient along one axis; by operations where the points are known to be evenly spaced."""
    if np.ndim(spacing) or order == 2:
        places = np.asarray(spacing) if np.ndim(spacing) else np.asarray(spacing).astype(np.result_type(x, spacing))
        return gradient_along(x, places, axis, order)
    text = "Shape of array too small to calculate a numerical gradient, "
    raise_where(x.shape[axis] < 2, ValueError, text, "at least (edge_order + 1) elements are required.")
    middle = np.divide(np.subtract(part(x, axis, 2, None), part(x, axis, None, -2)), 2.0 * spacing)
    first = np.subtract(part(x, axis, 1, 2), part(x, axis, 0, 1))
    last = np.subtract(part(x, axis, -1, None), part(x, axis, -2, -1))
    parts = (np.divide(first, spacing), middle, np.divide(last, spacing))
    return np.concatenate([p.astype(x.dtype) for p in parts], axis=axis)


def interp(x: Array, xp: Array, fp: Array, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """`np.interp`: linear between points, constant beyond them; in float64."""
    points, knots, heights = x.astype(np.float64), xp.astype(np.float64), fp.astype(np.float64)
    if period is not None:
        left = right = None
        points, knots, heights = periodic(points, knots, heights, period)
    for table in (knots, heights):
        if table.ndim != 1:
            refuse(ValueError, f"object {'too deep' if table.ndim else 'of too small depth'} for desired array")
    raise_where(len(knots) == 0, ValueError, "array of sample points is empty")
    raise_where(len(knots) != len(heights), ValueError, "fp and xp are not of the same length.")
    last = last_place(knots)
    low = np.minimum(np.maximum(np.searchsorted(knots, points, "right") - 1, 0), last)
    high = np.minimum(low + 1, last)
    x0, y0, x1, y1 = rows_at(knots, low), rows_at(heights, low), rows_at(knots, high), rows_at(heights, high)
    same = low == high
    slope = (y1 - y0) / np.where(same, 1.0, x1 - x0)
    found = np.where(same | (points == x0), y0, slope * (points - x0) + y0)
    below = rows_at(heights, 0) if left is None else np.asarray(left).astype(np.float64)
    above = rows_at(heights, last) if right is None else np.asarray(right).astype(np.float64)
    found = np.where(points < rows_at(knots, 0), below, found)
    found = np.where(points > rows_at(knots, last), above, found)
    found = np.where(np.isnan(points), points, found)
    return found if found.ndim else found[()]


__all__ = ["diff", "ediff1d", "gradient", "interp", "trapezoid"]
