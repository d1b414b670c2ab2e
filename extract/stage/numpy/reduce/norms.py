"""Norms of vectors and matrices: Euclidean ones, and which program of the library the others are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract.library.linalg import norms
from graph_program.extract.stage.arrays.lowering_arguments import (
    FALSE,
    array,
    axis_of,
    checked_axis,
    dtype_error,
    flag,
    inexact,
    is_given,
    numpy_function,
    takes,
    u,
    value_error,
)
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numpy.reduce.reductions import reduced, squares
from graph_program.extract.stage.operations.known_and_truth import static
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Value

OF_MATRICES = (None, "fro", "f", "nuc", 1, -1, 2, -2, np.inf, -np.inf)
"""The orders of norms of matrices."""


@numpy_function(np.linalg.norm)
def norm(m: Machine, x: Value, ord: Value = NONE, axis: Value = NONE, keepdims: Value = FALSE) -> Value:
    """`np.linalg.norm` of vectors and matrices."""
    value, order = array(m, x), _order(m, ord)
    axes = _axes(m, axis, value.rank)
    if len(axes) == 2:
        return _of_matrices(m, value, order, axes, keepdims)
    if len(axes) != 1 and (is_given(axis) or order is not None):
        raise value_error(m, "Improper number of dimensions to norm.")
    return _of_vectors(m, value, order, axes, keepdims)


@numpy_function(np.linalg.vector_norm)
@takes("x, /, *, axis=None, keepdims=False, ord=2")
def vector_norm(m: Machine, x: Value, axis: Value, keepdims: Value, ord: Value) -> Value:
    """`np.linalg.vector_norm`: over any number of axes."""
    value = array(m, x)
    axes = _axes(m, axis, value.rank)
    if len(set(axes)) != len(axes):
        raise value_error(m, "repeated axis")
    return _of_vectors(m, value, _order(m, ord), axes, keepdims)


@numpy_function(np.linalg.matrix_norm)
@takes('x, /, *, keepdims=False, ord="fro"')
def matrix_norm(m: Machine, x: Value, keepdims: Value, ord: Value) -> Value:
    """`np.linalg.matrix_norm`: over the last two axes."""
    value = array(m, x)
    axes = tuple(axis_of(m, Static(a), value.rank) for a in (-2, -1))
    return _of_matrices(m, value, _order(m, ord), axes, keepdims)


def _axes(m: Machine, axis: Value, rank: int) -> tuple[int, ...]:
    """The axes in their order; NumPy takes `int` of what is no tuple."""
    given = static(m, axis, "an axis")
    if given is None:
        return tuple(range(rank))
    try:
        listed = given if isinstance(given, tuple) else (int(given),)
    except (TypeError, ValueError):
        raise dtype_error(m, "'axis' must be None, an integer or a tuple of integers") from None
    return tuple(checked_axis(m, a, rank) for a in listed)


def _order(m: Machine, ord: Value) -> Any:
    return static(m, ord, "the order of a norm")


def _of_vectors(m: Machine, x: Tensor, order: Any, axes: tuple[int, ...], keepdims: Value) -> Value:
    if isinstance(order, str):
        raise value_error(m, f"Invalid norm order '{order}' for vectors")
    return _normed(m, x, norms.of_vectors, None if order == 2 else order, axes, keepdims)


def _of_matrices(m: Machine, x: Tensor, order: Any, axes: tuple[int, ...], keepdims: Value) -> Value:
    if axes[0] == axes[1]:
        raise value_error(m, "Duplicate axes given.")
    if order not in OF_MATRICES:
        raise value_error(m, "Invalid norm order for matrices.")
    return _normed(m, x, norms.of_matrices, None if order in ("fro", "f") else order, axes, keepdims)


def _normed(
    m: Machine, x: Tensor, program: Callable[..., Any], order: Any, axes: tuple[int, ...], keepdims: Value
) -> Value:
    """The square root of the sum of squares, or what a program makes for another order."""
    x = m.cast(x, inexact(x.type.dtype))
    if order is not None:
        return entries.run(m, program, x, Static(order), Static(axes), Static(flag(m, keepdims, "keepdims")))
    return u(m, np.sqrt, reduced(m, "sum", squares(m, x), tuple(sorted(axes)), flag(m, keepdims, "keepdims")))
