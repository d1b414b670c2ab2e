"""Sums, products, truth of all, counting, running sums, extremes and their positions.

np.sum(x, axis=1)   of int32   ->   sum(cast(x, int64), axes=(1,), keepdims=False)
np.mean(x)          of float16 ->   cast(divide(sum(cast(x, float32)), n), float16)
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract.stage.arrays.lowering_arguments import (
    FALSE,
    ONE,
    TRUE,
    array,
    as_bool,
    axes_of,
    axis_of,
    dtype_of,
    element_count,
    flag,
    flat,
    is_given,
    kind_of,
    number,
    numpy_function,
    sizes_of,
    takes,
    u,
    value_error,
)
from graph_program.extract.stage.arrays.size_checks import check_stretched, output_text
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.numbers import arithmetic, bfloat16_operations, complex_operations
from graph_program.extract.stage.numpy.outputs import with_out
from graph_program.extract.stage.operations.known_and_truth import numeric, static, tensor
from graph_program.extract.stage.operations.of_numbers.conversions import as_element
from graph_program.extract.stage.values.questions import is_false, is_true
from graph_program.extract.stage.values.values import NONE, Tensor, Tuple, Value, is_numeric, type_of
from graph_program.extract.types.tensors.promotion import mean_accumulator, mean_dtype, sum_dtype
from graph_program.extract.types.tensors.tensor_type import FLOAT64, INT64, PY_INT, Kind


def reduced(m: Machine, op: str, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    """A reduction operation; a NumPy scalar where nothing is left of the shape."""
    rank = x.rank if keepdims else x.rank - len(axes)
    return m.op(op, x, axes=axes, keepdims=keepdims, kind=kind_of(rank))


def masked(m: Machine, x: Tensor, where: Value, neutral: Any) -> Tensor:
    """The elements that take part; others are replaced by a neutral one."""
    if everywhere(m, where):
        return x
    other = neutral if isinstance(neutral, Tensor) else number(m, neutral, x.type.dtype)
    if is_false(numeric(m, where)):
        return m.op("where", FALSE, x, other, kind=x.type.kind)
    mask = as_bool(m, where)
    require_mask(m, x, mask)
    return m.op("where", mask, x, other, kind=x.type.kind)


def everywhere(m: Machine, where: Value) -> bool:
    """Whether all elements take part, whatever the values are."""
    return is_true(numeric(m, where))


def require_mask(m: Machine, x: Tensor, mask: Tensor) -> None:
    """A mask is broadcast to the elements, never the other way round."""
    if mask.rank > x.rank:
        raise value_error(m, "input operand has more dimensions than allowed by the axis remapping")
    check_stretched(m, x, mask, output_text(x, mask, "operand"))


# ---------------------------------------------------------------- sums and products


def total_of_ints(m: Machine, op: str, value: Value) -> Value | None:
    """The sum or product of a tuple of Python ints, such as a shape, one by one: a size stays a size."""
    items = value.elts if isinstance(value, Tuple) else ()
    if not items or not all(is_numeric(v) and type_of(v) == PY_INT for v in items):
        return None
    numbers = [m.cast(v, INT64, kind_of(0)) for v in items]
    return functools.reduce(lambda x, y: m.op({"sum": "add", "prod": "multiply"}[op], x, y, kind=kind_of(0)), numbers)


def total_form(function: Any, ufunc: str) -> Callable[..., Value]:
    """Register `np.sum` or `np.prod`, which add up or multiply narrow integers in 64 bits."""
    op = function.__name__

    @numpy_function(function, method=op)
    @with_out(f"np.{op}", ufunc, casting="unsafe")
    @takes("a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True")
    def run(m: Machine, a: Value, axis: Value, dtype: Value, keepdims: Value, initial: Value, where: Value) -> Value:
        whole = not any(map(is_given, (axis, dtype, initial))) and keepdims is FALSE and where is TRUE
        scalar = total_of_ints(m, op, a) if whole else None
        if scalar is not None:
            return scalar
        x = tensor(m, a)
        target = dtype_of(m, dtype) or sum_dtype(x.type.dtype)
        x = masked(m, m.cast(x, target), where, 0 if op == "sum" else 1)
        result = reduced(m, op, x, axes_of(m, axis, x.rank), flag(m, keepdims, "keepdims"))
        if not is_given(initial):
            return result
        if result.type.is_bfloat16:
            raise bfloat16_operations.refused(m, f"np.{op}(initial=...)")  # NumPy begins with it
        return u(m, np.add if op == "sum" else np.multiply, result, as_element(m, numeric(m, initial), target))

    return run


sum_, prod = total_form(np.sum, "add"), total_form(np.prod, "multiply")


@numpy_function(np.mean, method="mean")
@with_out("np.mean", "add")
@takes("a, axis=None, dtype=None, out=None, keepdims=False, *, where=True")
def mean(m: Machine, a: Value, axis: Value, dtype: Value, keepdims: Value, where: Value) -> Value:
    """`np.mean`: integers in float64, float16 added up in float32; NaN of no elements."""
    x, given = tensor(m, a), dtype_of(m, dtype)
    accumulator = given or mean_accumulator(x.type.dtype)
    axes = axes_of(m, axis, x.rank, of_scalars=False)
    x = m.cast(x, accumulator)
    count = counted(m, x, axes, where, flag(m, keepdims, "keepdims"))
    summed = reduced(m, "sum", masked(m, x, where, 0), axes, flag(m, keepdims, "keepdims"))
    if accumulator.kind in "biu":
        # An integer type that was asked for: the quotient is cut back to it.
        quotient = tensor(m, u(m, np.divide, summed, m.reclassed(tensor(m, count), kind_of(0))))
        return m.cast(quotient, accumulator)
    return m.cast(divided(m, summed, count), given or mean_dtype(tensor(m, a).type.dtype))


def divided(m: Machine, total: Tensor, count: Value) -> Tensor:
    """A sum by a number of elements, in the sum's element type; NumPy divides bfloat16 in float64."""
    dtype = total.type.dtype
    wide = FLOAT64 if total.type.is_bfloat16 else dtype
    return m.cast(m.op("divide", m.cast(total, wide), m.cast(count, wide), kind=total.type.kind), dtype)


