"""Quantiles as programs over NumPy: extracted like a user's own functions.

`ordered` is sorted along its last axis, so that NaN come last; of it the first `count` elements matter, which is one
number, or one for each row.  The position of a quantile in them is by the rules of Hyndman and Fan, "Sample quantiles
in statistical packages", The American Statistician 50 (1996), or by one of NumPy's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import is_empty, known, known_size, raise_where, reduced_axes, refuse
from graph_program.extract.library.arrays.medians import restored, sorted_last

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
NAMES = dict.fromkeys(METHODS).keys()
"""As NumPy lists them."""


def of_axes(a: Array, q: Any, axis: Any, method: Any, keepdims: Any, name: str) -> Any:
    """`np.quantile`, `np.percentile` and their NaN-aware forms, for each quantile that is asked for."""
    rule = "linear" if method is None else known(method, "the method")
    if a.dtype.kind == "b":
        np.subtract(a, a)  # refused in NumPy's words
    scale = 100 if name.endswith("percentile") else 1
    weak = type(q) in (int, float)  # a Python number does not widen the result
    wanted = np.asarray(np.divide(q, scale) if scale != 1 else q)
    require_fractions(q, wanted, scale)
    if rule not in METHODS:
        refuse(ValueError, f"{rule!r} is not a valid method. Use one of: {NAMES}")
    picks = rule in DISCRETE or (rule == "linear" and wanted.dtype.kind != "f")
    axes = reduced_axes(axis, a.ndim, False, True)
    passes, x = name.startswith("nan"), a
    if passes and (wanted.ndim or a.dtype.kind != "f"):
        none = empty_or_not(a, name) if wanted.ndim or picks else is_empty(a)
        if none:
            return np.nanmean(a, axis, keepdims=keepdims)
        if none is None:  # so that there is a NaN
            x = a.astype(np.float64)
    flat_q = wanted.reshape(-1) if wanted.dtype.kind == "f" else wanted.reshape(-1).astype(np.int64)
    ordered, count = sorted_last(x, axes)
    if passes and x.dtype.kind == "f":
        found = nan_picked(ordered, flat_q, rule) if picks else nan_quantiles(ordered, flat_q, weak, rule)
    else:
        raise_where(count == 0, IndexError, *text_of_none(flat_q, rule, picks, x.dtype.kind == "f"))
        found = picked(ordered, flat_q, count, rule) if picks else quantiles(ordered, flat_q, count, weak, rule)
    batch = found.shape[1:]
    if wanted.ndim == 0:
        return restored(found.reshape(batch), axes, keepdims)
    found = found.reshape((*wanted.shape, *batch)) if wanted.ndim > 1 else found
    if known(keepdims, "keepdims") and axes:
        return np.expand_dims(found, tuple([i + wanted.ndim for i in axes]))
    return found


def require_fractions(q: Any, wanted: Array, scale: int) -> None:
    """NumPy's error for quantiles that are none; the evaluator refuses those that are known."""
    text = f"{'Quantiles' if scale == 1 else 'Percentiles'} must be in the range [0, {scale}]"
    in_range(wanted, text)


def in_range(q: Array, text: str) -> None:
    """An error for what is not between 0 and 1; NaN is not."""
    if not ((q >= 0) & (q <= 1)).all():
        raise ValueError(text)


def empty_or_not(a: Array, name: str) -> bool:
    """Whether there are no elements, which must be known."""
    return bool(a.size == 0)


def text_of_none(q: Array, method: str, picks: bool, of_float: bool) -> tuple[Any, ...]:
    """What NumPy says of no elements: floats are asked for the last one first, others for the first quantile's."""
    if of_float or known_size(len(q)) == 0:
        return ("index -1 is out of bounds for axis 0 with size 0",)
    if picks:
        return ("cannot do a non-empty take from an empty axes.",)
    return ("index ", first_of_none(q, method), " is out of bounds for axis 0 with size 0")


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


def first_of_none(q: Array, method: str) -> int:
    """The position that NumPy asks no elements for first; of known quantiles it is known."""
    return first_place(q, method)


def first_place(q: Array, method: str) -> int:
    """`first_of_none`, computed."""
    place = position(0, q[0], method)
    return -1 if place >= 0 else 0


__all__ = ["empty_or_not", "first_of_none", "first_place", "in_range", "of_axes", "require_fractions"]
