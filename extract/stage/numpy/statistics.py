"""Statistics and norms, in terms of reductions: median, average, quantiles, NaN-aware forms, norms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from graph_program.extract.diagnostics import DTypeError
from graph_program.extract.stage import operators
from graph_program.extract.stage.machine import Machine, size_of
from graph_program.extract.stage.numpy.common import (
    FALSE,
    FLOAT64,
    INT64,
    MINUS_ONE,
    NONE,
    ONE,
    TRUE,
    ZERO,
    array,
    as_bool,
    axes_of,
    axis_of,
    call,
    flag,
    inexact,
    is_given,
    kind_of,
    number,
    numpy_function,
    refuse_given,
    result_dtype,
    returned,
    size_op,
    size_product,
    sizes_of,
    u,
    value_error,
)
from graph_program.extract.stage.numpy.reductions import max_, mean, min_, prod, reduced, std, sum_, var
from graph_program.extract.stage.use import numeric, static, tensor
from graph_program.extract.stage.values import Static, Tensor, Tuple, Value
from graph_program.extract.types.promotion import mean_accumulator, mean_dtype
from graph_program.extract.types.tensor_type import Kind

# ---------------------------------------------------------------- order statistics


def sorted_last(m: Machine, x: Tensor, axes: tuple[int, ...]) -> tuple[Tensor, Value]:
    """The elements along some axes, sorted along one last axis, and how many there are."""
    kept = [i for i in range(x.rank) if i not in axes]
    if not axes:
        return m.op("expand_dims", x, axes=(x.rank,)), ONE
    perm = (*kept, *axes)
    if perm != tuple(range(x.rank)):
        x = m.op("transpose", x, perm=perm)
    sizes = sizes_of(m, x)
    count = size_product(m, sizes[len(kept) :])
    if len(axes) > 1:
        x = m.op("reshape", x, *sizes[: len(kept)], count)
    x = m.op("sort", x, axis=x.rank - 1)
    if (size_of(count) or ZERO_DIM).lower in (None, 0) and x.type.dtype.kind == "f":
        # A NaN at the end is what position -1 of no elements finds.
        column = m.op("full", number(m, np.nan, x.type.dtype), *sizes[: len(kept)], ONE)
        x = m.op("concatenate", x, column, axis=x.rank - 1)
    return x, count


ZERO_DIM = size_of(ZERO)


def at(m: Machine, x: Tensor, position: Value) -> Tensor:
    """The elements at one position of the last axis."""
    return m.op("take", x, m.cast(position, INT64), axis=x.rank - 1)


def half(m: Machine, count: Value) -> Value:
    return size_op(m, "//", count, Static(2))


def restored(m: Machine, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    """A result with dims of size 1 where `keepdims` wants them, of its NumPy class."""
    if keepdims and axes:
        return m.op("expand_dims", x, axes=axes)
    return returned(m, x)


@numpy_function(np.median)
def median(
    m: Machine,
    a: Value,
    axis: Value = NONE,
    out: Value = NONE,
    overwrite_input: Value = FALSE,
    keepdims: Value = FALSE,
) -> Value:
    """`np.median`: the middle of the sorted elements, or the mean of the two; NaN if any is."""
    refuse_given(m, "np.median", out=out)
    x = array(m, a)
    target = mean_dtype(x.type.dtype)
    if x.type.dtype.kind == "b":
        x = m.cast(x, target)
    axes = axes_of(m, axis, x.rank)
    ordered, count = sorted_last(m, x, axes)
    before = size_op(m, "-", count, ONE)
    low, high = at(m, ordered, half(m, before)), at(m, ordered, half(m, count))
    accumulator = mean_accumulator(x.type.dtype)
    two = number(m, 2, accumulator)
    left, right = m.cast(low, accumulator), m.cast(high, accumulator)
    middle = m.cast(m.op("divide", m.op("add", left, right), two), target)
    odd = operators.compare(m, "==", half(m, before), half(m, count))
    result = chosen(m, odd, m.cast(low, target), middle)
    if x.type.dtype.kind == "f":
        largest = at(m, ordered, before)
        result = m.op("where", m.op("isnan", largest), m.cast(largest, target), result)
    return restored(m, result, axes, flag(m, keepdims, "keepdims"))


def chosen(m: Machine, test: Value, x: Tensor, y: Tensor) -> Tensor:
    """One of two arrays by a scalar."""
    if isinstance(test, Static):
        return x if test.value else y
    return m.op("where", test, x, y)


def quantile_of(
    m: Machine, a: Value, q: Value, axis: Value, method: Value, keepdims: Value, name: str, scale: float
) -> Value:
    """Linear interpolation between order statistics."""
    if static(m, method, "the method") != "linear":
        raise m.error("GP321", f"np.{name} has a graph form for `method='linear'` only")
    wanted = np.asarray(static(m, q, "the quantile"), np.float64) / scale
    if not ((wanted >= 0) & (wanted <= 1)).all():
        limit = "100" if scale != 1 else "1"
        unit = "Percentiles" if scale != 1 else "Quantiles"
        raise value_error(m, f"{unit} must be in the range [0, {limit}]")
    x = array(m, a)
    x = m.cast(x, inexact(x.type.dtype))
    axes = axes_of(m, axis, x.rank)
    ordered, count = sorted_last(m, x, axes)
    keeps = flag(m, keepdims, "keepdims")
    results = [restored(m, interpolated(m, ordered, count, float(p)), axes, keeps) for p in wanted.reshape(-1)]
    if not wanted.ndim:
        return results[0]
    rows = m.op("concatenate", *(m.op("expand_dims", r, axes=(0,)) for r in results), axis=0)
    return rows if wanted.ndim == 1 else m.op("reshape", rows, *map(Static, wanted.shape), *sizes_of(m, rows)[1:])


def interpolated(m: Machine, ordered: Tensor, count: Value, p: float) -> Tensor:
    """The quantile `p` of sorted elements: `lower + (upper - lower) * t`, from the nearer end."""
    last = size_op(m, "-", count, ONE)
    place = tensor(m, operators.arithmetic(m, "*", last, Static(p)))
    below = m.op("floor", place, kind=Kind.PYTHON)
    low = m.cast(below, INT64)
    high = m.op("minimum", m.op("add", low, number(m, 1, INT64)), m.cast(last, INT64))
    left, right = at(m, ordered, low), at(m, ordered, high)
    dtype = ordered.type.dtype
    t = m.cast(m.op("subtract", place, below), dtype)
    gap = m.op("subtract", right, left)
    up = m.op("add", left, m.op("multiply", gap, t))
    rest = m.op("subtract", number(m, 1, dtype), t)
    down = m.op("subtract", right, m.op("multiply", gap, rest))
    result = m.op("where", m.op("greater_equal", t, number(m, 0.5, dtype)), down, up)
    result = m.op("where", m.op("equal", left, right), left, result)
    largest = at(m, ordered, last)
    return m.op("where", m.op("isnan", largest), largest, result)


LINEAR = Static("linear")


@numpy_function(np.quantile)
def quantile(
    m: Machine,
    a: Value,
    q: Value,
    axis: Value = NONE,
    out: Value = NONE,
    overwrite_input: Value = FALSE,
    method: Value = LINEAR,
    keepdims: Value = FALSE,
    *,
    weights: Value = NONE,
) -> Value:
    """`np.quantile` for known q, by linear interpolation."""
    refuse_given(m, "np.quantile", out=out, weights=weights)
    return quantile_of(m, a, q, axis, method, keepdims, "quantile", 1.0)


@numpy_function(np.percentile)
def percentile(
    m: Machine,
    a: Value,
    q: Value,
    axis: Value = NONE,
    out: Value = NONE,
    overwrite_input: Value = FALSE,
    method: Value = LINEAR,
    keepdims: Value = FALSE,
    *,
    weights: Value = NONE,
) -> Value:
    """`np.percentile` for known q, by linear interpolation."""
    refuse_given(m, "np.percentile", out=out, weights=weights)
    return quantile_of(m, a, q, axis, method, keepdims, "percentile", 100.0)


# ---------------------------------------------------------------- weights


@numpy_function(np.average)
def average(
    m: Machine,
    a: Value,
    axis: Value = NONE,
    weights: Value = NONE,
    returned: Value = FALSE,
    *,
    keepdims: Value = FALSE,
) -> Value:
    """`np.average`: the weighted mean."""
    x = array(m, a)
    if not is_given(weights):
        result = mean(m, x, axis, keepdims=keepdims)
        counts = u(m, np.divide, prod_of_ones(m, x, axis, keepdims), ONE)
    else:
        w = array(m, weights)
        dtype = result_dtype(m, x, w)
        dtype = inexact(dtype) if x.type.dtype.kind in "biu" else dtype
        w = m.cast(aligned_weights(m, x, w, axis), dtype)
        scale = tensor(m, sum_(m, w, axis, keepdims=keepdims))
        check_scale(m, scale)
        weighted = m.op("multiply", m.cast(x, dtype), w)
        result = u(m, np.divide, sum_(m, weighted, axis, keepdims=keepdims), scale)
        counts = scale
    if not flag(m, returned, "returned"):
        return result
    shape = sizes_of(m, tensor(m, result))
    return Tuple((result, broadcast_result(m, tensor(m, counts), shape)))


def broadcast_result(m: Machine, x: Tensor, shape: list[Value]) -> Value:
    return m.op("broadcast_to", x, *shape) if shape else x


def prod_of_ones(m: Machine, x: Tensor, axis: Value, keepdims: Value) -> Value:
    ones = call(m, np.ones_like, x, dtype=Static(inexact(x.type.dtype)))
    return sum_(m, ones, axis, keepdims=keepdims)


def aligned_weights(m: Machine, x: Tensor, w: Tensor, axis: Value) -> Tensor:
    """Weights broadcast to the array; a vector of weights lies along the axis."""
    if w.rank != x.rank:
        if static(m, axis, "an axis") is None:
            raise m.error("GP302", "Axis must be specified when shapes of a and weights differ.", cls=DTypeError)
        if w.rank != 1:
            raise value_error(m, "Shape of weights must be consistent with shape of a along specified axis.")
        i = axis_of(m, axis, x.rank)
        w = m.op("expand_dims", w, axes=tuple(k for k in range(x.rank) if k != i))
    return m.op("broadcast_to", w, *sizes_of(m, x))


def check_scale(m: Machine, scale: Tensor) -> None:
    """NumPy's error for weights that sum to zero."""
    zero = m.op("equal", scale, number(m, 0, scale.type.dtype), kind=scale.type.kind)
    if scale.rank:
        zero = m.op("any", zero, axes=tuple(range(scale.rank)), keepdims=False)
    text = "Weights sum to zero, can't be normalized"
    m.check(m.reclassed(zero, Kind.PYTHON), ZeroDivisionError, text)


