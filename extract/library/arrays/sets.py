"""Sets of elements as programs over NumPy: extracted like a user's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import flat, known, one_axis
from graph_program.extract.library.linalg.common import rows_at

Array = np.ndarray[Any, Any]

SHAPED_INVERSE = np.unique(np.zeros((1, 1)), return_inverse=True)[1].ndim == 2
SHAPED_INVERSE_ALONG = np.unique(np.zeros((1, 1)), return_inverse=True, axis=0)[1].ndim == 2
"""Whether the numbers of elements, or of parts along an axis, have as many axes as the array (by NumPy's version)."""


def firsts(ordered: Array, nans: bool) -> Array:
    """Where another element starts in a sorted vector; with `nans`, all NaN are one element."""
    mask = np.ones(len(ordered), np.bool_)
    mask[1:] = ordered[1:] != ordered[:-1]
    if nans:
        mask[1:] &= ordered[:-1] == ordered[:-1]
    return mask


def unique(
    ar: Array,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """`np.unique` of the elements; without a promise of order the result is in order too."""
    along = None if known(axis, "the axis") is None else one_axis(axis, ar.ndim)
    known(sorted, "sorted")
    nans = known(equal_nan, "equal_nan") and ar.dtype.kind in "fc"
    index, inverse = known(return_index, "return_index"), known(return_inverse, "return_inverse")
    counts = known(return_counts, "return_counts")
    if along is not None and ar.ndim != 1:
        found = unique_along(ar, along, index, inverse, counts, SHAPED_INVERSE_ALONG)
        return found if len(found) > 1 else found[0]
    if not (index or inverse or counts):
        return different(flat(ar), nans)
    return unique_parts(flat(ar), nans, index, inverse, counts, ar.shape if SHAPED_INVERSE else (-1,))


def unique_values(x: Array) -> Any:
    """`np.unique_values`: here in order, which NumPy does not promise."""
    return unique(x, equal_nan=False)


def union1d(ar1: Any, ar2: Any) -> Any:
    """`np.union1d`: the elements of both."""
    return unique(np.concatenate((ar1, ar2), axis=None))


def intersect1d(ar1: Array, ar2: Array, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """`np.intersect1d`: the elements that are in both."""
    if known(return_indices, "return_indices"):
        a, b = in_common_type(ar1, ar2)
        return intersection_with_places(flat(a), flat(b), known(assume_unique, "assume_unique"))
    return intersection(*sets_of(ar1, ar2, assume_unique))


def setxor1d(ar1: Array, ar2: Array, assume_unique: bool = False) -> Any:
    """`np.setxor1d`: the elements that are in one of both."""
    return symmetric_difference(*sets_of(ar1, ar2, assume_unique))


def setdiff1d(ar1: Array, ar2: Array, assume_unique: bool = False) -> Any:
    """`np.setdiff1d`: the elements of the first that are not in the second."""
    first = flat(ar1) if known(assume_unique, "assume_unique") else unique(ar1)
    return rows_at(first, np.flatnonzero(np.invert(contained(first, ar2))))


def isin(
    element: Array, test_elements: Array, assume_unique: bool = False, invert: bool = False, *, kind: Any = None
) -> Any:
    """`np.isin`: each element against all of the second array."""
    known(assume_unique, "assume_unique")
    known(kind, "the kind")
    found = contained(element, test_elements)
    return np.invert(found) if known(invert, "invert") else found


def contained(x: Array, others: Array) -> Array:
    """Whether each element is one of others."""
    first, second = in_common_type(x, others)
    found: Array = np.any(np.equal(first[..., np.newaxis], flat(second)), axis=-1)
    return found


def in_common_type(a: Array, b: Array) -> tuple[Array, Array]:
    """Both arrays in their common element type."""
    dtype = np.result_type(a, b)
    return a.astype(dtype), b.astype(dtype)


def sets_of(a: Array, b: Array, assume_unique: bool) -> tuple[Array, Array]:
    """The elements of both in their common element type, each once."""
    a, b = in_common_type(a, b)
    return (flat(a), flat(b)) if known(assume_unique, "assume_unique") else (unique(a), unique(b))


def different(x: Array, nans: bool) -> Array:
    """The elements, each once, in order."""
    ordered = np.sort(x)
    return ordered[firsts(ordered, nans)]


def unique_parts(
    x: Array, nans: bool, index: bool, inverse: bool, counts: bool, shape: tuple[int, ...]
) -> tuple[Array, ...]:
    """The elements, and where they are: the first place, the element of each place, how many."""
    order = np.argsort(x, kind="stable")
    ordered = x[order]
    mask = firsts(ordered, nans)
    return (ordered[mask], *where_found(order, mask, index, inverse, counts, shape))


def where_found(
    order: Array, mask: Array, index: bool, inverse: bool, counts: bool, shape: tuple[int, ...]
) -> tuple[Array, ...]:
    """The places of sorted elements, by the order and where another one starts in it."""
    parts: tuple[Array, ...] = ()
    if index:
        parts += (order[mask],)
    if inverse:
        numbers = np.empty(len(order), np.int64)
        numbers[order] = np.cumsum(mask) - 1
        parts += (numbers.reshape(shape),)
    if counts:
        starts = np.concatenate((np.flatnonzero(mask), np.array([len(order)])))
        parts += (starts[1:] - starts[:-1],)
    return parts


def unique_along(x: Array, axis: int, index: bool, inverse: bool, counts: bool, shaped: bool) -> tuple[Array, ...]:
    """The different parts along an axis, in order of their elements, and where they are."""
    parts = np.moveaxis(x, axis, 0)
    count, size = parts.shape[0], 1
    for n in parts.shape[1:]:
        size = size * n
    columns = parts.reshape((count, size)).T
    order = np.arange(count)
    for column in columns[::-1]:
        order = order[np.argsort(column[order], kind="stable")]
    ordered = columns[:, order]
    mask = np.ones(count, np.bool_)
    mask[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    shape = (*(1,) * axis, count, *(1,) * (x.ndim - axis - 1)) if shaped else (count,)
    found = np.moveaxis(parts[order[mask]], 0, axis)
    return (found, *where_found(order, mask, index, inverse, counts, shape))


def intersection(a: Array, b: Array) -> Array:
    """The elements of two vectors that have no element twice."""
    both = np.sort(np.concatenate((a, b)))
    found: Array = both[:-1][both[1:] == both[:-1]]
    return found


def intersection_with_places(a: Array, b: Array, unlike: bool) -> tuple[Array, Array, Array]:
    """The elements that are in both vectors, and where they are first; `unlike`: no vector has an element twice."""
    if not unlike:
        a, of_a = unique_parts(a, False, True, False, False, (-1,))
        b, of_b = unique_parts(b, False, True, False, False, (-1,))
    both = np.concatenate((a, b))
    order = np.argsort(both, kind="stable")
    both = both[order]
    mask = both[1:] == both[:-1]
    in_a, in_b = order[:-1][mask], order[1:][mask] - len(a)
    return both[:-1][mask], in_a if unlike else of_a[in_a], in_b if unlike else of_b[in_b]


def symmetric_difference(a: Array, b: Array) -> Array:
    """The elements of one of two vectors that have no element twice."""
    both = np.sort(np.concatenate((a, b)))
    edge = np.ones(len(both) + 1, np.bool_)
    edge[1:-1] = both[1:] != both[:-1]
    return both[edge[1:] & edge[:-1]]


__all__ = ["intersect1d", "isin", "setdiff1d", "setxor1d", "union1d", "unique", "unique_values"]
