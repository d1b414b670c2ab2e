"""`interpolate`: spatial axes resized to the nearest elements or by interpolation, with PyTorch's parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.tensor_api import fused
from graph_program.tensor_api.nn.common import Array, each, require_floats, widened
from graph_program.tensor_api.nn.pooling import adaptive

RANKS = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}
"""The modes of interpolation, with the number of spatial axes."""
CUBIC = -0.75
"""PyTorch's parameter of Keys' cubic convolution."""


def interpolate(
    input: Array,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Array:
    """The spatial axes of [batch, channels, ...] in other sizes.

    Parameters
    ----------
    size : int or tuple of int
        The sizes; or `scale_factor`.
    scale_factor : float or tuple of float
        What sizes are multiplied by; they are rounded down.
    mode : str
        "nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic" or "area".
    align_corners : bool, optional
        Whether the middles of the corners coincide, or the corners (the default, `half_pixel`).
    recompute_scale_factor : bool, optional
        Whether places follow the rounded sizes, not `scale_factor`.
    antialias : bool
        False.

    Raises
    ------
    ValueError
        For sizes and modes that do not fit.
    """
    rank = input.ndim - 2
    if antialias:
        raise NotImplementedError("interpolate: antialias=True")
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate: only one of size or scale_factor should be defined")
    if mode in RANKS and rank != RANKS[mode]:
        raise ValueError(f"interpolate: mode {mode!r} is for {RANKS[mode]} spatial axes, got {rank}")
    if mode not in RANKS and mode not in ("nearest", "nearest-exact", "area"):
        raise ValueError(f"interpolate: no such mode: {mode!r}")
    if mode not in RANKS and align_corners is not None:
        raise ValueError("interpolate: align_corners is for modes that interpolate")
    sizes, steps = sizes_and_steps(input.shape[2:], size, scale_factor, rank, recompute_scale_factor)
    if mode == "area":
        return adaptive(input, sizes, False, rank)
    if mode in ("nearest", "nearest-exact"):
        return nearest(input, sizes, steps, 0.0 if mode == "nearest" else 0.5)
    require_floats("interpolate", input)
    x = widened(input)
    if mode == "bilinear" and steps == (None, None):
        return fused.resize(x, sizes, bool(align_corners)).astype(input.dtype)
    for i, (out, step) in enumerate(zip(sizes, steps, strict=True)):
        apart = step if step is None or mode == "bicubic" else unless_equal(x.shape[2 + i], out, step)
        places = fused.source_places(x.shape[2 + i], out, apart, bool(align_corners), x.dtype)
        x = cubic(x, 2 + i, places) if mode == "bicubic" else fused.between(x, 2 + i, places)
    return x.astype(input.dtype)


def sizes_and_steps(old: Any, size: Any, scale_factor: Any, rank: int, recompute: Any) -> Any:
    """The new sizes, and how far apart in the old axis their elements are; None for what follows from the sizes."""
    if size is not None:
        return each(size, rank, "size"), (None,) * rank
    factors = each(scale_factor, rank, "scale_factor")
    sizes = tuple([int(n * factor) for n, factor in zip(old, factors, strict=True)])
    return sizes, (None,) * rank if recompute else tuple([1.0 / factor for factor in factors])


def nearest(x: Array, sizes: Any, steps: Any, middle: Any) -> Array:
    """The elements at the places that new ones are nearest to, counted from their starts or from their middles."""
    for i, (out, step) in enumerate(zip(sizes, steps, strict=True)):
        n = x.shape[2 + i]
        # PyTorch copies an axis whose size stays as it is only for pictures
        apart = unless_equal(n, out, step) if len(sizes) == 2 and middle == 0 and step is not None else step
        ratio = np.float32(n) / np.float32(out) if apart is None else np.float32(apart)
        places = np.floor((np.arange(out).astype(np.float32) + np.float32(middle)) * ratio).astype(np.int64)
        x = np.take(x, np.minimum(places, n - 1), axis=2 + i, mode="clip")
    return x


def unless_equal(old: Any, new: Any, step: Any) -> Any:
    """The step between places; 1 along an axis whose size stays as it is, whatever the factor was."""
    return 1.0 if old == new else step


def cubic(x: Array, axis: int, places: Any) -> Array:
    """Along an axis, by Keys' cubic convolution of the four nearest elements."""
    n = x.shape[axis]
    low = np.floor(places)
    t = places - low
    start = low.astype(np.int64)
    weights = (far(t + 1), near(t), near(1 - t), far(2 - t))
    total = np.zeros((*x.shape[:axis], places.shape[0], *x.shape[axis + 1 :]), x.dtype)
    for k, weight in enumerate(weights):
        taken = np.take(x, np.minimum(np.maximum(start + (k - 1), 0), n - 1), axis=axis, mode="clip")
        total = total + taken * weight.reshape(-1, *(1,) * (x.ndim - 1 - axis))
    return total


def near(t: Any) -> Any:
    """The kernel at distances up to 1."""
    return ((CUBIC + 2) * t - (CUBIC + 3)) * t * t + 1


def far(t: Any) -> Any:
    """The kernel at distances from 1 to 2."""
    return ((CUBIC * t - 5 * CUBIC) * t + 8 * CUBIC) * t - 4 * CUBIC


__all__ = ["interpolate"]
