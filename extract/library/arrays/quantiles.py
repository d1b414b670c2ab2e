"""Quantiles as programs over NumPy: extracted like a user's own functions.

`ordered` is sorted along its last axis, so that NaN come last; of it the first `count` elements matter, which is one
number, or one for each row.  The position of a quantile in them is by the rules of Hyndman and Fan, "Sample quantiles
in statistical packages", The American Statistician 50 (1996), or by one of NumPy's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

DISCRETE = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
"""The methods that give an element."""
METHODS = (
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
)
"""The methods in NumPy's order."""


def quantiles(ordered: Array, q: Array, count: int, weak: bool, method: str) -> Array:
    """The quantiles `q` of the first `count` elements, along a new first axis; NaN where any element is."""
    found = interpolated(ordered, q, count, weak, method)
    largest = ordered[..., count - 1, np.newaxis]
    return np.moveaxis(np.where(np.isnan(largest), largest, found), -1, 0)


def picked(ordered: Array, q: Array, count: int, method: str) -> Array:
    """The elements at the quantiles `q`, by a method that gives elements; NaN where any element is."""
    largest = ordered[..., count - 1, np.newaxis]
    found = at(ordered, position(count, q, method))
    return np.moveaxis(np.where(largest != largest, largest, found), -1, 0)


def nan_quantiles(ordered: Array, q: Array, weak: bool, method: str) -> Array:
    """The quantiles `q` of what is not NaN, along a new first axis."""
    return np.moveaxis(interpolated(ordered, q, numbers(ordered, q), weak, method), -1, 0)


def nan_picked(ordered: Array, q: Array, method: str) -> Array:
    """The elements at the quantiles `q` of what is not NaN, by a method that gives elements."""
    return np.moveaxis(at(ordered, position(numbers(ordered, q), q, method)), -1, 0)


def numbers(ordered: Array, q: Array) -> Array:
    """How many of each row are not NaN; at least one, which is NaN then."""
    there: Array = np.sum(~np.isnan(ordered), axis=-1, keepdims=True)
    return np.maximum(there, 1).astype(q.dtype)


def interpolated(ordered: Array, q: Array, count: Any, weak: bool, method: str) -> Array:
    """Between the two elements next to each position; a `weak` distance does not widen the result."""
    place = position(count, q, method)
    above, below = place >= count - 1, place < 0
    low = np.where(below, 0, np.where(above, -1, np.floor(place)))
    t = distance(place - low, place, method).astype((ordered * 1.0).dtype if weak else place.dtype)
    low = np.where(above, count - 1, low).astype(np.int64)
    left, right = at(ordered, low), at(ordered, np.where(below | above, low, low + 1))
    gap = right - left
    found: Array = np.where(t >= 0.5, right - gap * (1 - t), left + gap * t)
    return found


def at(ordered: Array, place: Array) -> Array:
    """The elements at positions that are the same, or others, in each row."""
    return np.take(ordered, place, -1) if place.ndim == 1 else np.take_along_axis(ordered, place, -1)


def position(n: Any, q: Any, method: str) -> Any:
    """The positions of quantiles in n elements: integers for a method that gives an element."""
    if method == "linear":
        return (n - 1) * q
    if method == "hazen":
        return n * q + (0.5 + q * (1 - 0.5 - 0.5)) - 1
    if method == "weibull":
        return n * q + (0 + q * (1 - 0 - 0)) - 1
    if method == "median_unbiased":
        return n * q + (1 / 3.0 + q * (1 - 1 / 3.0 - 1 / 3.0)) - 1
    if method == "normal_unbiased":
        return n * q + (3 / 8.0 + q * (1 - 3 / 8.0 - 3 / 8.0)) - 1
    if method == "interpolated_inverted_cdf":
        return n * q + (0 + q * (1 - 0 - 1)) - 1
    if method == "averaged_inverted_cdf":
        return n * q - 1
    if method == "midpoint":
        return 0.5 * (np.floor((n - 1) * q) + np.ceil((n - 1) * q))
    return element(n, q, method).astype(np.int64)


def element(n: Any, q: Any, method: str) -> Any:
    """`position` for a method that gives an element."""
    if method == "lower":
        return np.floor((n - 1) * q)
    if method == "higher":
        return np.ceil((n - 1) * q)
    if method == "nearest":
        return np.around((n - 1) * q)
    place = n * q - 1 if method == "inverted_cdf" else n * q - 1 - 0.5
    low = np.floor(place)
    exact = place == low
    if method == "closest_observation":
        exact = exact & (low % 2 == 1)
    return np.maximum(np.where(exact, low, low + 1), 0)


def distance(t: Any, place: Any, method: str) -> Any:
    """How far from the left element: t, unless the method gives it for all."""
    if method == "averaged_inverted_cdf":
        return np.where(t == 0, 0.5, 1.0)
    if method == "midpoint":
        return np.where(place % 1 == 0, 0.0, 0.5)
    return t


def require_fractions(q: Array, text: str) -> None:
    """NumPy's error for quantiles that are none; NaN is not."""
    if not ((q >= 0) & (q <= 1)).all():
        raise ValueError(text)


def first_of_none(q: Array, method: str) -> int:
    """The position that NumPy asks no elements for first."""
    place = position(0, q[0], method)
    return -1 if place >= 0 else 0


__all__ = [
    "DISCRETE",
    "METHODS",
    "first_of_none",
    "nan_picked",
    "nan_quantiles",
    "picked",
    "position",
    "quantiles",
    "require_fractions",
]
