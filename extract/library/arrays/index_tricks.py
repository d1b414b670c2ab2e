"""`np.mgrid`, `np.ogrid`, `np.r_` and `np.c_` as programs over NumPy: extracted like a user's own functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def dense(keys: tuple[slice, ...]) -> Array:
    """`np.mgrid` of several slices."""
    dtype = element_type(keys)
    vectors = [along(key, dtype).astype(dtype) for key in keys]
    return np.stack(np.meshgrid(*vectors, indexing="ij"))


def sparse(keys: tuple[slice, ...]) -> tuple[Array, ...]:
    """`np.ogrid` of several slices."""
    dtype = element_type(keys)
    return np.meshgrid(*[along(key, dtype) for key in keys], indexing="ij", sparse=True)


def line(key: slice) -> Array:
    """One slice outside a tuple: `arange`, or `linspace` for a step such as `5j`."""
    start = 0 if key.start is None else key.start
    if isinstance(key.step, complex):
        return np.linspace(start, key.stop, int(abs(key.step)))
    return np.arange(start, key.stop, 1 if key.step is None else key.step)


def element_type(keys: tuple[slice, ...]) -> Any:
    """The type that holds the bounds and steps of all axes."""
    dtype = np.result_type(0)
    for key in keys:
        start, step = 0 if key.start is None else key.start, 1 if key.step is None else key.step
        dtype = np.result_type(dtype, start, key.stop, abs(step))
    return dtype


def along(key: slice, dtype: Any) -> Array:
    """The numbers along one axis; `step` points from `start` to `stop` where it is imaginary."""
    start = 0 if key.start is None else key.start
    if isinstance(key.step, complex):
        points = int(abs(key.step))
        gap = (key.stop - start) / float(points - 1) if points != 1 else 1
        return np.arange(points).astype(dtype) * gap + start
    step = 1 if key.step is None else key.step
    count = -((start - key.stop) // step) if whole(start, key.stop, step) else math.ceil((key.stop - start) / step)
    if count < 0:
        raise ValueError("negative dimensions are not allowed")
    return np.arange(count).astype(dtype) * step + start


def whole(start: Any, stop: Any, step: Any) -> bool:
    """Whether a slice is one of Python integers."""
    return isinstance(start, int) and isinstance(stop, int) and isinstance(step, int)


def joined(parts: tuple[Any, ...]) -> Array:
    """`np.r_`: numbers, slices and arrays one after the other."""
    pieces = [line(p) if isinstance(p, slice) else p for p in parts]
    dtype = np.result_type(*pieces)
    return np.concatenate([np.atleast_1d(np.asarray(p, dtype)) for p in pieces])


def columns(parts: tuple[Any, ...]) -> Array:
    """`np.c_`: numbers, slices and arrays side by side, vectors being columns."""
    pieces = [line(p) if isinstance(p, slice) else p for p in parts]
    dtype = np.result_type(*pieces)
    return np.concatenate([upright(np.asarray(p, dtype)) for p in pieces], axis=-1)


def upright(part: Any) -> Array:
    """A vector as a column; arrays of more axes stay."""
    x = np.atleast_1d(part)
    return x[:, None] if x.ndim == 1 else x


def places(shape: tuple[int, ...], dtype: Any) -> tuple[Array, ...]:
    """The positions along each axis, as `np.indices` gives them."""
    positions = np.indices(shape, dtype=dtype)
    return tuple([positions[k] for k in range(len(shape))])


__all__ = ["columns", "dense", "joined", "line", "places", "sparse"]
