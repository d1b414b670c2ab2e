"""How many bins `np.histogram` makes by the rules that NumPy has names for."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.bins import counts_of_equal_bins, flat, outer_edges

Array = np.ndarray[Any, Any]

SQRT_LIMITS = len(np.histogram_bin_edges(np.repeat([0.0, 1.0], [99, 1]), "auto")) == 21
"""Whether the rule "auto" makes no more than twice as many bins as "sqrt" (by NumPy's version)."""


def number_of_bins(a: Array, rule: str, limits: Any, weights: Any) -> int:
    """The number of bins by a rule, within limits or for all values."""
    values, _ = flat(a, weights)
    if rule not in RULES:
        raise ValueError(f"{rule!r} is not a valid estimator for `bins`")
    if weights is not None:
        raise TypeError("Automated estimation of the number of bins is not supported for weighted data")
    first, last = outer_edges(values, limits)
    if limits is not None:
        values = values[(values >= first) & (values <= last)]
    if values.size == 0:
        return 1
    width = RULES[rule](values, first, last)
    if width == 0:
        return 1
    if values.dtype.kind in "iu" and width < 1:
        return int(np.ceil(np.subtract(last, first)))
    return int(np.ceil(np.subtract(last, first) / width))


def spread(x: Array) -> Any:
    """The largest value less the smallest."""
    if x.dtype.kind == "i":
        return x.max().astype(np.uint64) - x.min().astype(np.uint64)
    return x.max() - x.min()


def by_root(x: Array, first: Any, last: Any) -> Any:
    """As many bins as the root of the number of values."""
    return spread(x) / np.sqrt(x.size)


def sturges(x: Array, first: Any, last: Any) -> Any:
    """One bin more each time that the number of values doubles (Sturges 1926)."""
    return spread(x) / (np.log2(x.size) + 1.0)


def rice(x: Array, first: Any, last: Any) -> Any:
    """Twice the cube root of the number of values."""
    return spread(x) / (2.0 * x.size ** (1.0 / 3))


def scott(x: Array, first: Any, last: Any) -> Any:
    """The least integrated error for normal values (Scott 1979)."""
    return (24.0 * np.pi**0.5 / x.size) ** (1.0 / 3.0) * np.std(x)


def doane(x: Array, first: Any, last: Any) -> Any:
    """Sturges' rule with more bins for skew values (Doane 1976)."""
    n = x.size
    sigma = np.std(x)
    if n <= 2 or not sigma > 0.0:
        return 0.0
    error = np.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    skewness = np.mean(((x - np.mean(x)) / sigma) ** 3)
    return spread(x) / (1.0 + np.log2(n) + np.log2(1.0 + np.absolute(skewness) / error))


def freedman_diaconis(x: Array, first: Any, last: Any) -> Any:
    """By the distance of the quartiles (Freedman and Diaconis 1981)."""
    quartiles = np.percentile(x, [75, 25])
    return 2.0 * (quartiles[0] - quartiles[1]) * x.size ** (-1.0 / 3.0)


def auto(x: Array, first: Any, last: Any) -> Any:
    """By Freedman and Diaconis, with at least as many bins as by Sturges."""
    width, most = freedman_diaconis(x, first, last), sturges(x, first, last)
    if SQRT_LIMITS:
        return min(max(width, by_root(x, first, last) / 2), most)
    return min(width, most) if width != 0 else most


def stone(x: Array, first: Any, last: Any) -> Any:
    """The least estimate of the squared error, by leaving one out (Stone 1984)."""
    n, size = x.size, spread(x)
    if n <= 1 or size == 0:
        return 0.0
    best, found = estimated_error(x, first, last, size, 1), 1
    for count in range(2, max(100, int(np.sqrt(n))) + 1):
        error = estimated_error(x, first, last, size, count)
        if error < best:
            best, found = error, count
    return size / found


def estimated_error(x: Array, first: Any, last: Any, size: Any, count: int) -> Any:
    """The squared error of so many bins, up to what is the same for all numbers of them."""
    edges = np.linspace(first, last, count + 1, dtype=np.result_type(first, last, x))
    shares = counts_of_equal_bins(x, None, edges, first, last) / x.size
    return (2 - (x.size + 1) * shares.dot(shares)) / (size / count)


RULES = {
    "stone": stone,
    "auto": auto,
    "doane": doane,
    "fd": freedman_diaconis,
    "rice": rice,
    "scott": scott,
    "sqrt": by_root,
    "sturges": sturges,
}
"""The rules, by NumPy's names: the width of the bins of a vector."""

__all__ = ["number_of_bins"]
