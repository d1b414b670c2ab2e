"""The Cholesky factorization, as LAPACK's `potrf` does it."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.linalg import small
from graph_program.extract.library.linalg.common import (
    WIDTH,
    Array,
    adjoint,
    begun,
    conjugated,
    or_triangle,
    require_sizes,
    require_square,
    result_type,
    transposed,
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
    since, n = begun(), a.shape[-1]
    rows = transposed(np.tril(a))
    found = np.zeros((*a.shape[:-2], 0, n), a.dtype)
    for j in range(0, n, WIDTH):
        width = min(WIDTH, n - j)
        above = found[..., j:]
        known = adjoint(above[..., :width]) @ above
        new = np.zeros((*a.shape[:-2], width, n), a.dtype)
        new[..., j:] = panel_factor(rows[..., j:, j:][..., :width, :] - known)
        found = np.concatenate((found, new), axis=-2)
    result = or_triangle(np.tril(transposed(found)), a, since)
    return result, (np.diagonal(result, axis1=-2, axis2=-1) == 0).any()


def panel_factor(rows: Array) -> Array:
    """The factor in a few columns, from the lower triangle, as rows; 0 on the diagonal where a pivot is not positive.

    What is above the diagonal is whatever elimination leaves there: nothing below depends on it.
    """
    width, m = rows.shape[-2:]
    require_sizes(0 < width <= m)
    places = np.arange(m)
    found = []
    for k in range(width):
        row = rows[..., k, :]
        pivot = np.real(row[..., k, np.newaxis])
        root = np.sqrt(np.where(pivot <= 0, 0.0, pivot))
        column = np.where(places == k, root, row / root)
        rows = rows - conjugated(column[..., :width])[..., np.newaxis] * column[..., np.newaxis, :]
        found.append(column)
    return np.stack(found, axis=-2)


__all__ = ["cholesky", "lower_factor"]
