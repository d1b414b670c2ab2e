"""Norms of vectors and matrices: of squares, sums, extremes and singular values."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import known, one_axis, refuse
from graph_program.extract.library.linalg.common import Array, squares

OF_MATRICES = (None, "fro", "f", "nuc", 1, -1, 2, -2, np.inf, -np.inf)
"""The orders of norms of matrices."""
WHAT = "the order of a norm"


def norm(x: Array, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """`np.linalg.norm` of vectors and matrices."""
    order, axes = known(ord, WHAT), axes_of(axis, x.ndim)
    if len(axes) == 2:
        return of_matrices(x, order, axes, keepdims)
    if len(axes) != 1 and (axis is not None or order is not None):
        refuse(ValueError, "Improper number of dimensions to norm.")
    return of_vectors(x, order, axes, keepdims)


def vector_norm(x: Array, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """`np.linalg.vector_norm`: over any number of axes."""
    axes = axes_of(axis, x.ndim)
    if len(set(axes)) != len(axes):
        refuse(ValueError, "repeated axis")
    return of_vectors(x, known(ord, WHAT), axes, keepdims)


def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """`np.linalg.matrix_norm`: over the last two axes."""
    return of_matrices(x, known(ord, WHAT), (one_axis(-2, x.ndim), one_axis(-1, x.ndim)), keepdims)


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes in their order; NumPy takes `int` of what is no tuple."""
    given = known(axis, "an axis")
    if given is None:
        return tuple(range(rank))
    if isinstance(given, tuple):
        return tuple([one_axis(a, rank) for a in given])
    try:
        place = int(given)
    except (TypeError, ValueError):
        refuse(TypeError, "'axis' must be None, an integer or a tuple of integers")
    return (one_axis(place, rank),)


def of_vectors(x: Array, ord: Any, axis: Any, keepdims: bool) -> Any:
    """The norms of the vectors along some axes."""
    if isinstance(ord, str):
        refuse(ValueError, f"Invalid norm order '{ord}' for vectors")
    x = inexact(x)
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


def of_matrices(x: Array, ord: Any, axis: Any, keepdims: bool) -> Any:
    """The norms of the matrices over two axes, counted from the front: rows, then columns."""
    if axis[0] == axis[1]:
        refuse(ValueError, "Duplicate axes given.")
    if ord not in OF_MATRICES:
        refuse(ValueError, "Invalid norm order for matrices.")
    x = inexact(x)
    if ord in (None, "fro", "f"):
        return euclidean(x, axis, keepdims)
    if ord in (2, -2, "nuc"):
        values = np.linalg.svdvals(np.moveaxis(x, axis, (-2, -1)))
        found = np.sum(values, axis=-1) if ord == "nuc" else extreme(values, ord, -1, False)
    else:
        summed, kept = axis if abs(ord) == 1 else axis[::-1]
        found = extreme(np.sum(np.abs(x), axis=summed), ord, kept - (kept > summed), False)
    return np.expand_dims(found, axis) if keepdims else found


def inexact(x: Array) -> Array:
    """Integers and truths as float64."""
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def euclidean(x: Array, axis: Any, keepdims: bool) -> Any:
    """The square root of the sum of squares."""
    return np.sqrt(np.sum(squares(x), axis=axis, keepdims=keepdims))


def extreme(sizes: Array, ord: Any, axis: Any, keepdims: bool) -> Any:
    """The largest of sizes along some axes, which is 0 where there are none, or the smallest."""
    if ord > 0:
        return np.max(sizes, axis=axis, keepdims=keepdims, initial=0)
    return np.min(sizes, axis=axis, keepdims=keepdims)
