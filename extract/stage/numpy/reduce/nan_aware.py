"""Reductions that pass over NaN: `np.nansum` and its relatives."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract.stage.arrays.lowering_arguments import (
    TRUE,
    ZERO,
    as_bool,
    axes_of,
    call,
    flag,
    is_given,
    number,
    numpy_function,
    takes,
    u,
)
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.numpy.outputs import with_out
from graph_program.extract.stage.numpy.reduce.extremes import max_, min_
from graph_program.extract.stage.numpy.reduce.reductions import deviation_form, mean, prod, reduced, sum_, var
from graph_program.extract.stage.operations.known_and_truth import tensor
from graph_program.extract.stage.paths.size_messages import check
from graph_program.extract.stage.values.values import Static, Value


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
    @functools.wraps(base)
    def run(m: Machine, a: Value, *args: Value, **keywords: Value) -> Value:
        return base(m, without_nan(m, a, neutral), *args, **keywords)


nan_form(np.nansum, sum_, 0.0)
nan_form(np.nanprod, prod, 1.0)


@numpy_function(np.nanmean)
@with_out("np.nanmean", "add")
@takes("a, axis=None, dtype=None, out=None, keepdims=False, *, where=True")
def nanmean(m: Machine, a: Value, axis: Value, dtype: Value, keepdims: Value, where: Value) -> Value:
    if tensor(m, a).type.dtype.kind != "f":
        return mean(m, a, axis, dtype, keepdims=keepdims, where=where)
    summed = sum_(m, without_nan(m, a, 0.0), axis, dtype, keepdims=keepdims, where=where)
    count = sum_(m, present(m, a), axis, keepdims=keepdims, where=where)
    # NumPy divides in float64 and stores the quotient in the sum's type.
    return m.cast(u(m, np.divide, summed, count), tensor(m, summed).type.dtype)


@numpy_function(np.nanvar)
@with_out("np.nanvar", "add")
@takes("a, axis=None, dtype=None, out=None, ddof=0, keepdims=False")
def nanvar(m: Machine, a: Value, axis: Value, dtype: Value, out: Value, ddof: Value, keepdims: Value) -> Value:
    """`np.nanvar`; NaN where too few elements are left."""
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


deviation_form(np.nanstd, nanvar)


def nan_extreme(function: Any, base: Callable[..., Value], neutral: float, reduces: str) -> None:
    """Register `nanmax` or `nanmin`: NaN only where all are, and no initial value is given."""

    @numpy_function(function)
    @with_out(f"np.{function.__name__}", casting="unsafe")
    @takes("a, axis=None, out=None, keepdims=False, initial=None, where=True")
    def run(m: Machine, a: Value, axis: Value, keepdims: Value, initial: Value, where: Value) -> Value:
        x = tensor(m, a)
        for axis_ in () if is_given(initial) else axes_of(m, axis, x.rank):
            none = arithmetic.compare(m, "==", m.dimension(x, axis_), ZERO)
            check(m, none, ValueError, f"zero-size array to reduction operation {reduces} which has no identity")
        given = base(m, without_nan(m, x, neutral), axis, keepdims=keepdims, initial=initial, where=where)
        result = tensor(m, given)
        if x.type.dtype.kind != "f" or is_given(initial):
            return result
        axes = axes_of(m, axis, x.rank)
        some = reduced(m, "any", as_bool(m, present(m, x)), axes, flag(m, keepdims, "keepdims"))
        missing = number(m, np.nan, result.type.dtype)
        return m.op("where", some, result, missing, kind=result.type.kind)


nan_extreme(np.nanmax, max_, -np.inf, "fmax")
nan_extreme(np.nanmin, min_, np.inf, "fmin")
