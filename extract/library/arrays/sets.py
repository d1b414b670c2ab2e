"""Sets of elements as programs over NumPy: extracted like a user's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def firsts(ordered: Array, nans: bool) -> Array:
    """Where another element starts in a sorted vector; with `nans`, all NaN are one element."""
    mask = np.ones(len(ordered), np.bool_)
    mask[1:] = ordered[1:] != ordered[:-1]
    if nans:
        mask[1:] &= ordered[:-1] == ordered[:-1]
    return mask


def unique(x: Array, nans: bool) -> Array:
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


__all__ = [
    "firsts",
    "intersection",
    "intersection_with_places",
    "symmetric_difference",
    "unique",
    "unique_along",
    "unique_parts",
]
