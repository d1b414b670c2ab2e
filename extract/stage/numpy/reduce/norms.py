"""Norms of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.stage.arrays.lowering_arguments import (
    FALSE,
    NONE,
    array,
    as_bool,
    axes_of,
    axis_of,
    call,
    call_tensor,
    flag,
    inexact,
    kind_of,
    number,
    numpy_function,
    size_product,
    sizes_of,
    u,
    value_error,
)
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numpy.reduce.reductions import reduced, squares
from graph_program.extract.stage.operations.known_and_truth import static, tensor
from graph_program.extract.stage.values.values import Static, Tensor, Value

SPECTRAL: dict[Any, str] = {2: "max", -2: "min", "nuc": "sum"}
"""What the norms that need singular values do with them."""
REDUCTIONS: dict[str, Any] = {"max": np.max, "min": np.min, "sum": np.sum}
STARTS = {"max": {"initial": Static(0)}}
"""The largest of no sizes or singular values is 0, the smallest an error."""


@numpy_function(np.linalg.norm)
def norm(m: Machine, x: Value, ord: Value = NONE, axis: Value = NONE, keepdims: Value = FALSE) -> Value:
    """`np.linalg.norm` of vectors and matrices."""
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
    return u(m, np.sqrt, reduced(m, "sum", squares(m, x), tuple(sorted(axes)), keepdims))


def vector_norm(m: Machine, x: Tensor, order: Any, axis: int, keepdims: bool) -> Value:
    """The norm of the vectors along an axis."""
    if order is None or order == 2:
        return euclidean(m, x, (axis,), keepdims)
    if isinstance(order, str):
        raise value_error(m, f"Invalid norm order '{order}' for vectors")
    size = m.op("absolute", x)
    if order in (np.inf, -np.inf):
        return extreme(m, order, size, axis, keepdims)
    if order == 0:
        present_ = m.cast(as_bool(m, x), size.type.dtype)
        return reduced(m, "sum", present_, (axis,), keepdims)
    if order == 1:
        return reduced(m, "sum", size, (axis,), keepdims)
    powers = tensor(m, u(m, np.power, size, Static(float(order))))
    summed = reduced(m, "sum", powers, (axis,), keepdims)
    return u(m, np.power, summed, number(m, 1 / order, summed.type.dtype))


def extreme(m: Machine, order: Any, sizes: Tensor, axis: int, keepdims: bool) -> Value:
    """The largest of sizes along an axis, which is 0 where there are none, or the smallest."""
    how = "max" if order > 0 else "min"
    return call(m, REDUCTIONS[how], sizes, axis=Static(axis), keepdims=Static(keepdims), **STARTS.get(how, {}))


def matrix_norm(m: Machine, x: Tensor, order: Any, row: int, column: int, keepdims: bool) -> Value:
    """The norm of the matrices over two axes."""
    if order in (None, "fro", "f"):
        return euclidean(m, x, (row, column), keepdims)
    if order in SPECTRAL:
        return spectral_norm(m, x, SPECTRAL[order], row, column, keepdims)
    if order not in (1, -1, np.inf, -np.inf):
        raise value_error(m, "Invalid norm order for matrices.")
    summed_axis, kept_axis = (row, column) if abs(order) == 1 else (column, row)
    sums = reduced(m, "sum", m.op("absolute", x), (summed_axis,), True)
    result = tensor(m, extreme(m, order, sums, kept_axis, True))
    if keepdims:
        return result
    squeezed = m.op("squeeze", result, axes=tuple(sorted((row, column))))
    return m.reclassed(squeezed, kind_of(squeezed.rank))


def spectral_norm(m: Machine, x: Tensor, reduction: str, row: int, column: int, keepdims: bool) -> Value:
    """The largest, the smallest or the sum of the singular values."""
    if x.rank > 2 or row > column:
        x = m.op("transpose", x, perm=(*(i for i in range(x.rank) if i not in (row, column)), row, column))
    values = call_tensor(m, np.linalg.svdvals, x)
    result = tensor(m, call(m, REDUCTIONS[reduction], values, axis=Static(-1), **STARTS.get(reduction, {})))
    return m.op("expand_dims", result, axes=tuple(sorted((row, column)))) if keepdims else result


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
    flat = m.op("reshape", moved, *sizes[: len(kept)], size_product(m, sizes[len(kept) :]))
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