# ---------------------------------------------------------------- NaN-aware forms


def without_nan(m: Machine, a: Value, neutral: float) -> Value:
    """The array with NaN replaced."""
    x = tensor(m, a)
    if x.type.dtype.kind != "f":
        return x
    return m.op("where", m.op("isnan", x), number(m, neutral, x.type.dtype), x, kind=x.type.kind)


def present(m: Machine, a: Value) -> Value:
    """Where an element is not NaN."""
    x = tensor(m, a)
    if x.type.dtype.kind != "f":
        return call(m, np.ones_like, x, dtype=Static(bool))
    return u(m, np.invert, u(m, np.isnan, x))


def nan_form(function: Any, base: Callable[..., Value], neutral: float) -> None:
    """Register a sum or product that takes NaN as its neutral element."""

    @numpy_function(function)
    def run(
        m: Machine,
        a: Value,
        axis: Value = NONE,
        dtype: Value = NONE,
        out: Value = NONE,
        keepdims: Value = FALSE,
        initial: Value = NONE,
        where: Value = TRUE,
    ) -> Value:
        return base(m, without_nan(m, a, neutral), axis, dtype, out, keepdims, initial, where)


nan_form(np.nansum, sum_, 0.0)
nan_form(np.nanprod, prod, 1.0)


