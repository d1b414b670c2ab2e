"""Norms of vectors and matrices, of sums, extremes and singular values; axes are tuples, counted from the front."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.linalg.common import Array, squares


def norm(x: Array, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """`np.linalg.norm`."""
    return (of_matrices if len(axis) == 2 else of_vectors)(as_inexact(x), ord, axis, keepdims)


def vector_norm(x: Array, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """`np.linalg.vector_norm`: over any number of axes."""
    return of_vectors(as_inexact(x), ord, axis, keepdims)


def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """`np.linalg.matrix_norm`: over the last two axes."""
    return of_matrices(as_inexact(x), ord, (x.ndim - 2, x.ndim - 1), keepdims)


def as_inexact(x: Array) -> Array:
    """Floats of what NumPy has for no inexact numbers: whole ones, and bfloat16."""
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def euclidean(x: Array, axis: Any, keepdims: bool) -> Any:
    """The square root of the sum of squares."""
    return np.sqrt(np.sum(squares(x), axis=axis, keepdims=keepdims))


def of_vectors(x: Array, ord: Any, axis: Any, keepdims: bool = False) -> Any:
    """The norms of the vectors along some axes."""
    if ord is None or ord == 2:
        return euclidean(x, axis, keepdims)
    sizes = np.abs(x)
    if ord in (np.inf, -np.inf):
        return extreme(sizes, ord, axis, keepdims)
    if ord == 0:
        return np.sum((x != 0).astype(sizes.dtype), axis=axis, keepdims=keepdims)
    if ord == 1:
        return np.sum(sizes, axis=axis, keepdims=keepdims)
    powers = np.sum(sizes ** float(ord), axis=axis, keepdims=keepdims)
    return powers ** np.asarray(1 / ord).astype(powers.dtype)


def extreme(sizes: Array, ord: Any, axis: Any, keepdims: bool = False) -> Any:
    """The largest of sizes along some axes, which is 0 where there are none, or the smallest."""
    if ord > 0:
        return np.max(sizes, axis=axis, keepdims=keepdims, initial=0)
    return np.min(sizes, axis=axis, keepdims=keepdims)


def of_matrices(x: Array, ord: Any, axis: Any, keepdims: bool) -> Any:
    """The norms of the matrices over two axes: rows, then columns."""
    if ord is None or ord in ("fro", "f"):
        return euclidean(x, axis, keepdims)
    if ord in (2, -2, "nuc"):
        values = np.linalg.svdvals(np.moveaxis(x, axis, (-2, -1)))
        found = np.sum(values, axis=-1) if ord == "nuc" else extreme(values, ord, -1)
    else:
        summed, kept = axis if abs(ord) == 1 else axis[::-1]
        found = extreme(np.sum(np.abs(x), axis=summed), ord, kept - (kept > summed))
    return np.expand_dims(found, axis) if keepdims else found
