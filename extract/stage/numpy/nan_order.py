"""Positions, running sums and order statistics that pass over NaN: `np.nanargmax`, `np.nanmedian`, ..."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.numpy import nan_programs
from graph_program.extract.stage.numpy.common import (
    FALSE,
    FLOAT64,
    NONE,
    array,
    as_bool,
    axes_of,
    flag,
    numpy_function,
    refuse_given,
    sizes_of,
)
from graph_program.extract.stage.numpy.extremes import argmax, argmin
from graph_program.extract.stage.numpy.nan_aware import present, without_nan
from graph_program.extract.stage.numpy.outputs import with_out
from graph_program.extract.stage.numpy.reductions import cumprod, cumsum, reduced
from graph_program.extract.stage.numpy.solvers import run
from graph_program.extract.stage.numpy.statistics import (
    LINEAR,
    fractions,
    median,
    percentile,
    quantile,
    restored,
    sorted_last,
)
from graph_program.extract.stage.use import size_needed, tensor
from graph_program.extract.stage.values import Static, Tensor, Value


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
            run(m, nan_programs.refuse_all_nan, all_nan)
        return result


position_form(np.nanargmax, argmax, -np.inf)
position_form(np.nanargmin, argmin, np.inf)


@numpy_function(np.nanmedian)
@with_out("np.nanmedian", casting="unsafe")
def nanmedian(
    m: Machine,
    a: Value,
    axis: Value = NONE,
    out: Value = NONE,
    overwrite_input: Value = FALSE,
    keepdims: Value = FALSE,
) -> Value:
    """`np.nanmedian`: NaN only where all elements are."""
    x = array(m, a)
    if x.type.dtype.kind != "f":
        return median(m, x, axis, keepdims=keepdims)
    axes = axes_of(m, axis, x.rank, of_scalars=False)
    result = tensor(m, run(m, nan_programs.nan_median, sorted_last(m, x, axes)[0]))
    return restored(m, result, axes, flag(m, keepdims, "keepdims"))


def nan_quantile_of(
    m: Machine, x: Tensor, q: Value, axis: Value, method: Value, keepdims: Value, name: str, scale: float
) -> Value:
    """Quantiles of the elements that are not NaN."""
    wanted = fractions(m, q, method, name, scale)
    if wanted.ndim:
        require_elements(m, x, name)
    axes = axes_of(m, axis, x.rank, of_scalars=False)
    ordered, _ = sorted_last(m, x, axes)
    dtype = FLOAT64 if wanted.ndim else x.type.dtype
    keeps = flag(m, keepdims, "keepdims")
    found = [tensor(m, run(m, nan_programs.nan_quantile, ordered, Static(float(p)))) for p in wanted.reshape(-1)]
    results = [restored(m, m.cast(r, dtype), axes, keeps) for r in found]
    if not wanted.ndim:
        return results[0]
    rows = m.op("concatenate", *(m.op("expand_dims", r, axes=(0,)) for r in results), axis=0)
    return rows if wanted.ndim == 1 else m.op("reshape", rows, *map(Static, wanted.shape), *sizes_of(m, rows)[1:])


def require_elements(m: Machine, x: Tensor, name: str) -> None:
    """Of an empty array NumPy gives one NaN for all quantiles, so whether it is empty must be known."""
    for axis, size in enumerate(x.type.shape):
        if size.constant is None and size.lower in (None, 0):
            text = f"np.{name} for several quantiles needs to know whether dim {axis} (of size {size}) is 0"
            error = m.error("GP309", text, hint="ask for one quantile at a time")
            raise size_needed(m.dimension(x, axis), error)
        if size.constant == 0:
            raise m.error("GP321", f"np.{name} has no graph form for several quantiles of an empty array")


def quantile_form(function: Any, base: Callable[..., Value], name: str, scale: float) -> None:
    """Register `nanquantile` or `nanpercentile`."""

    @numpy_function(function)
    @with_out(f"np.{name}", casting="unsafe")
    def lowered(
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
        refuse_given(m, f"np.{name}", weights=weights)
        x = array(m, a)
        if x.type.dtype.kind != "f":
            return base(m, x, q, axis, method=method, keepdims=keepdims)
        return nan_quantile_of(m, x, q, axis, method, keepdims, name, scale)


quantile_form(np.nanquantile, quantile, "nanquantile", 1.0)
quantile_form(np.nanpercentile, percentile, "nanpercentile", 100.0)
