"""The Cholesky factorization, as LAPACK's `potrf` does it."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.linalg import small
from graph_program.extract.library.linalg.common import (
    WIDTH,
    Array,
    adjoint,
    require_sizes,
    require_square,
    result_type,
    work_type,
)


def cholesky(a: Array, /, *, upper: bool = False) -> Array:
    """`np.linalg.cholesky`; the other triangle of `a` is not read."""
    require_square(a)
    dtype = result_type(a)
    x = adjoint(a.astype(work_type(a))) if upper else a.astype(work_type(a))
    lower, failed = small.lower_factor(x) if small.is_small(a) else lower_factor(x)
    result: Array = (adjoint(lower) if upper else lower).astype(dtype)
    if failed:
        raise np.linalg.LinAlgError("Matrix is not positive definite")
    return result


def lower_factor(a: Array) -> tuple[Array, Any]:
    """The lower triangle L with `L @ L.conj().T == a`, and whether a pivot is not positive."""
    n = a.shape[-1]
    result = np.tril(a)
    for j in range(0, n, WIDTH):
        end = min(j + WIDTH, n)
        panel = panel_factor(result[..., j:, j:end].copy())
        below = panel[..., end - j :, :]
        result[..., j:, j:end] = panel
        result[..., end:, end:] -= np.tril(below @ adjoint(below))
    return result, (np.diagonal(result, axis1=-2, axis2=-1) == 0).any()


def panel_factor(panel: Array) -> Array:
    """The factor in a few columns, from the lower triangle; 0 on the diagonal where a pivot is not positive."""
    m, width = panel.shape[-2:]
    require_sizes(width <= m)
    rows, columns = np.arange(m)[:, np.newaxis], np.arange(width)
    for k in range(width):
        pivot = np.real(panel[..., k, k, np.newaxis])
        root = np.sqrt(np.where(pivot <= 0, 0.0, pivot))[..., np.newaxis]
        column = np.where(rows == k, root, panel[..., k, np.newaxis] / root)
        reduced = panel - column * adjoint(column[..., :width, :])
        panel = np.where(rows < columns, panel, np.where(columns == k, column, np.where(columns > k, reduced, panel)))
    return panel


__all__ = ["cholesky", "lower_factor"]