@numpy_function(np.nanmean)
def nanmean(
    m: Machine,
    a: Value,
    axis: Value = NONE,
    dtype: Value = NONE,
    out: Value = NONE,
    keepdims: Value = FALSE,
    *,
    where: Value = TRUE,
) -> Value:
    """`np.nanmean`."""
    refuse_given(m, "np.nanmean", out=out, where=where)
    if tensor(m, a).type.dtype.kind != "f":
        return mean(m, a, axis, dtype, keepdims=keepdims)
    summed = sum_(m, without_nan(m, a, 0.0), axis, dtype, keepdims=keepdims)
    count = sum_(m, present(m, a), axis, keepdims=keepdims)
    # NumPy divides in float64 and stores the quotient in the sum's type.
    return m.cast(u(m, np.divide, summed, count), tensor(m, summed).type.dtype)


@numpy_function(np.nanvar)
def nanvar(
    m: Machine,
    a: Value,
    axis: Value = NONE,
    dtype: Value = NONE,
    out: Value = NONE,
    ddof: Value = ZERO,
    keepdims: Value = FALSE,
) -> Value:
    """`np.nanvar`; NaN where too few elements are left."""
    refuse_given(m, "np.nanvar", out=out)
    x = tensor(m, a)
    if x.type.dtype.kind != "f":
        return var(m, x, axis, dtype, out, ddof, keepdims)
    there = present(m, x)
    centre = nanmean(m, x, axis, dtype, keepdims=TRUE)
    difference = tensor(m, u(m, np.subtract, x, centre))
    zero = number(m, 0, difference.type.dtype)
    difference = m.op("where", as_bool(m, there), difference, zero)
    squares = sum_(m, u(m, np.multiply, difference, difference), axis, keepdims=keepdims)
    freedom = u(m, np.subtract, sum_(m, there, axis, keepdims=keepdims), ddof)
    result = m.cast(u(m, np.divide, squares, freedom), tensor(m, squares).type.dtype)
    lost = as_bool(m, u(m, np.less_equal, freedom, ZERO))
    missing = number(m, np.nan, result.type.dtype)
    return m.op("where", lost, missing, result, kind=result.type.kind)


