"""Positions of elements, orders of rows, and choices by position."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import refuse

Array = np.ndarray[Any, Any]


def counted_axis(axis: int, rank: int) -> int:
    """An axis counted from 0."""
    if not -rank <= axis < rank:
        raise np.exceptions.AxisError(axis, rank)
    return axis % rank


def tril_indices(n: Any, k: Any = 0, m: Any = None) -> Any:
    """`np.tril_indices`."""
    return np.nonzero(np.tri(n, m, k=k, dtype=np.bool_))


def triu_indices(n: Any, k: Any = 0, m: Any = None) -> Any:
    """`np.triu_indices`."""
    return np.nonzero(~np.tri(n, m, k=k - 1, dtype=np.bool_))


def tril_indices_from(arr: Array, k: Any = 0) -> Any:
    """`np.tril_indices_from`."""
    require_matrix(arr)
    return tril_indices(arr.shape[-2], k, arr.shape[-1])


def triu_indices_from(arr: Array, k: Any = 0) -> Any:
    """`np.triu_indices_from`."""
    require_matrix(arr)
    return triu_indices(arr.shape[-2], k, arr.shape[-1])


def require_matrix(arr: Array) -> None:
    """NumPy's error for other ranks."""
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")


def diag_indices(n: Any, ndim: int = 2) -> Any:
    """`np.diag_indices`."""
    return (np.arange(n),) * ndim


def diag_indices_from(arr: Array) -> Any:
    """`np.diag_indices_from`."""
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    for size in arr.shape[1:]:
        if size != arr.shape[0]:
            raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim)


def mask_indices(n: Any, mask_func: Any, k: Any = 0) -> Any:
    """`np.mask_indices`."""
    return np.nonzero(mask_func(np.ones((n, n), np.int64), k) != 0)


def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Any:
    """`np.ravel_multi_index`: the position of elements given by their indices."""
    sizes = dims if isinstance(dims, tuple | list) else (dims,)
    if len(multi_index) != len(sizes):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(sizes)}")
    if order not in ("C", "F"):
        raise ValueError("only 'C' or 'F' order is permitted")
    modes = mode if isinstance(mode, tuple | list) else (mode,) * len(sizes)
    position: Any = 0
    axes = range(len(sizes)) if order == "C" else range(len(sizes) - 1, -1, -1)
    for i in axes:
        position = position * sizes[i] + inside(np.asarray(multi_index[i]), sizes[i], modes[i])
    return position


def inside(index: Array, size: Any, mode: str) -> Any:
    """Indices below a size."""
    if index.dtype.kind not in "iu" and index.size != 0:
        raise TypeError("only int indices permitted")
    index = index.astype(np.int64)
    if mode == "wrap":
        return index % size
    if mode == "clip":
        return np.clip(index, 0, size - 1)
    if ((index < 0) | (index >= size)).any():
        raise ValueError("invalid entry in coordinates array")
    return index + 0


def chosen(a: Array, choices: Any, mode: str) -> Any:
    """`np.choose`, for choices along a first axis: elements of one of them, by position."""
    count = len(choices)
    if count == 0:
        raise ValueError("0-length sequence.")
    if mode == "wrap":
        a = a % count
    elif mode == "clip":
        a = np.clip(a, 0, count - 1)
    elif ((a < 0) | (a >= count)).any():
        raise ValueError("invalid entry in choice array")
    rank = max(a.ndim, choices.ndim - 1)
    missing = (1,) * (rank - choices.ndim + 1)
    wide = choices.reshape((count, *missing, *choices.shape[1:]))
    shape = np.broadcast_shapes(a.shape, choices.shape[1:])
    places = np.broadcast_to(a, shape)[np.newaxis].astype(np.int64)
    return np.take_along_axis(np.broadcast_to(wide, (count, *shape)), places, axis=0)[0]


def lexsort(keys: Any, axis: int = -1) -> Any:
    """`np.lexsort`: the order by the last key, then by the one before it."""
    if len(keys) == 0:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    order = np.argsort(np.asarray(keys[0]), axis=axis, kind="stable")
    for key in keys[1:]:
        values = np.asarray(key)
        if values.shape != order.shape:
            raise ValueError("all keys need to be the same shape")
        by = np.argsort(np.take_along_axis(values, order, axis=axis), axis=axis, kind="stable")
        order = np.take_along_axis(order, by, axis=axis)
    return order


def ix_(*args: Array) -> tuple[Array, ...]:
    """`np.ix_`: vectors along axes of their own; masks are positions."""
    for x in args:
        if x.ndim != 1:
            refuse(ValueError, "Cross index must be 1 dimensional")
    vectors = [np.flatnonzero(x) if x.dtype == np.bool_ else x for x in args]
    return tuple(
        [np.expand_dims(x, tuple([i for i in range(len(args)) if i != axis])) for axis, x in enumerate(vectors)]
    )


def compress(condition: Array, a: Array, axis: Any = None, out: None = None) -> Array:
    """`np.compress`: the slices where a one-dimensional condition holds."""
    if condition.ndim != 1:
        refuse(ValueError, "condition must be a 1-d array")
    return np.take(a, np.flatnonzero(condition), axis)


__all__ = [
    "chosen",
    "compress",
    "counted_axis",
    "diag_indices",
    "diag_indices_from",
    "ix_",
    "lexsort",
    "mask_indices",
    "ravel_multi_index",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
]
