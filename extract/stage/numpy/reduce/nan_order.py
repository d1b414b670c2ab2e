"""Positions, running sums and order statistics that pass over NaN: `np.nanargmax`, `np.nanmedian`, ..."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract.library.arrays import nan_order as nan_programs
from graph_program.extract.stage.arrays.lowering_arguments import (
    FALSE,
    array,
    as_bool,
    axes_of,
    flag,
    numpy_function,
    takes,
)
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numpy.outputs import with_out
from graph_program.extract.stage.numpy.reduce.extremes import argmax, argmin
from graph_program.extract.stage.numpy.reduce.nan_aware import present, without_nan
from graph_program.extract.stage.numpy.reduce.reductions import cumprod, cumsum, reduced
from graph_program.extract.stage.numpy.reduce.statistics import median, restored, sorted_last
from graph_program.extract.stage.operations.known_and_truth import tensor
from graph_program.extract.stage.values.values import NONE, Value


def running_form(function: Any, base: Callable[..., Value], neutral: float) -> None:
    """Register a running sum or product that takes NaN as its neutral element."""

    @numpy_function(function)
    def lowered(m: Machine, a: Value, axis: Value = NONE, dtype: Value = NONE, out: Value = NONE) -> Value:
        return base(m, without_nan(m, array(m, a), neutral), axis, dtype, out)


running_form(np.nancumsum, cumsum, 0.0)
running_form(np.nancumprod, cumprod, 1.0)


def position_form(function: Any, base: Callable[..., Value], neutral: float) -> None:
    """Register `nanargmax` or `nanargmin`, which fail where all elements are NaN."""

    @numpy_function(function)
    @with_out(f"np.{function.__name__}", exact=True)
    def lowered(m: Machine, a: Value, axis: Value = NONE, out: Value = NONE, *, keepdims: Value = FALSE) -> Value:
        x = array(m, a)
        result = base(m, without_nan(m, x, neutral), axis, keepdims=keepdims)
        if x.type.dtype.kind == "f":
            some = reduced(m, "any", as_bool(m, present(m, x)), axes_of(m, axis, x.rank), False)
            all_nan = m.op("invert", some)
            if all_nan.rank:
                all_nan = m.op("any", all_nan, axes=tuple(range(all_nan.rank)), keepdims=False)
            entries.run(m, nan_programs.refuse_all_nan, all_nan)
        return result


position_form(np.nanargmax, argmax, -np.inf)
position_form(np.nanargmin, argmin, np.inf)


@numpy_function(np.nanmedian)
@with_out("np.nanmedian", casting="unsafe")
@takes("a, axis=None, out=None, overwrite_input=False, keepdims=False")
def nanmedian(m: Machine, a: Value, axis: Value, keepdims: Value) -> Value:
    """`np.nanmedian`: NaN only where all elements are."""
    x = array(m, a)
    if x.type.dtype.kind != "f":
        return median(m, x, axis, keepdims=keepdims)
    axes = axes_of(m, axis, x.rank, of_scalars=False, lists=True)
    result = tensor(m, entries.run(m, nan_programs.nan_median, sorted_last(m, x, axes)[0]))
    return restored(m, result, axes, flag(m, keepdims, "keepdims"))