@numpy_function(np.nanstd)
def nanstd(
    m: Machine,
    a: Value,
    axis: Value = NONE,
    dtype: Value = NONE,
    out: Value = NONE,
    ddof: Value = ZERO,
    keepdims: Value = FALSE,
) -> Value:
    """`np.nanstd`."""
    return u(m, np.sqrt, nanvar(m, a, axis, dtype, out, ddof, keepdims))


def nan_extreme(function: Any, base: Callable[..., Value], neutral: float) -> None:
    """Register `nanmax` or `nanmin`: NaN only where all are."""

    @numpy_function(function)
    def run(m: Machine, a: Value, axis: Value = NONE, out: Value = NONE, keepdims: Value = FALSE) -> Value:
        refuse_given(m, f"np.{function.__name__}", out=out)
        x = tensor(m, a)
        result = tensor(m, base(m, without_nan(m, x, neutral), axis, keepdims=keepdims))
        if x.type.dtype.kind != "f":
            return result
        axes = axes_of(m, axis, x.rank)
        some = reduced(m, "any", as_bool(m, present(m, x)), axes, flag(m, keepdims, "keepdims"))
        missing = number(m, np.nan, result.type.dtype)
        return m.op("where", some, result, missing, kind=result.type.kind)


nan_extreme(np.nanmax, max_, -np.inf)
nan_extreme(np.nanmin, min_, np.inf)


# ---------------------------------------------------------------- norms


@numpy_function(np.linalg.norm)
def norm(m: Machine, x: Value, ord: Value = NONE, axis: Value = NONE, keepdims: Value = FALSE) -> Value:
    """`np.linalg.norm` of vectors and matrices, without the norms that need singular values."""
    value = array(m, x)
    value = m.cast(value, inexact(value.type.dtype))
    order, where = static(m, ord, "the order of a norm"), static(m, axis, "an axis")
    keeps = flag(m, keepdims, "keepdims")
    if where is None and (
        order is None or (order in ("f", "fro") and value.rank == 2) or (order == 2 and value.rank == 1)
    ):
        return euclidean(m, value, tuple(range(value.rank)), keeps)
    axes = listed_axes(m, axis, value.rank, where)
    if len(axes) == 1:
        return vector_norm(m, value, order, axes[0], keeps)
    if len(axes) == 2:
        if axes[0] == axes[1]:
            raise value_error(m, "Duplicate axes given.")
        return matrix_norm(m, value, order, axes[0], axes[1], keeps)
    raise value_error(m, "Improper number of dimensions to norm.")


def listed_axes(m: Machine, axis: Value, rank: int, given: Any) -> tuple[int, ...]:
    """The axes of a norm, in the order given: rows before columns."""
    if given is None:
        return tuple(range(rank))
    listed = given if isinstance(given, tuple) else (given,)
    return tuple(axis_of(m, Static(a), rank) for a in listed)


