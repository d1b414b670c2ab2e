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
    parts: tuple[Array, ...] = (ordered[mask],)
    if index:
        parts += (order[mask],)
    if inverse:
        numbers = np.empty(len(x), np.int64)
        numbers[order] = np.cumsum(mask) - 1
        parts += (numbers.reshape(shape),)
    if counts:
        starts = np.concatenate((np.flatnonzero(mask), np.array([len(x)])))
        parts += (starts[1:] - starts[:-1],)
    return parts


def intersection(a: Array, b: Array) -> Array:
    """The elements of two vectors that have no element twice."""
    both = np.sort(np.concatenate((a, b)))
    found: Array = both[:-1][both[1:] == both[:-1]]
    return found


def symmetric_difference(a: Array, b: Array) -> Array:
    """The elements of one of two vectors that have no element twice."""
    both = np.sort(np.concatenate((a, b)))
    edge = np.ones(len(both) + 1, np.bool_)
    edge[1:-1] = both[1:] != both[:-1]
    return both[edge[1:] & edge[:-1]]


__all__ = ["firsts", "intersection", "symmetric_difference", "unique", "unique_parts"]
