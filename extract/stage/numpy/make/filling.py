"""New arrays with one value everywhere: `zeros`, `ones`, `full`, `empty`, and those like another array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graph_program.extract.stage.arrays.layout import made_in_order, order_of
from graph_program.extract.stage.arrays.lowering_arguments import (
    ONE,
    ZERO,
    dtype_of,
    is_given,
    refuse_given,
    shape_of,
    sizes_of,
    takes,
)
from graph_program.extract.stage.arrays.size_checks import check_sizes, check_stretches, unequal
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations.known_and_truth import numeric, tensor
from graph_program.extract.stage.paths.raising import check, shape_text
from graph_program.extract.stage.values.values import NONE, Tensor, Value
from graph_program.extract.types.tensors.tensor_type import FLOAT64, Kind


def filled(m: Machine, value: Tensor, dims: Sequence[Value]) -> Tensor:
    """An array with one value everywhere."""
    check_sizes(m, dims)
    return m.op("full", m.reclassed(value, Kind.ARRAY), *dims)


def constant_filled(m: Machine, value: Any, shape: Value, dtype: Value, order: Value, like: Value, name: str) -> Value:
    refuse_given(m, name, like=like)
    target = dtype_of(m, dtype) or FLOAT64
    return made_in_order(m, filled(m, m.constant(np.asarray(value, target)), shape_of(m, shape)), order_of(m, order))


def constant_form(function: Any, number: int) -> None:
    """Register `np.zeros`, `np.ones` or `np.empty`, whose elements are 0 here."""

    @lowers(function)
    @takes("shape, dtype=None, order=None, *, device=None, like=None")
    def run(m: Machine, shape: Value, dtype: Value, order: Value, like: Value) -> Value:
        return constant_filled(m, number, shape, dtype, order, like, f"np.{function.__name__}")


for _function, _number in ((np.zeros, 0), (np.ones, 1), (np.empty, 0)):
    constant_form(_function, _number)


@lowers(np.ndarray)
@takes("shape, dtype=None, buffer=None, offset=0, strides=None, order=None")
def ndarray(m: Machine, shape: Value, dtype: Value, buffer: Value, strides: Value, order: Value) -> Value:
    """`np.ndarray` called as `np.empty` is; its elements are 0 here."""
    refuse_given(m, "np.ndarray", buffer=buffer, strides=strides)
    return constant_filled(m, 0, shape, dtype, order, NONE, "np.ndarray")


@lowers(np.full)
@takes("shape, fill_value, dtype=None, order=None, *, device=None, like=None")
def full(m: Machine, shape: Value, fill_value: Value, dtype: Value, order: Value, like: Value) -> Value:
    """`np.full`: of a number, or of an array that broadcasts to the shape."""
    refuse_given(m, "np.full", like=like)
    return made_in_order(m, full_of(m, shape_of(m, shape), fill_value, dtype_of(m, dtype)), order_of(m, order))


def full_of(m: Machine, dims: Sequence[Value], fill_value: Value, dtype: np.dtype[Any] | None) -> Tensor:
    check_sizes(m, dims)  # the array is made before what fills it is converted
    value = numeric(m, fill_value)
    x = arithmetic.convert(m, value, tensor(m, value).type.dtype if dtype is None else dtype)
    texts = "could not broadcast input array from shape ", " into shape "
    while x.rank > len(dims):  # as an assignment drops leading axes of one element
        first, *_ = sizes = sizes_of(m, x)
        text = (texts[0], *shape_text(sizes), texts[1], *shape_text(dims))
        check(m, unequal(m, first, ONE), ValueError, *text)
        x = m.op("take", x, ZERO, axis=0)
    if not x.rank:
        return m.op("full", m.reclassed(x, Kind.ARRAY), *dims)
    check_stretches(m, x, dims, *texts)
    return m.op("broadcast_to", x, *dims)


def like_of(m: Machine, prototype: Value, fill: Value, dtype: Value, order: Value, shape: Value) -> Value:
    x = tensor(m, prototype)
    dims = shape_of(m, shape) if is_given(shape) else sizes_of(m, x)
    result = full_of(m, dims, fill, dtype_of(m, dtype) or x.type.dtype)
    return made_in_order(m, result, order_of(m, order), x if result.rank == x.rank else None)


def like_form(function: Any, number: Value) -> None:
    """Register `np.zeros_like` or `np.ones_like`."""

    @lowers(function)
    @takes("a, dtype=None, order=None, subok=True, shape=None, *, device=None")
    def run(m: Machine, a: Value, dtype: Value, order: Value, shape: Value) -> Value:
        return like_of(m, a, number, dtype, order, shape)


like_form(np.zeros_like, ZERO)
like_form(np.ones_like, ONE)


@lowers(np.empty_like)
@takes("prototype, dtype=None, order=None, subok=True, shape=None, *, device=None")
def empty_like(m: Machine, prototype: Value, dtype: Value, order: Value, shape: Value) -> Value:
    """`np.empty_like`; its elements are 0 here."""
    return like_of(m, prototype, ZERO, dtype, order, shape)


@lowers(np.full_like)
@takes("a, fill_value, dtype=None, order=None, subok=True, shape=None, *, device=None")
def full_like(m: Machine, a: Value, fill_value: Value, dtype: Value, order: Value, shape: Value) -> Value:
    return like_of(m, a, fill_value, dtype, order, shape)
