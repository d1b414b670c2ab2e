"""Functions along axes: sums, extremes, moments, truths, differences."""

from __future__ import annotations

import numpy as np

from graph_program.tensor_api.array_api import dtypes
from graph_program.tensor_api.array_api.array import Array, elements, wrap
from graph_program.tensor_api.array_api.dtypes import FLOATING, NUMERIC, REAL, DType

Axes = int | tuple[int, ...]


def all(x: Array, /, *, axis: Axes | None = None, keepdims: bool = False) -> Array:
    """Whether all elements are true, or not 0."""
    return wrap(np.all(elements("all", x), axis=axis, keepdims=keepdims))


def any(x: Array, /, *, axis: Axes | None = None, keepdims: bool = False) -> Array:
    """Whether an element is true, or not 0."""
    return wrap(np.any(elements("any", x), axis=axis, keepdims=keepdims))


def cumulative_prod(
    x: Array, /, *, axis: int | None = None, dtype: DType | None = None, include_initial: bool = False
) -> Array:
    """The products of all elements up to each one; before the first one 1 with `include_initial`."""
    array = _one_axis("cumulative_prod", x, axis)
    at = 0 if axis is None else axis
    result = np.cumprod(array, axis=at, dtype=dtype)
    return Array(_with_initial(result, 1, at) if include_initial else result)


def cumulative_sum(
    x: Array, /, *, axis: int | None = None, dtype: DType | None = None, include_initial: bool = False
) -> Array:
    """The sums of all elements up to each one; before the first one 0 with `include_initial`."""
    array = _one_axis("cumulative_sum", x, axis)
    at = 0 if axis is None else axis
    result = np.cumsum(array, axis=at, dtype=dtype)
    return Array(_with_initial(result, 0, at) if include_initial else result)


def _one_axis(name: str, x: Array, axis: int | None) -> np.ndarray:
    array = elements(name, x, NUMERIC)
    if array.ndim == 0:
        raise ValueError(f"{name}() takes arrays with at least one dimension")
    if axis is None and array.ndim > 1:
        raise ValueError(f"{name}() takes an axis for an array with several")
    return array


def _with_initial(array: np.ndarray, value: int, axis: int) -> np.ndarray:
    rows = np.moveaxis(array, axis, 0)
    first = np.full((1, *rows.shape[1:]), value, dtype=array.dtype)
    return np.moveaxis(np.concatenate([first, rows]), 0, axis)


def max(x: Array, /, *, axis: Axes | None = None, keepdims: bool = False) -> Array:
    """The greatest element; NaN where there is one."""
    return wrap(np.max(elements("max", x, REAL), axis=axis, keepdims=keepdims))


def mean(x: Array, /, *, axis: Axes | None = None, keepdims: bool = False) -> Array:
    """The mean of floating-point numbers."""
    return wrap(np.mean(elements("mean", x, FLOATING), axis=axis, keepdims=keepdims))


def min(x: Array, /, *, axis: Axes | None = None, keepdims: bool = False) -> Array:
    """The smallest element; NaN where there is one."""
    return wrap(np.min(elements("min", x, REAL), axis=axis, keepdims=keepdims))


def prod(x: Array, /, *, axis: Axes | None = None, dtype: DType | None = None, keepdims: bool = False) -> Array:
    """The product; of small integers as int64 or uint64."""
    return wrap(np.prod(elements("prod", x, NUMERIC), axis=axis, dtype=dtype, keepdims=keepdims))


def std(x: Array, /, *, axis: Axes | None = None, correction: int | float = 0.0, keepdims: bool = False) -> Array:
    """The standard deviation; the sum of squares is divided by the number of elements less `correction`."""
    return wrap(np.std(elements("std", x, dtypes.FLOAT), axis=axis, ddof=correction, keepdims=keepdims))


def sum(x: Array, /, *, axis: Axes | None = None, dtype: DType | None = None, keepdims: bool = False) -> Array:
    """The sum; of small integers as int64 or uint64."""
    return wrap(np.sum(elements("sum", x, NUMERIC), axis=axis, dtype=dtype, keepdims=keepdims))


def var(x: Array, /, *, axis: Axes | None = None, correction: int | float = 0.0, keepdims: bool = False) -> Array:
    """The variance; the sum of squares is divided by the number of elements less `correction`."""
    return wrap(np.var(elements("var", x, dtypes.FLOAT), axis=axis, ddof=correction, keepdims=keepdims))


def diff(
    x: Array, /, *, axis: int = -1, n: int = 1, prepend: Array | None = None, append: Array | None = None
) -> Array:
    """The differences of neighbours along an axis, n times; other arrays may be joined before and after."""
    parts = [elements("diff", x, NUMERIC)]
    if prepend is not None:
        dtypes.promoted(x.dtype, prepend.dtype)
        parts = [prepend._array, *parts]
    if append is not None:
        dtypes.promoted(x.dtype, append.dtype)
        parts = [*parts, append._array]
    return Array(np.diff(np.concatenate(parts, axis=axis) if len(parts) > 1 else parts[0], n=n, axis=axis))


__all__ = [
    "all",
    "any",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]
