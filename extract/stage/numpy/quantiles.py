"""`np.quantile`, `np.percentile` and their NaN-aware forms, for known and computed quantiles.

np.quantile(x, q)   ->   place = (n - 1) * q;  between the elements of sort(x) below and above it
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graph_program.extract.stage import operators
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.numpy import nan_programs
from graph_program.extract.stage.numpy.common import (
    FALSE,
    INT64,
    MINUS_ONE,
    NONE,
    ZERO,
    array,
    axes_of,
    flag,
    inexact,
    is_given,
    number,
    numpy_function,
    refuse_given,
    sizes_of,
    u,
    value_error,
)
from graph_program.extract.stage.numpy.outputs import with_out
from graph_program.extract.stage.numpy.programs import run
from graph_program.extract.stage.numpy.size_checks import check
from graph_program.extract.stage.numpy.statistics import may_be_empty, restored, sorted_last
from graph_program.extract.stage.static_evaluation import OPAQUE, python_object
from graph_program.extract.stage.use import numeric, settled, size_needed, static, tensor
from graph_program.extract.stage.values import Static, Tensor, Value, static_contents, type_of
from graph_program.extract.types.tensor_type import Kind

LINEAR = Static("linear")


def quantiles_of(
    m: Machine, a: Value, q: Value, axis: Value, method: Value, keepdims: Value, name: str, weights: Value
) -> Value:
    """Quantiles along some axes, for each one that is asked for."""
    refuse_given(m, f"np.{name}", weights=weights)
    if is_given(method) and static(m, method, "the method") != "linear":
        raise m.error("GP321", f"np.{name} has a graph form for `method='linear'` only")
    x = array(m, a)
    if x.type.dtype.kind == "b":
        u(m, np.subtract, x, x)  # refused in NumPy's words
    wanted, weak = fractions(m, q, 100 if name.endswith("percentile") else 1)
    axes = axes_of(m, axis, x.rank, of_scalars=False)
    is_float = x.type.dtype.kind == "f" or (wanted.type.dtype.kind == "f" and may_be_empty(x, axes))
    passes = name.startswith("nan") and is_float
    if wanted.rank and passes:
        require_elements(m, x, name)
    found = computed(m, x, m.op("reshape", wanted, MINUS_ONE), axes, passes, weak)
    batch = sizes_of(m, found)[1:]
    if not wanted.rank:
        return restored(m, m.op("reshape", found, *batch), axes, flag(m, keepdims, "keepdims"))
    if wanted.rank > 1:
        found = m.op("reshape", found, *sizes_of(m, wanted), *batch)
    if flag(m, keepdims, "keepdims") and axes:
        found = m.op("expand_dims", found, axes=tuple(axis + wanted.rank for axis in axes))
    return found


def fractions(m: Machine, q: Value, scale: int) -> tuple[Tensor, bool]:
    """The quantiles that are asked for, between 0 and 1, and whether that is a Python number."""
    unit, limit = ("Percentiles", 100) if scale != 1 else ("Quantiles", 1)
    text = f"{unit} must be in the range [0, {limit}]"
    known, given = python_object(m, settled(m, q)), numeric(m, q)
    weak = type_of(given).kind is Kind.PYTHON and type_of(given).dtype.kind != "b"
    wanted = array(m, u(m, np.divide, given, Static(scale)) if scale != 1 else given)
    if known is OPAQUE:
        run(m, nan_programs.require_fractions, wanted, Static(text))
    elif not ((np.asarray(known) >= 0) & (np.asarray(known) <= scale)).all():
        raise value_error(m, text)
    return wanted, weak


def computed(m: Machine, x: Tensor, wanted: Tensor, axes: tuple[int, ...], passes: bool, weak: bool) -> Tensor:
    """The quantiles along a new first axis; with `passes` those of what is not NaN.

    Quantiles that are integers choose elements, and others lie between two.
    """
    interpolates, of_float = wanted.type.dtype.kind == "f", x.type.dtype.kind == "f"
    x = m.cast(x, inexact(x.type.dtype)) if interpolates else x
    wanted = wanted if interpolates else m.cast(wanted, INT64)
    ordered, count = sorted_last(m, x, axes)
    if passes and not interpolates:
        return tensor(m, run(m, nan_programs.nan_picked, ordered, wanted))
    if passes:
        return tensor(m, run(m, nan_programs.nan_quantiles, ordered, wanted, Static(weak)))
    none = operators.compare(m, "==", count, ZERO)
    check(m, none, IndexError, *_text_of_none(m, of_float, wanted))
    if not interpolates:
        return tensor(m, run(m, nan_programs.picked, ordered, wanted, count))
    return tensor(m, run(m, nan_programs.quantiles, ordered, wanted, count, Static(weak)))


def _text_of_none(m: Machine, of_float: bool, wanted: Tensor) -> Sequence[str | Value]:
    """What NumPy says of no elements: it asks floats for the last one first, and others for the first quantile's."""
    known = static_contents(wanted)
    if of_float or (known is not None and not known.size):
        return ("index -1 is out of bounds for axis 0 with size 0",)
    if wanted.type.dtype.kind != "f":
        return ("cannot do a non-empty take from an empty axes.",)
    if known is not None:
        return (f"index {0 if known.flat[0] else -1} is out of bounds for axis 0 with size 0",)
    first = m.op("take", wanted, number(m, 0, INT64), axis=0)
    place = m.op("negative", m.cast(operators.compare(m, "==", first, Static(0)), INT64), kind=Kind.PYTHON)
    return ("index ", place, " is out of bounds for axis 0 with size 0")


def require_elements(m: Machine, x: Tensor, name: str) -> None:
    """Of an empty array NumPy gives one NaN for all quantiles, so whether it is empty must be known."""
    for axis, size in enumerate(x.type.shape):
        if size.constant is None and size.lower in (None, 0):
            text = f"np.{name} for several quantiles needs to know whether dim {axis} (of size {size}) is 0"
            error = m.error("GP309", text, hint="ask for one quantile at a time")
            raise size_needed(m.dimension(x, axis), error)
        if size.constant == 0:
            raise m.error("GP321", f"np.{name} has no graph form for several quantiles of an empty array")


def quantile_form(function: Any, ufunc: str = "", casting: str = "same_kind") -> None:
    """Register one of the four."""
    name = function.__name__

    @numpy_function(function)
    @with_out(f"np.{name}", ufunc, casting=casting)
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
        return quantiles_of(m, a, q, axis, method, keepdims, name, weights)


quantile_form(np.quantile, "add")
quantile_form(np.percentile, "add")
quantile_form(np.nanquantile, casting="unsafe")
quantile_form(np.nanpercentile, casting="unsafe")
