"""Numbers in a row, triangles and coordinates, as programs over NumPy: extracted like a user's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import known, refuse, without_form

Array = np.ndarray[Any, Any]
FAR = 2**62
"""No array has so many rows or columns: diagonals beyond are all outside."""


def logspace(
    start: Any, stop: Any, num: Any = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None, axis: int = 0
) -> Any:
    """`np.logspace`: `base ** linspace(start, stop)`."""
    found = np.power(base, np.linspace(start, stop, num, endpoint, axis=axis))
    return found if dtype is None else found.astype(dtype)


def tril(m: Array, k: Any = 0) -> Array:
    """`np.tril`: zeros above a diagonal."""
    return np.where(triangle(m, k), m, m.dtype.type(0))


def triu(m: Array, k: Any = 0) -> Array:
    """`np.triu`: zeros below a diagonal."""
    return np.where(triangle(m, max(k, -FAR) - 1), m.dtype.type(0), m)


def triangle(x: Array, k: Any) -> Array:
    """The lower triangle of the last two axes of an array."""
    if x.ndim == 0:
        without_form("GP302", "tri() missing 1 required positional argument: 'N'")
    rows, columns = x.shape[-2:] if x.ndim > 1 else (len(x), len(x))
    return np.tri(rows, columns, k=k, dtype=np.bool_)


def diag(v: Array, k: int = 0) -> Array:
    """`np.diag`: the matrix with a diagonal, or the diagonal of a matrix."""
    if v.ndim == 2:
        return np.diagonal(v, k)
    if v.ndim != 1:
        refuse(ValueError, "Input must be 1- or 2-d.")
    offset = known(k, "the diagonal")
    padded = np.concatenate((v, np.zeros(abs(offset), v.dtype))) if offset else v
    values = padded[:, np.newaxis] if offset >= 0 else padded[np.newaxis]
    return np.where(np.eye(len(padded), k=offset, dtype=np.bool_), values, v.dtype.type(0))


def trace(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: None = None) -> Any:
    """`np.trace`: the sum of a diagonal."""
    return np.sum(np.diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


def diagflat(v: Array, k: int = 0) -> Array:
    """`np.diagflat`: the matrix with the elements on a diagonal."""
    return diag(v.reshape(-1), k)


def meshgrid(*xi: Array, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Array, ...]:
    """`np.meshgrid`: coordinate arrays over a grid."""
    if known(indexing, "the indexing of meshgrid") not in ("xy", "ij"):
        refuse(ValueError, "Valid values for `indexing` are 'xy' and 'ij'.")
    rank = len(xi)
    places = [1, 0, *range(2, rank)] if indexing == "xy" and rank > 1 else list(range(rank))
    vectors = [x.reshape(-1) for x in xi]
    grid = [
        np.expand_dims(v, tuple([i for i in range(rank) if i != p])) if rank > 1 else v
        for v, p in zip(vectors, places, strict=True)
    ]
    if known(sparse, "sparse"):
        return tuple([v.copy() for v in grid])
    sizes = [len(vectors[places[i]]) for i in range(rank)]
    return tuple([np.broadcast_to(v, sizes).copy() for v in grid])


def indices(dimensions: Any, dtype: Any = None, sparse: bool = False) -> Any:
    """`np.indices`: the position of each element along each axis."""
    dtype = np.dtype(np.int64) if dtype is None else dtype
    vectors = [np.arange(size).astype(dtype) for size in dimensions]
    grid = meshgrid(*vectors, sparse=sparse, indexing="ij")
    if sparse:
        return grid
    return np.stack(grid) if vectors else np.zeros((0,), dtype)


__all__ = ["diag", "diagflat", "indices", "logspace", "meshgrid", "trace", "tril", "triu"]
