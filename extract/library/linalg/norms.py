"""Norms of vectors and matrices other than Euclidean ones, of sums, extremes and singular values."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.linalg.common import Array


def of_vectors(x: Array, ord: Any, axis: Any, keepdims: bool) -> Any:
    """The norms of the vectors along some axes."""
    sizes = np.abs(x)
    if ord in (np.inf, -np.inf):
        return extreme(sizes, ord, axis, keepdims)
    if ord == 0:
        return np.sum((x != 0).astype(sizes.dtype), axis=axis, keepdims=keepdims)
    if ord == 1:
        return np.sum(sizes, axis=axis, keepdims=keepdims)
    powers = np.sum(sizes ** float(ord), axis=axis, keepdims=keepdims)
    return powers ** np.asarray(1 / ord).astype(powers.dtype)


def of_matrices(x: Array, ord: Any, axis: Any, keepdims: bool) -> Any:
    """The norms of the matrices over two axes, counted from the front: rows, then columns."""
    if ord in (2, -2, "nuc"):
        values = np.linalg.svdvals(np.moveaxis(x, axis, (-2, -1)))
        found = np.sum(values, axis=-1) if ord == "nuc" else extreme(values, ord, -1, False)
    else:
        summed, kept = axis if abs(ord) == 1 else axis[::-1]
        found = extreme(np.sum(np.abs(x), axis=summed), ord, kept - (kept > summed), False)
    return np.expand_dims(found, axis) if keepdims else found


def extreme(sizes: Array, ord: Any, axis: Any, keepdims: bool) -> Any:
    """The largest of sizes along some axes, which is 0 where there are none, or the smallest."""
    if ord > 0:
        return np.max(sizes, axis=axis, keepdims=keepdims, initial=0)
    return np.min(sizes, axis=axis, keepdims=keepdims)
