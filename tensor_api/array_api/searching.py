"""Functions that search, sort and count: positions, orders and sets."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from graph_program.tensor_api.array_api.array import Array, Scalar, elements, operands, wrap
from graph_program.tensor_api.array_api.dtypes import BOOL, INTEGER, NUMERIC, REAL

Axes = int | tuple[int, ...]


class UniqueAll(NamedTuple):
    """Each value once, where it is first, which one each element is, and how often it is there."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """Each value once, and how often it is there."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """Each value once, and which one each element is."""

    values: Array
    inverse_indices: Array


def argmax(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """The index of the first greatest element along an axis, or of all elements in one row."""
    return wrap(np.argmax(elements("argmax", x, REAL), axis=axis, keepdims=keepdims))


def argmin(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """The index of the first smallest element along an axis, or of all elements in one row."""
    return wrap(np.argmin(elements("argmin", x, REAL), axis=axis, keepdims=keepdims))


def count_nonzero(x: Array, /, *, axis: Axes | None = None, keepdims: bool = False) -> Array:
    """How many elements are not 0 or false."""
    return wrap(np.count_nonzero(elements("count_nonzero", x), axis=axis, keepdims=keepdims))


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """The indices of the elements that are not 0 or false, an array for each axis."""
    if x.ndim == 0:
        raise ValueError("nonzero() takes arrays with at least one dimension")
    return tuple([Array(i) for i in np.nonzero(elements("nonzero", x))])


def searchsorted(
    x1: Array, x2: Array | int | float, /, *, side: Literal["left", "right"] = "left", sorter: Array | None = None
) -> Array:
    """Where elements go into a row that is in order, before equal ones or (`side="right"`) after them."""
    row, sought = operands("searchsorted", x1, x2, REAL)
    if sorter is not None:
        row = np.take(row, elements("searchsorted", sorter, INTEGER))
    return wrap(np.searchsorted(row, sought, side=side))


def where(condition: Array, x1: Array | Scalar, x2: Array | Scalar, /) -> Array:
    """Elements of `x1` where the condition is true, of `x2` elsewhere."""
    chosen = elements("where", condition, BOOL)
    a, b = operands("where", x1, x2)
    return wrap(np.where(chosen, a, b))


def isin(x1: Array | int, x2: Array | int, /, *, invert: bool = False) -> Array:
    """Whether each element of `x1` is one of `x2`."""
    a, b = operands("isin", x1, x2)
    dtype = np.result_type(a, b)
    return wrap(np.isin(np.asarray(a, dtype=dtype), np.asarray(b, dtype=dtype), invert=invert))


def unique_all(x: Array, /) -> UniqueAll:
    """The different values in order, each NaN a value of its own."""
    array = elements("unique_all", x)
    values, first, inverse, counts = np.unique(
        array, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    return UniqueAll(Array(values), Array(first), Array(inverse.reshape(array.shape)), Array(counts))


def unique_counts(x: Array, /) -> UniqueCounts:
    """The different values in order, each NaN a value of its own, and how often each is there."""
    values, counts = np.unique(elements("unique_counts", x), return_counts=True, equal_nan=False)
    return UniqueCounts(Array(values), Array(counts))


def unique_inverse(x: Array, /) -> UniqueInverse:
    """The different values in order, each NaN a value of its own, and which one each element is."""
    array = elements("unique_inverse", x)
    values, inverse = np.unique(array, return_inverse=True, equal_nan=False)
    return UniqueInverse(Array(values), Array(inverse.reshape(array.shape)))


def unique_values(x: Array, /) -> Array:
    """The different values in order, each NaN a value of its own."""
    return Array(np.unique(elements("unique_values", x), equal_nan=False))


def argsort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """The indices that put the elements in order; equal elements stay in theirs."""
    array = elements("argsort", x, NUMERIC + BOOL)
    if not descending:
        return wrap(np.argsort(array, axis=axis, stable=True))
    last = array.shape[axis] - 1 if array.ndim > 0 else 0
    backwards = np.flip(np.argsort(np.flip(array, axis=axis), axis=axis, stable=True), axis=axis)
    return wrap(last - backwards)


def sort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """The elements in order along an axis."""
    result = np.sort(elements("sort", x, NUMERIC + BOOL), axis=axis, stable=True)
    return wrap(np.flip(result, axis=axis) if descending else result)


__all__ = [
    "argmax",
    "argmin",
    "argsort",
    "count_nonzero",
    "isin",
    "nonzero",
    "searchsorted",
    "sort",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "where",
]
