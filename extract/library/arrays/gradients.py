"""`np.gradient` over points at any distances, with first or second order at the ends."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def gradient_along(f: Array, spacing: Array, axis: int, order: int) -> Array:
    """The gradient along an axis; `spacing` is a distance, or the places of the points."""
    x = np.moveaxis(f, axis, -1)
    steps = spacing if spacing.ndim == 0 else distances(spacing, x.shape[-1])
    if steps.ndim and not len(steps):
        raise IndexError("index 0 is out of bounds for axis 0 with size 0")
    if x.shape[-1] < order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, "
            "at least (edge_order + 1) elements are required."
        )
    if steps.ndim == 0:
        found = even(x, steps, order)
    elif (steps == steps[0]).all():
        found = even(x, steps[0], order)
    else:
        found = uneven(x, steps, order)
    return np.moveaxis(found.astype(f.dtype), -1, axis)


def distances(places: Array, count: Any) -> Array:
    """The distances of points at given places."""
    if places.ndim != 1:
        raise ValueError("distances must be either scalars or 1d")
    if len(places) != count:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    return np.diff(places.astype(np.float64) if places.dtype.kind in "iu" else places)


def even(x: Array, h: Any, order: int) -> Array:
    """Central differences of points at one distance."""
    middle = (x[..., 2:] - x[..., :-2]) / (2.0 * h)
    if order == 1:
        return joined((x[..., 1] - x[..., 0]) / h, middle, (x[..., -1] - x[..., -2]) / h)
    first = -1.5 / h * x[..., 0] + 2.0 / h * x[..., 1] + -0.5 / h * x[..., 2]
    last = 0.5 / h * x[..., -3] + -2.0 / h * x[..., -2] + 1.5 / h * x[..., -1]
    return joined(first, middle, last)


def uneven(x: Array, steps: Array, order: int) -> Array:
    """Differences weighted so that they are of second order."""
    left, right = steps[:-1], steps[1:]
    before = -right / (left * (left + right))
    here = (right - left) / (left * right)
    behind = left / (right * (left + right))
    middle = before * x[..., :-2] + here * x[..., 1:-1] + behind * x[..., 2:]
    if order == 1:
        return joined((x[..., 1] - x[..., 0]) / steps[0], middle, (x[..., -1] - x[..., -2]) / steps[-1])
    p, q = steps[0], steps[1]
    first = -(2.0 * p + q) / (p * (p + q)) * x[..., 0] + (p + q) / (p * q) * x[..., 1] - p / (q * (p + q)) * x[..., 2]
    p, q = steps[-2], steps[-1]
    last = q / (p * (p + q)) * x[..., -3] - (q + p) / (p * q) * x[..., -2] + (2.0 * q + p) / (q * (p + q)) * x[..., -1]
    return joined(first, middle, last)


def joined(first: Any, middle: Array, last: Any) -> Array:
    """Both ends and what lies between."""
    return np.concatenate((np.asarray(first)[..., np.newaxis], middle, np.asarray(last)[..., np.newaxis]), axis=-1)


__all__ = ["gradient_along"]