def counted(m: Machine, x: Tensor, axes: tuple[int, ...], where: Value, keepdims: bool) -> Value:
    """How many elements go into each result."""
    if everywhere(m, where):
        return element_count(m, x, axes)
    test = m.op("broadcast_to", m.reclassed(as_bool(m, where), Kind.ARRAY), *sizes_of(m, x))
    return reduced(m, "sum", m.cast(test, INT64), axes, keepdims)


@numpy_function(np.var)
@with_out("np.var", "add")
@takes("a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None")
def var(
    m: Machine,
    a: Value,
    axis: Value,
    dtype: Value,
    ddof: Value,
    keepdims: Value,
    where: Value,
    mean: Value,
    correction: Value,
) -> Value:
    """`np.var`: the mean of the squared differences from the mean."""
    x = tensor(m, a)
    target = dtype_of(m, dtype) or mean_dtype(x.type.dtype)
    x = m.cast(x, target)
    axes = axes_of(m, axis, x.rank, of_scalars=False)
    keeps = flag(m, keepdims, "keepdims")
    centre: Value = mean
    if not is_given(mean):
        summed = reduced(m, "sum", masked(m, x, where, 0), axes, True)
        centre = divided(m, summed, counted(m, x, axes, where, True))
    difference = tensor(m, u(m, np.subtract, x, centre))
    squared = squares(m, difference)
    result = reduced(m, "sum", masked(m, squared, where, 0), axes, keeps)
    lost = correction if is_given(correction) else ddof
    wide = FLOAT64 if result.type.is_bfloat16 else squared.type.dtype
    return divided(m, result, degrees(m, counted(m, x, axes, where, keeps), lost, wide))


def squares(m: Machine, x: Tensor) -> Tensor:
    """The squared sizes of elements."""
    if not x.type.is_complex:
        return m.op("multiply", x, x)
    re, im = complex_operations.taken_apart(m, x)
    return (re * re + im * im).tensor


def degrees(m: Machine, count: Value, lost: Value, dtype: np.dtype[Any]) -> Tensor:
    """`max(count - ddof, 0)`."""
    rest = arithmetic.arithmetic(m, "-", count, numeric(m, lost))
    return m.op("maximum", m.cast(rest, dtype), number(m, 0, dtype))


@numpy_function(np.std)
@with_out("np.std", "add")
@functools.wraps(var)
def std(m: Machine, *args: Value, **keywords: Value) -> Value:
    """`np.std`: the square root of the variance."""
    return u(m, np.sqrt, var(m, *args, **keywords))


def variance_method(name: str, run: Callable[..., Value]) -> None:
    """Register `x.var` or `x.std`, which have fewer parameters than the functions."""

    @lowers(method=name)
    @takes("a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True")
    def method(
        m: Machine, a: Value, axis: Value, dtype: Value, out: Value, ddof: Value, keepdims: Value, where: Value
    ) -> Value:
        return run(m, a, axis, dtype, out, ddof, keepdims, where=where)


variance_method("var", var)
variance_method("std", std)


# ---------------------------------------------------------------- truth and counting


def truth_form(function: Any, ufunc: str) -> Callable[..., Value]:
    """Register `np.all` or `np.any`."""
    op = function.__name__

    @numpy_function(function, method=op)
    @with_out(f"np.{op}", ufunc, casting="unsafe")
    @takes("a, axis=None, out=None, keepdims=False, *, where=True")
    def run(m: Machine, a: Value, axis: Value, keepdims: Value, where: Value) -> Value:
        x = masked(m, as_bool(m, a), where, op == "all")
        return reduced(m, op, x, axes_of(m, axis, x.rank), flag(m, keepdims, "keepdims"))

    return run


