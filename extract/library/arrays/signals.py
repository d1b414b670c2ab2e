"""Sums along axes, signals, correlations, sequences of numbers, comparisons of whole arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arrays.positions import counted_axis

Array = np.ndarray[Any, Any]


def cumulative_sum(
    x: Array, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False
) -> Array:
    """`np.cumulative_sum`."""
    x, axis = along_one(np.atleast_1d(x), axis)
    sums = np.cumsum(x, axis=axis, dtype=dtype, out=out)
    return with_first(sums, x, axis, 0) if include_initial else sums


def cumulative_prod(
    x: Array, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False
) -> Array:
    """`np.cumulative_prod`."""
    x, axis = along_one(np.atleast_1d(x), axis)
    products = np.cumprod(x, axis=axis, dtype=dtype, out=out)
    return with_first(products, x, axis, 1) if include_initial else products


def along_one(x: Array, axis: Any) -> tuple[Array, Any]:
    """The axis of a vector, where none is given."""
    if axis is None and x.ndim >= 2:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    return x, 0 if axis is None else axis


def with_first(found: Array, x: Array, axis: int, value: int) -> Array:
    """Results after the one of no elements."""
    place = counted_axis(axis, x.ndim)
    first = np.full((*x.shape[:place], 1, *x.shape[place + 1 :]), value, found.dtype)
    return np.concatenate((first, found), axis=place)


def correlate(a: Array, v: Array, mode: Any = "valid") -> Any:
    """`np.correlate`: sums of products of one vector with the other at all distances."""
    if a.ndim > 1 or v.ndim > 1:
        raise ValueError("object too deep for desired array")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    a, v = np.atleast_1d(a), np.atleast_1d(v)
    if len(a) == 0:
        raise ValueError("first array argument cannot be empty")
    if len(v) == 0:
        raise ValueError("second array argument cannot be empty")
    turned = np.conjugate(v)[::-1] if v.dtype.kind == "c" else v[::-1]
    if mode != "same":
        return np.convolve(a, turned, mode)
    short, long = min(len(a), len(v)), max(len(a), len(v))
    first = short // 2 if len(a) < len(v) else (short - 1) // 2
    found: Array = np.convolve(a, turned)[first : first + long]
    return found


def periodic(x: Array, xp: Array, fp: Array, period: Any) -> tuple[Array, Array, Array]:
    """What `np.interp` takes instead of its arguments where they repeat: within one period, in order."""
    if period == 0:
        raise ValueError("period must be a non-zero value")
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length")
    length = np.abs(period)
    xp = xp % length
    order = np.argsort(xp)
    xp, fp = xp[order], fp[order]
    knots = np.concatenate((xp[-1:] - length, xp, xp[:1] + length))
    return x % length, knots, np.concatenate((fp[-1:], fp, fp[:1]))


def unwrap(p: Array, discont: Any = None, axis: int = -1, *, period: Any = 2 * np.pi) -> Array:
    """`np.unwrap`: angles without jumps of more than half a period."""
    steps = np.diff(p, axis=axis)
    limit = period / 2 if discont is None else discont
    dtype = np.result_type(steps, period)
    whole = dtype.kind in "iu"
    high = period // 2 if whole else period / 2
    low = -high
    within = np.mod(steps - low, period) + low
    if not whole or period % 2 == 0:
        within = np.where((within == low) & (steps > 0), np.asarray(high).astype(within.dtype), within)
    change = within - steps
    change = np.where(np.abs(steps) < limit, np.zeros_like(change), change)
    first = np.take(p, np.arange(min(p.shape[axis], 1)), axis=axis)
    others = np.take(p, np.arange(min(p.shape[axis], 1), p.shape[axis]), axis=axis)
    return np.concatenate((first.astype(dtype), (others + np.cumsum(change, axis)).astype(dtype)), axis=axis)


def geomspace(start: Array, stop: Array, num: Any = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Any:
    """`np.geomspace`: numbers with the same quotient of neighbours."""
    if np.any(start == 0) or np.any(stop == 0):
        raise ValueError("Geometric sequence cannot include zero")
    computed = np.result_type(start, stop, 1.0, np.zeros((), dtype))
    first, last = start.astype(computed), stop.astype(computed)
    sign = np.sign(first)
    first, last = first / sign, last / sign
    found = np.logspace(np.log10(first), np.log10(last), num=num, endpoint=endpoint, base=10.0, dtype=computed)
    places = np.arange(len(found)).reshape((len(found),) + (1,) * (found.ndim - 1))
    found = np.where(places == 0, first, found)
    if endpoint:
        found = np.where((places == num - 1) & (places > 0), last, found)
    found = found * sign
    return np.moveaxis(found, 0, axis).astype(computed if dtype is None else np.dtype(dtype))


def array_equiv(a1: Array, a2: Array) -> bool:
    """`np.array_equiv`: whether all elements are equal, in a common shape."""
    try:
        same = np.asarray(a1 == a2)
    except ValueError:
        return False
    return bool(same.all())


def asarray_chkfinite(a: Array, dtype: Any = None, order: Any = None) -> Array:
    """`np.asarray_chkfinite`."""
    a = np.asarray(a, dtype=dtype)
    if a.dtype.kind in "fc" and not np.isfinite(a).all():
        raise ValueError("array must not contain infs or NaNs")
    return a


def sort_complex(a: Array) -> Array:
    """`np.sort_complex`."""
    ordered = np.sort(a)
    if ordered.dtype.kind == "c":
        return ordered
    return ordered.astype(np.complex64 if ordered.dtype.kind in "iu" and ordered.dtype.itemsize < 4 else np.complex128)


__all__ = [
    "array_equiv",
    "asarray_chkfinite",
    "correlate",
    "cumulative_prod",
    "cumulative_sum",
    "geomspace",
    "sort_complex",
    "unwrap",
]
