"""Statistics and norms, in terms of reductions: median, average, covariance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graph_program.extract.library.arrays import products
from graph_program.extract.stage.arrays.lowering_arguments import (
    MINUS_ONE,
    ONE,
    TRUE,
    array,
    axes_of,
    call,
    dtype_of,
    flag,
    inexact,
    is_given,
    listed_axes,
    number,
    numpy_function,
    result_dtype,
    returned,
    size_op,
    size_product,
    sizes_of,
    takes,
    u,
    value_error,
)
from graph_program.extract.stage.arrays.size_checks import check_same_shapes, unequal
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.numpy.outputs import with_out
from graph_program.extract.stage.numpy.products.linear import conjugated
from graph_program.extract.stage.numpy.reduce.reductions import mean, sum_
from graph_program.extract.stage.operations.known_and_truth import numeric, static, tensor
from graph_program.extract.stage.paths.size_messages import check
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Tuple, Value, size_of
from graph_program.extract.types.tensors.promotion import mean_accumulator, mean_dtype
from graph_program.extract.types.tensors.tensor_type import FLOAT64, INT64, Kind

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
    least = size_of(count)
    if (0 if least is None else least.lower) in (None, 0) and x.type.dtype.kind == "f":
        # A NaN at the end is what position -1 of no elements finds.
        column = m.op("full", number(m, np.nan, x.type.dtype), *sizes[: len(kept)], ONE)
        x = m.op("concatenate", x, column, axis=x.rank - 1)
    return x, count


def may_be_empty(x: Tensor, axes: Sequence[int]) -> bool:
    """Whether there may be no elements along some axes."""
    return any(x.type.shape[i].lower in (None, 0) for i in axes)


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
@with_out("np.median", casting="unsafe")
@takes("a, axis=None, out=None, overwrite_input=False, keepdims=False")
def median(m: Machine, a: Value, axis: Value, keepdims: Value) -> Value:
    """`np.median`: the middle of the sorted elements, or the mean of the two; NaN if any is."""
    x = array(m, a)
    target = mean_dtype(x.type.dtype)
    axes = axes_of(m, axis, x.rank, of_scalars=False, lists=True)
    if x.type.dtype.kind == "b" or (x.type.dtype.kind in "iu" and may_be_empty(x, axes)):
        x = m.cast(x, target)  # the median of nothing is NaN
    ordered, count = sorted_last(m, x, axes)
    before = size_op(m, "-", count, ONE)
    low, high = at(m, ordered, half(m, before)), at(m, ordered, half(m, count))
    accumulator = mean_accumulator(x.type.dtype)
    two = number(m, 2, accumulator)
    left, right = m.cast(low, accumulator), m.cast(high, accumulator)
    middle = m.cast(m.op("divide", m.op("add", left, right), two), target)
    odd = arithmetic.compare(m, "==", half(m, before), half(m, count))
    result = arithmetic.select_array(m, odd, m.cast(low, target), middle)
    if x.type.dtype.kind == "f":
        largest = at(m, ordered, before)
        result = m.op("where", m.op("isnan", largest), m.cast(largest, target), result)
    return restored(m, result, axes, flag(m, keepdims, "keepdims"))


# ---------------------------------------------------------------- weights


@numpy_function(np.average)
@takes("a, axis=None, weights=None, returned=False, *, keepdims=False")
def average(m: Machine, a: Value, axis: Value, weights: Value, returned: Value, keepdims: Value) -> Value:
    """`np.average`: the weighted mean."""
    x = array(m, a)
    if is_given(axis):
        axis = Static(listed_axes(m, axis, x.rank, "axis"))
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
    axes = static(m, axis, "an axis")
    text = "Shape of weights must be consistent with shape of a along specified axis."
    if w.rank != x.rank:
        if axes is None:
            raise m.error("GP302", "Axis must be specified when shapes of a and weights differ.")
        if w.rank != len(axes):
            raise value_error(m, text)
        for k, i in enumerate(axes):
            check(m, unequal(m, m.dimension(w, k), m.dimension(x, i)), ValueError, text)
        if axes != tuple(sorted(axes)):
            w = m.op("transpose", w, perm=tuple(sorted(range(len(axes)), key=axes.__getitem__)))
        w = m.op("expand_dims", w, axes=tuple(k for k in range(x.rank) if k not in axes))
    elif axes is None:
        check_same_shapes(m, [x, w], "Axis must be specified when shapes of a and weights differ.", TypeError)
    else:
        check_same_shapes(m, [x, w], text)
    return m.op("broadcast_to", w, *sizes_of(m, x))


def check_scale(m: Machine, scale: Tensor) -> None:
    """NumPy's error for weights that sum to zero."""
    zero = m.op("equal", scale, number(m, 0, scale.type.dtype), kind=scale.type.kind)
    if scale.rank:
        zero = m.op("any", zero, axes=tuple(range(scale.rank)), keepdims=False)
    text = "Weights sum to zero, can't be normalized"
    m.check(m.reclassed(zero, Kind.PYTHON), ZeroDivisionError, text)


# ---------------------------------------------------------------- covariance


@numpy_function(np.cov)
@takes("m_, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None")
def cov(
    m: Machine,
    m_: Value,
    y: Value,
    rowvar: Value,
    bias: Value,
    ddof: Value,
    fweights: Value,
    aweights: Value,
    dtype: Value,
) -> Value:
    """`np.cov`: the covariance of variables given as rows (or columns)."""
    x = array(m, m_)
    if x.rank > 2:
        raise value_error(m, "m has more than 2 dimensions")
    if is_given(y):
        other, by_row = array(m, y), Static(flag(m, rowvar, "rowvar"))
        x, rowvar = tensor(m, entries.run(m, products.variables, x, other, by_row)), TRUE
    x = m.cast(x, dtype_of(m, dtype) or result_dtype(m, x, number(m, 0, FLOAT64)))
    if x.rank < 2:
        x = m.op("reshape", x, ONE, MINUS_ONE)
    elif not flag(m, rowvar, "rowvar"):
        x = m.op("transpose", x, perm=(1, 0))
    if x.type.shape[0].constant is None:
        single = arithmetic.compare(m, "==", m.dimension(x, 0), ONE)
        m.limit(single, "GP592", "np.cov of one variable is a number, which has no dims", hint="give it x.reshape(-1)")
    lost = ddof if is_given(ddof) else Static(0 if flag(m, bias, "bias") else 1)
    if is_given(fweights) or is_given(aweights):
        weights = [array(m, w) if is_given(w) else NONE for w in (fweights, aweights)]
        return without_ones(m, tensor(m, entries.run(m, products.weighted_cov, x, lost, *weights)))
    centred = tensor(m, u(m, np.subtract, x, mean(m, x, ONE, keepdims=TRUE)))
    freedom = arithmetic.arithmetic(m, "-", m.dimension(x, 1), numeric(m, lost))
    scale = m.op("maximum", m.cast(freedom, x.type.dtype), number(m, 0, x.type.dtype))
    product = m.op("matmul", centred, m.op("transpose", conjugated(m, centred), perm=(1, 0)))
    # NumPy multiplies by the reciprocal, and squeezes single variables.
    result = m.op("multiply", product, m.op("divide", number(m, 1, x.type.dtype), scale))
    return without_ones(m, result)


def without_ones(m: Machine, x: Tensor) -> Tensor:
    """A matrix without the axes that are known to have size 1."""
    ones = tuple(i for i in range(2) if x.type.shape[i].constant == 1)
    return m.op("squeeze", x, axes=ones) if ones else x
