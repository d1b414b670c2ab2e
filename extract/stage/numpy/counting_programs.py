"""Counts and positions as programs over NumPy: extracted like a user's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def counts(x: Array, least: int) -> Array:
    """How often each number occurs."""
    result = np.zeros(length(x, least), np.int64)
    for v in x:
        result[v] += 1
    return result


def weighted_counts(x: Array, weights: Array, least: int) -> Array:
    """The sum of the weights of each number."""
    if len(x) != len(weights):
        raise ValueError("The weights and list don't have the same length.")
    result = np.zeros(length(x, least))
    for i in range(len(x)):
        result[x[i]] += weights[i]
    return result


def length(x: Array, least: int) -> int:
    """One more than the largest number."""
    if least < 0:
        raise ValueError("'minlength' must not be negative")
    if x.size == 0:
        return least
    if x.min() < 0:
        raise ValueError("'list' argument must have no negative elements")
    return max(int(x.max()) + 1, least)


def unravelled(index: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """The indices of one element, given by its position."""
    size = 1
    for s in shape:
        size *= s
    if index < 0 or index >= size:
        raise ValueError(f"index {index} is out of bounds for array with size {size}")
    parts: tuple[Any, ...] = ()
    for s in shape[::-1]:
        parts = (index % s, *parts)
        index = index // s
    return parts


__all__ = ["counts", "unravelled", "weighted_counts"]
