"""Reductions that pass over NaN, as programs over NumPy: extracted like a user's own functions.

They look at their axes first, so that those which there are not are refused where the user calls.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import raise_where, reduced_axes

Array = np.ndarray[Any, Any]


def without_nan(a: Array, neutral: float) -> Array:
    """The array with NaN replaced."""
    return np.where(np.isnan(a), neutral, a) if a.dtype.kind == "f" else a


def present(a: Array) -> Array:
    """Where an element is not NaN."""
    return np.invert(np.isnan(a)) if a.dtype.kind == "f" else np.ones_like(a, dtype=bool)


def nansum(
    a: Array,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """`np.nansum`."""
    reduced_axes(axis, a.ndim)
    return np.sum(without_nan(a, 0.0), axis, dtype, out, keepdims, initial, where)


def nanprod(
    a: Array,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """`np.nanprod`."""
    reduced_axes(axis, a.ndim)
    return np.prod(without_nan(a, 1.0), axis, dtype, out, keepdims, initial, where)


def nancumsum(a: Array, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """`np.nancumsum`."""
    return np.cumsum(without_nan(a, 0.0), axis, dtype, out)


def nancumprod(a: Array, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """`np.nancumprod`."""
    return np.cumprod(without_nan(a, 1.0), axis, dtype, out)


def nanmean(
    a: Array, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False, *, where: Any = True
) -> Any:
    """`np.nanmean`; NumPy divides in float64 and stores the quotient in the sum's type."""
    reduced_axes(axis, a.ndim)
    if a.dtype.kind != "f":
        return np.mean(a, axis, dtype, keepdims=keepdims, where=where)
    summed = np.sum(without_nan(a, 0.0), axis, dtype, keepdims=keepdims, where=where)
    count = np.sum(present(a), axis, keepdims=keepdims, where=where)
    return np.divide(summed, count).astype(summed.dtype)


def nanvar(
    a: Array, axis: Any = None, dtype: Any = None, out: None = None, ddof: Any = 0, keepdims: bool = False
) -> Any:
    """`np.nanvar`; NaN where too few elements are left."""
    reduced_axes(axis, a.ndim)
    if a.dtype.kind != "f":
        return np.var(a, axis, dtype, None, ddof, keepdims)
    there = present(a)
    difference = np.where(there, np.subtract(a, nanmean(a, axis, dtype, keepdims=True)), 0)
    squares = np.sum(np.multiply(difference, difference), axis, keepdims=keepdims)
    freedom = np.subtract(np.sum(there, axis, keepdims=keepdims), ddof)
    result = np.divide(squares, freedom).astype(squares.dtype)
    return as_given(np.where(np.less_equal(freedom, 0), np.nan, result))


def nanstd(
    a: Array, axis: Any = None, dtype: Any = None, out: None = None, ddof: Any = 0, keepdims: bool = False
) -> Any:
    """`np.nanstd`."""
    return np.sqrt(nanvar(a, axis, dtype, None, ddof, keepdims))


def nanmax(
    a: Array, axis: Any = None, out: None = None, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Any:
    """`np.nanmax`: NaN only where all are, and no initial value is given."""
    require_elements(a, axis, initial, "fmax")
    found = np.max(without_nan(a, -np.inf), axis, keepdims=keepdims, initial=initial, where=where)
    return found if initial is not None else or_nan(a, axis, keepdims, found)


def nanmin(
    a: Array, axis: Any = None, out: None = None, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Any:
    """`np.nanmin`: as `nanmax`."""
    require_elements(a, axis, initial, "fmin")
    found = np.min(without_nan(a, np.inf), axis, keepdims=keepdims, initial=initial, where=where)
    return found if initial is not None else or_nan(a, axis, keepdims, found)


def require_elements(a: Array, axis: Any, initial: Any, name: str) -> None:
    """NumPy's error for no elements, without an initial value."""
    if initial is None:
        for i in reduced_axes(axis, a.ndim):
            text = f"zero-size array to reduction operation {name} which has no identity"
            raise_where(a.shape[i] == 0, ValueError, text)


def or_nan(a: Array, axis: Any, keepdims: bool, found: Any) -> Any:
    """What has been found of an array without NaN; NaN where it has nothing else."""
    if a.dtype.kind != "f":
        return found
    return as_given(np.where(np.any(present(a), axis, keepdims=keepdims), found, np.nan))


def nanargmax(a: Array, axis: Any = None, out: None = None, *, keepdims: bool = False) -> Any:
    """`np.nanargmax`."""
    reduced_axes(axis, a.ndim)
    found = np.argmax(without_nan(a, -np.inf), axis, keepdims=keepdims)
    require_some(a, axis)
    return found


def nanargmin(a: Array, axis: Any = None, out: None = None, *, keepdims: bool = False) -> Any:
    """`np.nanargmin`."""
    reduced_axes(axis, a.ndim)
    found = np.argmin(without_nan(a, np.inf), axis, keepdims=keepdims)
    require_some(a, axis)
    return found


def require_some(a: Array, axis: Any) -> None:
    """NumPy's error for a slice without a largest element."""
    if a.dtype.kind == "f":
        missing = np.invert(np.any(present(a), axis))
        if np.any(missing) if missing.ndim else missing:
            raise ValueError("All-NaN slice encountered")


def as_given(found: Array) -> Any:
    """A number of an array without axes."""
    return found if found.ndim else found[()]


__all__ = [
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]