all_, any_ = truth_form(np.all, "logical_and"), truth_form(np.any, "logical_or")


@numpy_function(np.count_nonzero)
def count_nonzero(m: Machine, a: Value, axis: Value = NONE, *, keepdims: Value = FALSE) -> Value:
    """`np.count_nonzero`; of all elements, a Python int or NumPy's, as the installed NumPy gives it."""
    ones = m.cast(as_bool(m, a), INT64)
    keeps = flag(m, keepdims, "keepdims")
    result = reduced(m, "sum", ones, axes_of(m, axis, ones.rank), keeps)
    whole = static(m, axis, "an axis") is None and not keeps
    return m.reclassed(result, Kind.PYTHON) if whole and isinstance(np.count_nonzero(np.ones(1)), int) else result


# ---------------------------------------------------------------- running sums, differences


def running_form(function: Any, ufunc: str) -> Callable[..., Value]:
    """Register `np.cumsum` or `np.cumprod`; of the flattened array without an axis."""
    op = function.__name__

    @numpy_function(function, method=op)
    @with_out(f"np.{op}", ufunc, casting="unsafe")
    def run(m: Machine, a: Value, axis: Value = NONE, dtype: Value = NONE, out: Value = NONE) -> Value:
        x = array(m, a)
        x = m.cast(x, dtype_of(m, dtype) or sum_dtype(x.type.dtype))
        if static(m, axis, "an axis") is None or not x.rank:
            if is_given(axis):
                axis_of(m, axis, 1)
            return m.op(op, flat(m, x), axis=0)
        return m.op(op, x, axis=axis_of(m, axis, x.rank))

    return run


cumsum, cumprod = running_form(np.cumsum, "add"), running_form(np.cumprod, "multiply")


def extreme_with(m: Machine, op: str, x: Tensor, axis: Value, keepdims: Value, first: Tensor) -> Value:
    """An extreme of the elements and an initial value, which is the result where there are none."""
    axes = axes_of(m, axis, x.rank)
    if not axes:
        return u(m, np.maximum if op == "max" else np.minimum, x, first)
    for axis_ in axes[1:]:
        x = tensor(m, extreme_with(m, op, x, number(m, axis_, INT64), TRUE, first))
    # One slice of the initial value keeps the reduced axis from being empty; the other axes may be.
    sizes = [ONE if i in axes else size for i, size in enumerate(sizes_of(m, x))]
    column = m.op("broadcast_to", m.reclassed(first, Kind.ARRAY), *sizes)
    joined = m.op("concatenate", x, column, axis=axes[0])
    return reduced(m, op, joined, axes, flag(m, keepdims, "keepdims"))


def extreme_form(function: Any, op: str, ufunc: str) -> Callable[..., Value]:
    """Register `np.max` or `np.min`."""

    @numpy_function(function, method=op)
    @with_out(f"np.{op}", ufunc, casting="unsafe")
    @takes("a, axis=None, out=None, keepdims=False, initial=None, where=True")
    def run(m: Machine, a: Value, axis: Value, keepdims: Value, initial: Value, where: Value) -> Value:
        x = tensor(m, a)
        if is_given(initial):
            first = as_element(m, numeric(m, initial), x.type.dtype)
            return extreme_with(m, op, masked(m, x, where, first), axis, keepdims, first)
        if not everywhere(m, where):
            text = f"reduction operation '{ufunc}' does not have an identity, so to use a where mask one has to specify"
            raise value_error(m, f"{text} 'initial'")
        return reduced(m, op, x, axes_of(m, axis, x.rank), flag(m, keepdims, "keepdims"))

    return run


max_, min_ = extreme_form(np.max, "max", "maximum"), extreme_form(np.min, "min", "minimum")


def position_form(function: Any) -> Callable[..., Value]:
    """Register `np.argmax` or `np.argmin`: the first of the extremes; of the flattened array without an axis."""
    op = function.__name__

    @numpy_function(function, method=op)
    @with_out(f"np.{op}", exact=True)
    def run(m: Machine, a: Value, axis: Value = NONE, out: Value = NONE, *, keepdims: Value = FALSE) -> Value:
        x, keeps = array(m, a), flag(m, keepdims, "keepdims")
        if static(m, axis, "an axis") is not None:
            if not x.rank:
                x = flat(m, x)
                return m.op(op, x, axis=axis_of(m, axis, 1), keepdims=False, kind=Kind.NUMPY)
            i = axis_of(m, axis, x.rank)
            return m.op(op, x, axis=i, keepdims=keeps, kind=kind_of(x.rank if keeps else x.rank - 1))
        result = m.op(op, flat(m, x), axis=0, keepdims=False, kind=Kind.NUMPY)
        return m.op("reshape", result, *[ONE] * x.rank) if keeps and x.rank else result

    return run


argmax, argmin = position_form(np.argmax), position_form(np.argmin)


lowers(np.amax, name="amax")(max_)
lowers(np.amin, name="amin")(min_)
