"""Edges of the bins of a histogram as NumPy finds them, and what lies in bins at equal distances."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from graph_program.extract.library.arrays.writing import added

Array = np.ndarray[Any, Any]


def flat(a: Array, weights: Array | None) -> tuple[Array, Any]:
    """Values and weights as vectors; truths are counted as integers."""
    values = a.astype(np.uint8) if a.dtype == np.bool_ else a
    if weights is None:
        return values.ravel(), None
    if weights.shape != a.shape:
        raise ValueError("weights should have the same shape as a.")
    return values.ravel(), weights.ravel()


def bin_edges(a: Array, bins: Any, limits: Any) -> Array:
    """The edges of the bins: those given, or at equal distances."""
    if np.ndim(bins) == 1:
        edges = np.asarray(bins)
        if (edges[:-1] > edges[1:]).any():
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges
    if np.ndim(bins) > 1:
        raise ValueError("`bins` must be 1d, when an array")
    return equal_bins(a, bins, limits)[0]


def equal_bins(a: Array, bins: Any, limits: Any) -> tuple[Array, Any, Any]:
    """The edges of bins at equal distances, and the first and the last one before they have the edges' element type."""
    if operator.index(bins) < 1:
        raise ValueError("`bins` must be positive, when an integer")
    first, last = outer_edges(a, limits)
    dtype = np.result_type(first, last, a)
    edges = np.linspace(first, last, bins + 1, dtype=dtype)
    if (edges[:-1] >= edges[1:]).any():
        raise ValueError(f"Too many bins for data range. Cannot create {bins} finite-sized bins.")
    return edges, first, last


def outer_edges(a: Array, limits: Any) -> tuple[Any, Any]:
    """The first and the last edge; half a unit is added to each side of a single value."""
    if limits is not None:
        first, last = limits
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
        if not (np.isfinite(first) and np.isfinite(last)):
            raise ValueError(f"supplied range of [{first}, {last}] is not finite")
    elif a.size == 0:
        first, last = 0, 1
    else:
        first, last = a.min(), a.max()
        if not (np.isfinite(first) and np.isfinite(last)):
            raise ValueError(f"autodetected range of [{first}, {last}] is not finite")
    if a.dtype.kind in "iu":
        first, last = np.float64(first), np.float64(last)
    if first == last:
        return first - 0.5, last + 0.5
    return first, last


def counts_of_equal_bins(a: Array, weights: Any, edges: Array, first: Any, last: Any) -> Array:
    """The number of values in each bin, or the sum of their weights: bins are computed, then compared with edges."""
    bins = len(edges) - 1
    inside = (a >= first) & (a <= last)
    values = a[inside].astype(edges.dtype)
    places = np.minimum(((values - first) / (last - first) * bins).astype(np.int64), bins - 1)
    places = np.maximum(places - (values < np.take(edges, places, mode="clip")), 0)
    places = np.minimum(places + (values >= np.take(edges, places + 1, mode="clip")), bins - 1)
    if weights is None:
        return added(np.zeros(bins, np.int64), places, np.ones(len(values), np.int64))
    sums = added(np.zeros(bins), places, weights[inside].astype(np.float64))
    return sums.astype(weights.dtype)


__all__ = ["bin_edges", "counts_of_equal_bins", "equal_bins", "flat", "outer_edges"]
