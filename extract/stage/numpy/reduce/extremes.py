"""The greatest and the least: np.max, np.min, np.ptp, np.argmax, np.argmin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract.stage.arrays.lowering_arguments import (
    FALSE,
    ONE,
    TRUE,
    array,
    axes_of,
    axis_of,
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
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.numpy.outputs import with_out
from graph_program.extract.stage.numpy.reduce.reductions import everywhere, masked, reduced
from graph_program.extract.stage.operations.known_and_truth import numeric, static, tensor
from graph_program.extract.stage.operations.of_numbers.conversions import as_element
from graph_program.extract.stage.values.values import NONE, Tensor, Value
from graph_program.extract.types.tensors.tensor_type import INT64, Kind


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
