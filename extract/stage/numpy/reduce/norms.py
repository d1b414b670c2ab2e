"""Norms of vectors and matrices, which are programs: what they take is known, and checked, before these run."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.linalg import norms
from graph_program.extract.stage.arrays.lowering_arguments import axes_of, axis_of, value_error
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numpy.programs import program_function
from graph_program.extract.stage.operations.known_and_truth import static
from graph_program.extract.stage.values.values import Static, Value, type_of

OF_MATRICES = (None, "fro", "f", "nuc", 1, -1, 2, -2, np.inf, -np.inf)
"""The orders of norms of matrices."""


def _of_either(m: Machine, given: dict[str, Value]) -> None:
    order, where, rank = _order(m, given), static(m, given["axis"], "an axis"), type_of(given["x"]).rank
    listed = range(rank) if where is None else where if isinstance(where, tuple) else (where,)
    axes = tuple(axis_of(m, Static(a), rank) for a in listed)
    given["axis"] = Static(axes)
    if len(axes) == 1:
        _require_order_of_vectors(m, order)
    elif len(axes) == 2:
        _require_matrices(m, order, axes)
    elif where is not None or order is not None:
        raise value_error(m, "Improper number of dimensions to norm.")


def _of_vectors(m: Machine, given: dict[str, Value]) -> None:
    _require_order_of_vectors(m, _order(m, given))
    given["axis"] = Static(axes_of(m, given["axis"], type_of(given["x"]).rank))


def _of_matrices(m: Machine, given: dict[str, Value]) -> None:
    rank = type_of(given["x"]).rank
    _require_matrices(m, _order(m, given), tuple(axis_of(m, Static(a), rank) for a in (-2, -1)))


def _order(m: Machine, given: dict[str, Value]) -> Any:
    order = static(m, given["ord"], "the order of a norm")
    given["ord"] = Static(order)
    return order


def _require_order_of_vectors(m: Machine, order: Any) -> None:
    if isinstance(order, str):
        raise value_error(m, f"Invalid norm order '{order}' for vectors")


def _require_matrices(m: Machine, order: Any, axes: tuple[int, ...]) -> None:
    if axes[0] == axes[1]:
        raise value_error(m, "Duplicate axes given.")
    if order not in OF_MATRICES:
        raise value_error(m, "Invalid norm order for matrices.")


program_function(np.linalg.norm, norms.norm, require=_of_either)
program_function(np.linalg.vector_norm, norms.vector_norm, require=_of_vectors)
program_function(np.linalg.matrix_norm, norms.matrix_norm, require=_of_matrices)
