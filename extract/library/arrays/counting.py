"""Counts and positions as programs over NumPy: extracted like a user's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import is_empty, known, refuse, without_form
from graph_program.extract.library.arrays.writing import added

Array = np.ndarray[Any, Any]


def bincount(x: Array, /, weights: Array | None = None, minlength: int = 0) -> Array:
    """`np.bincount`, one element after the other; of no elements it has ints, whatever the weights."""
    if x.dtype.kind not in "iub":
        without_form("GP302", f"Cannot cast array data from {x.dtype!r} to dtype('int64') according to the rule 'safe'")
    if x.ndim != 1:
        refuse(ValueError, f"object {'too deep' if x.ndim else 'of too small depth'} for desired array")
    numbers = x.astype(np.int64)
    if weights is None:
        return counts(numbers, minlength)
    factors, none = weights.astype(np.float64), is_empty(numbers)
    if none is None:
        return weighted_counts(numbers, factors, minlength) if x.size else counts(numbers, minlength)
    return counts(numbers, minlength) if none else weighted_counts(numbers, factors, minlength)


def counts(x: Array, least: int) -> Array:
    """How often each number occurs."""
    result = np.zeros(length(x, least), np.int64)
    found: Array = added(result, x, np.ones(len(x), np.int64))
    return found


def weighted_counts(x: Array, weights: Array, least: int) -> Array:
    """The sum of the weights of each number."""
    if len(x) != len(weights):
        raise ValueError("The weights and list don't have the same length.")
    result = np.zeros(length(x, least))
    found: Array = added(result, x, weights)
    return found


def length(x: Array, least: int) -> int:
    """One more than the largest number."""
    if least < 0:
        raise ValueError("'minlength' must not be negative")
    if x.size == 0:
        return least
    if x.min() < 0:
        raise ValueError("'list' argument must have no negative elements")
    return max(int(x.max()) + 1, least)


def repeated(counts: Array, size: int) -> Array:
    """Each position below `size` its own number of times, or all as often as the one count says."""
    if len(counts) != 1 and len(counts) != size:
        raise ValueError(f"operands could not be broadcast together with shape ({size},) ({len(counts)},)")
    if (counts < 0).any():
        few = len(counts) == 1
        raise ValueError("negative dimensions are not allowed" if few else "repeats may not contain negative values.")
    if len(counts) == 1:
        positions: Array = np.arange(size * counts[0]) // max(counts[0], 1)
        return positions
    used = np.flatnonzero(counts)
    ends = np.cumsum(counts[used])
    steps = np.zeros(counts.sum() + 1, np.int64)
    steps[ends[:-1]] = 1
    found: Array = used[np.cumsum(steps[:-1])]
    return found


def digitize(x: Array, bins: Array, right: bool = False) -> Any:
    """`np.digitize`: how many bins, which rise or fall, begin before each value."""
    if bins.ndim != 1:
        refuse(ValueError, f"object {'too deep' if bins.ndim else 'of too small depth'} for desired array")
    side: Any = "left" if known(right, "right") else "right"
    changes = np.flatnonzero(bins[1:] != bins[:-1])
    rising = len(changes) == 0 or bool(bins[changes[0]] < bins[changes[0] + 1])
    if (bins[:-1] > bins[1:]).any() if rising else (bins[:-1] < bins[1:]).any():
        raise ValueError("bins must be monotonically increasing or decreasing")
    if rising:
        return np.searchsorted(bins, x, side=side)
    return len(bins) - np.searchsorted(bins[::-1], x, side=side)


def searched(a: Array, v: Array, left: bool) -> Array:
    """`np.searchsorted` by bisection, for all values at once; NaN comes last.

    What is left to search has the same length for all values, so that a round is one comparison and one sum of each.
    """
    low = np.zeros(v.shape, np.int64)
    left_over = len(a)
    if left_over == 0:
        return low
    while left_over > 1:
        half = left_over // 2
        low = low + half * is_before(np.take(a, low + (half - 1), mode="clip"), v, left)
        left_over -= half
    return low + is_before(np.take(a, low, mode="clip"), v, left)


def is_before(item: Array, v: Array, left: bool) -> Array:
    """Whether a value comes behind an element, or behind those that are equal to it (not `left`)."""
    before = item < v if left else item <= v
    if item.dtype.kind == "f":
        before = before | (np.isnan(v) & ~np.isnan(item)) if left else before | np.isnan(v)
    return before


def unravel_index(indices: Array, shape: Any, order: str = "C") -> tuple[Any, ...]:
    """`np.unravel_index`: the indices of one element, or of several."""
    if indices.dtype.kind not in "iu":
        refuse(TypeError, "only int indices permitted")
    shape = shape if isinstance(shape, list | tuple) else (shape,)
    index: Any = indices.astype(np.int64)
    index = index if index.ndim else index[()]
    if order not in ("C", "F"):
        raise ValueError("only 'C' or 'F' order is permitted")
    size = 1
    for s in shape:
        size *= s
    outside = np.asarray((index < 0) | (index >= size))
    if outside.any():
        first = np.ravel(index)[np.argmax(outside)]
        raise ValueError(f"index {first} is out of bounds for array with size {size}")
    parts: tuple[Any, ...] = ()
    for s in shape[::-1] if order == "C" else shape:
        part = index % s
        parts = (part, *parts) if order == "C" else (*parts, part)
        index = index // s
    return parts


def write_diagonal(a: Array, val: Array, wrap: bool) -> None:
    """Write the main diagonal; values are repeated as often as needed."""
    if a.ndim == 2:
        rows, columns = a.shape
        end = rows * columns if wrap else min(rows * columns, columns * columns)
        places = np.arange(0, end, columns + 1)
        index: tuple[Array, ...] = (places // columns, places % columns)
    else:
        for size in a.shape[1:]:
            if size != a.shape[0]:
                raise ValueError("All dimensions of input must be of equal length")
        places = np.arange(a.shape[0])
        index = (places,) * a.ndim
    if val.ndim == 0:
        a[index] = val
    else:
        a[index] = val.ravel()[np.arange(len(places)) % val.size]


def lies_both_ways(shape: tuple[int, ...]) -> bool:
    """Whether an array of this shape in C order is in Fortran order, too, and the other way round."""
    return 0 in shape or sum(n > 1 for n in shape) <= 1


__all__ = [
    "bincount",
    "digitize",
    "lies_both_ways",
    "repeated",
    "searched",
    "unravel_index",
    "write_diagonal",
]
