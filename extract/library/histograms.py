"""`np.histogram` and `np.histogram_bin_edges`: the same edges as NumPy's, and the same counts."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from graph_program.extract.library.arguments import refuse
from graph_program.extract.library.bin_rules import number_of_bins
from graph_program.extract.library.bins import bin_edges, counts_of_equal_bins, equal_bins, flat, outer_edges

Array = np.ndarray[Any, Any]


def histogram(
    a: Array, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Array | None = None
) -> tuple[Array, Array]:
    """`np.histogram`."""
    bins = number_or_edges(a, bins, range, weights)
    values, factors = flat(a, weights)
    if np.ndim(bins) == 0:
        edges, first, last = equal_bins(values, bins, range)
        counts = counts_of_equal_bins(values, factors, edges, first, last)
        return (density_of(counts, edges) if density else counts), edges
    edges = bin_edges(values, bins, range)
    if weights is None:
        counts = np.diff(counted(np.sort(values), edges))
    else:
        order = np.argsort(values)
        running = np.concatenate((np.zeros(1, weights.dtype), np.cumsum(factors[order], dtype=weights.dtype)))
        counts = np.diff(running[counted(values[order], edges)])
    return (density_of(counts, edges) if density else counts), edges


def number_or_edges(a: Array, bins: Any, limits: Any, weights: Array | None) -> Any:
    """A number of bins, which may be that of a rule, or their edges as an array."""
    if isinstance(bins, str):
        return number_of_bins(a, bins, limits, weights)
    if bins is None or (np.ndim(bins) == 0 and np.asarray(bins).dtype.kind not in "iub"):
        refuse(TypeError, "`bins` must be an integer, a string, or an array")
    return bins if np.ndim(bins) == 0 else np.asarray(bins)


def density_of(counts: Array, edges: Array) -> Array:
    """The share of each bin, by how wide it is."""
    found: Array = counts / np.array(np.diff(edges), np.float64) / counts.sum()
    return found


def histogram_bin_edges(a: Array, bins: Any = 10, range: Any = None, weights: Array | None = None) -> Array:
    """`np.histogram_bin_edges`."""
    bins = number_or_edges(a, bins, range, weights)
    values, _ = flat(a, weights)
    return bin_edges(values, bins, range)


def counted(ordered: Array, edges: Array) -> Array:
    """How many values lie in front of each edge; the last edge belongs to the last bin."""
    return np.concatenate(
        (np.searchsorted(ordered, edges[:-1], side="left"), np.searchsorted(ordered, edges[-1:], side="right"))
    )


# ---------------------------------------------------------------- several dimensions


def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Array | None = None
) -> Any:
    """`np.histogramdd`."""
    points = sample if isinstance(sample, np.ndarray) and sample.ndim == 2 else np.atleast_2d(np.asarray(sample)).T
    columns = [points[:, i] for i, _ in enumerate(points.shape[1] * (0,))]
    listed = bins if isinstance(bins, tuple | list) or np.ndim(bins) else len(columns) * [bins]
    if len(listed) != len(columns):
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    limits = len(columns) * (None,) if range is None else range
    if len(limits) != len(columns):
        raise ValueError("range argument must have one entry per dimension")
    edges = [edges_along(i, x, listed[i], limits[i]) for i, x in enumerate(columns)]
    return joint_counts(columns, edges, density, weights), edges


def histogram2d(
    x: Array,
    y: Array,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Array | None = None,
) -> Any:
    """`np.histogram2d`."""
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    if isinstance(bins, tuple | list):
        bins = bins if len(bins) in (1, 2) else [np.asarray(bins), np.asarray(bins)]
    elif np.ndim(bins) == 1:
        bins = bins if len(bins) in (1, 2) else [bins, bins]
    counts, edges = histogramdd([x, y], bins, range, density, weights)
    return counts, edges[0], edges[1]


def edges_along(i: int, x: Array, bins: Any, limits: Any) -> Array:
    """The edges of the bins of one dimension."""
    if np.ndim(bins) == 0:
        if bins < 1:
            raise ValueError(f"`bins[{i}]` must be positive, when an integer")
        first, last = outer_edges(x, limits)
        return np.linspace(first, last, operator.index(bins) + 1)
    if np.ndim(bins) > 1:
        raise ValueError(f"`bins[{i}]` must be a scalar or 1d array")
    edges = np.asarray(bins)
    if (edges[:-1] > edges[1:]).any():
        raise ValueError(f"`bins[{i}]` must be monotonically increasing, when an array")
    return edges


def joint_counts(columns: Any, edges: Any, density: Any, weights: Any) -> Any:
    """How many points lie in each bin; one more bin at each side takes those outside of all."""
    places: Any = np.zeros(len(columns[0]), np.int64)
    total: Any = 1
    for x, edge in zip(columns, edges, strict=True):
        place = np.searchsorted(edge, x, side="right") - (x == edge[-1])
        places = places * (len(edge) + 1) + place
        total = total * (len(edge) + 1)
    factors = np.ones(len(columns[0])) if weights is None else weights.astype(np.float64)
    counts = np.bincount(places, factors, minlength=total).astype(np.float64)
    counts = counts.reshape(tuple([len(edge) + 1 for edge in edges]))
    found = counts[len(columns) * (slice(1, -1),)]
    if not density:
        return found
    whole = found.sum()
    for i, edge in enumerate(edges):
        found = found / np.diff(edge).reshape(i * (1,) + (len(edge) - 1,) + (len(columns) - 1 - i) * (1,))
    return found / whole


__all__ = ["histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]