def euclidean(m: Machine, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Value:
    """The square root of the sum of squares."""
    squares = m.op("multiply", x, x)
    return u(m, np.sqrt, reduced(m, "sum", squares, tuple(sorted(axes)), keepdims))


def vector_norm(m: Machine, x: Tensor, order: Any, axis: int, keepdims: bool) -> Value:
    """The norm of the vectors along an axis."""
    if order is None or order == 2:
        return euclidean(m, x, (axis,), keepdims)
    if isinstance(order, str):
        raise value_error(m, f"Invalid norm order '{order}' for vectors")
    size = m.op("absolute", x)
    if order in (np.inf, -np.inf):
        return reduced(m, "max" if order > 0 else "min", size, (axis,), keepdims)
    if order == 0:
        present_ = m.cast(as_bool(m, x), x.type.dtype)
        return reduced(m, "sum", present_, (axis,), keepdims)
    if order == 1:
        return reduced(m, "sum", size, (axis,), keepdims)
    powers = tensor(m, u(m, np.power, size, Static(float(order))))
    summed = reduced(m, "sum", powers, (axis,), keepdims)
    return u(m, np.power, summed, number(m, 1 / order, summed.type.dtype))


def matrix_norm(m: Machine, x: Tensor, order: Any, row: int, column: int, keepdims: bool) -> Value:
    """The norm of the matrices over two axes."""
    if order in (None, "fro", "f"):
        return euclidean(m, x, (row, column), keepdims)
    if order in (2, -2, "nuc"):
        raise m.error(
            "GP321",
            f"np.linalg.norm has no graph form for `ord={order!r}` of matrices, which needs singular values",
            hint="use the Frobenius norm, or call it outside the program",
        )
    if order not in (1, -1, np.inf, -np.inf):
        raise value_error(m, "Invalid norm order for matrices.")
    summed_axis, kept_axis = (row, column) if abs(order) == 1 else (column, row)
    sums = reduced(m, "sum", m.op("absolute", x), (summed_axis,), True)
    result = reduced(m, "max" if order > 0 else "min", sums, (kept_axis,), True)
    if keepdims:
        return result
    squeezed = m.op("squeeze", result, axes=tuple(sorted((row, column))))
    return m.reclassed(squeezed, kind_of(squeezed.rank))


@numpy_function(np.linalg.vector_norm)
def linalg_vector_norm(
    m: Machine,
    x: Value,
    /,
    *,
    axis: Value = NONE,
    keepdims: Value = FALSE,
    ord: Value = Static(2),  # noqa: B008
) -> Value:
    """`np.linalg.vector_norm`: over any number of axes."""
    value = array(m, x)
    value = m.cast(value, inexact(value.type.dtype))
    axes = axes_of(m, axis, value.rank)
    keeps = flag(m, keepdims, "keepdims")
    order = static(m, ord, "the order of a norm")
    if order == 2:
        return euclidean(m, value, axes, keeps)
    kept = [i for i in range(value.rank) if i not in axes]
    moved = m.op("transpose", value, perm=(*kept, *axes)) if kept and axes else value
    sizes = sizes_of(m, moved)
    flat = m.op("reshape", moved, *sizes[: len(kept)], MINUS_ONE)
    result = tensor(m, vector_norm(m, flat, order, flat.rank - 1, False))
    return m.op("expand_dims", result, axes=axes) if keeps and axes else result


@numpy_function(np.linalg.matrix_norm)
def linalg_matrix_norm(
    m: Machine,
    x: Value,
    /,
    *,
    keepdims: Value = FALSE,
    ord: Value = Static("fro"),  # noqa: B008
) -> Value:
    """`np.linalg.matrix_norm`: over the last two axes."""
    value = array(m, x)
    value = m.cast(value, inexact(value.type.dtype))
    order = static(m, ord, "the order of a norm")
    return matrix_norm(m, value, order, value.rank - 2, value.rank - 1, flag(m, keepdims, "keepdims"))


# ---------------------------------------------------------------- covariance


@numpy_function(np.cov)
def cov(
    m: Machine,
    m_: Value,
    y: Value = NONE,
    rowvar: Value = TRUE,
    bias: Value = FALSE,
    ddof: Value = NONE,
    fweights: Value = NONE,
    aweights: Value = NONE,
    *,
    dtype: Value = NONE,
) -> Value:
    """`np.cov`: the covariance of variables given as rows (or columns)."""
    refuse_given(m, "np.cov", y=y, fweights=fweights, aweights=aweights)
    x = array(m, m_)
    x = m.cast(x, result_dtype(m, x, number(m, 0, FLOAT64)))
    if x.rank > 2:
        raise value_error(m, "m has more than 2 dimensions")
    if x.rank < 2:
        x = m.op("reshape", x, ONE, MINUS_ONE)
    elif not flag(m, rowvar, "rowvar"):
        x = m.op("transpose", x, perm=(1, 0))
    lost = ddof if is_given(ddof) else Static(0 if flag(m, bias, "bias") else 1)
    centred = tensor(m, u(m, np.subtract, x, mean(m, x, ONE, keepdims=TRUE)))
    freedom = operators.arithmetic(m, "-", m.dimension(x, 1), numeric(m, lost))
    scale = m.op("maximum", m.cast(freedom, x.type.dtype), number(m, 0, x.type.dtype))
    product = m.op("matmul", centred, m.op("transpose", centred, perm=(1, 0)))
    # NumPy multiplies by the reciprocal, and squeezes single variables.
    result = m.op("multiply", product, m.op("divide", number(m, 1, x.type.dtype), scale))
    single = tuple(i for i in range(2) if result.type.shape[i].constant == 1)
    return m.op("squeeze", result, axes=single) if single else result


__all__ = ["std"]
