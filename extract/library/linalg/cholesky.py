"""The Cholesky factorization, as LAPACK's `potrf` does it."""

from __future__ import annotations

import numpy as np

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
    x = a.astype(work_type(a))
    if upper:
        return adjoint(lower_factor(adjoint(x))).astype(dtype)
    return lower_factor(x).astype(dtype)


def lower_factor(a: Array) -> Array:
    """The lower triangle L with `L @ L.conj().T == a`."""
    n = a.shape[-1]
    result = np.tril(a)
    for j in range(0, n, WIDTH):
        end = min(j + WIDTH, n)
        panel = panel_factor(result[..., j:, j:end].copy())
        below = panel[..., end - j :, :]
        result[..., j:, j:end] = panel
        result[..., end:, end:] -= np.tril(below @ adjoint(below))
    if (np.diagonal(result, axis1=-2, axis2=-1) == 0).any():
        raise np.linalg.LinAlgError("Matrix is not positive definite")
    return result


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
