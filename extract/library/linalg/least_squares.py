"""What follows from singular values: least squares, pseudo-inverses, ranks, condition numbers, norms."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.linalg.common import (
    Array,
    adjoint,
    real_type,
    require_square,
    result_type,
    squares,
    work_type,
)
from graph_program.extract.library.linalg.elimination import eliminated, substituted
from graph_program.extract.library.linalg.jacobi import EPSILON, singular_triplets, svd, svdvals

NO_VALUE = np._NoValue


def lstsq(a: Array, b: Array, rcond: float | None = None) -> Any:
    """`np.linalg.lstsq`."""
    vector = b.ndim == 1
    columns = b[:, np.newaxis] if vector else b
    if a.ndim != 2 or columns.ndim != 2:
        ndim = a.ndim if a.ndim != 2 else columns.ndim
        raise np.linalg.LinAlgError(f"{ndim}-dimensional array given. Array must be two-dimensional")
    if a.shape[0] != columns.shape[0]:
        raise np.linalg.LinAlgError("Incompatible dimensions")
    dtype, real, work = result_type(a, b), real_type(a, b), work_type(a, b)
    m, n = a.shape
    least = EPSILON * max(m, n) if rcond is None else EPSILON if rcond < 0 else rcond
    if not np.isfinite(a).all():
        raise np.linalg.LinAlgError("SVD did not converge in Linear Least Squares")
    u, s, vh = singular_triplets(a.astype(work), False)
    large = s > least * s.max(initial=0.0)
    rank = np.sum(large)
    onto = adjoint(u) @ columns.astype(work)
    x = adjoint(vh) @ (np.where(large, 1 / np.where(large, s, 1.0), 0.0)[:, np.newaxis] * onto)
    residuals = squares(columns - a @ x).sum(axis=0)
    told = residuals[: 0 if rank != n or m <= n else len(residuals)]
    found = x[:, 0] if vector else x
    return found.astype(dtype), told.astype(real), np.int32(rank), s.astype(real)


def pinv(a: Array, rcond: Any = None, hermitian: bool = False, *, rtol: Any = NO_VALUE) -> Array:
    """`np.linalg.pinv`."""
    if rcond is None:
        if rtol is NO_VALUE:
            rcond = 1e-15
        elif rtol is None:
            rcond = max(a.shape[-2], a.shape[-1]) * np.finfo(a.dtype).eps
        else:
            rcond = rtol
    elif rtol is not NO_VALUE:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    u, s, vh = svd(a, full_matrices=False, hermitian=hermitian)
    large = s > np.asarray(rcond)[..., np.newaxis] * s.max(axis=-1, keepdims=True, initial=0.0)
    inverse = np.where(large, 1 / np.where(large, s, 1), 0).astype(s.dtype)
    result: Array = adjoint(vh) @ (inverse[..., np.newaxis] * adjoint(u))
    return result


def matrix_rank(A: Array, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """`np.linalg.matrix_rank`."""
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    if A.ndim < 2:
        return int(not (A == 0).all())
    s = svd(A, compute_uv=False, hermitian=hermitian)
    if tol is not None:
        return np.count_nonzero(s > np.asarray(tol)[..., np.newaxis], axis=-1)
    if rtol is None:
        least = np.asarray(max(A.shape[-2], A.shape[-1]) * np.finfo(s.dtype).eps)
    else:
        least = np.asarray(rtol)[..., np.newaxis]
    return np.count_nonzero(s > s.max(axis=-1, keepdims=True, initial=0) * least, axis=-1)


def cond(x: Array, p: Any = None) -> Any:
    """`np.linalg.cond`."""
    if x.ndim >= 2 and x.size == 0 and x.shape[-2] * x.shape[-1] == 0:
        raise np.linalg.LinAlgError("cond is not defined on empty arrays")
    if p is None or p == 2 or p == -2:
        s = svdvals(x)
        found = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    else:
        require_square(x)
        result_type(x)
        wide = x.astype(work_type(x))
        sizes = np.linalg.norm(wide, p, axis=(-2, -1)) * np.linalg.norm(inverse_or_nan(wide), p, axis=(-2, -1))
        found = sizes.astype(real_type(x))
    return np.where(np.isnan(found) & ~np.isnan(x).any(axis=(-2, -1)), np.inf, found).astype(found.dtype)[()]


def inverse_or_nan(a: Array) -> Array:
    """The inverse; NaN where there is none."""
    n = a.shape[-1]
    rows, _ = eliminated(np.concatenate((a, np.zeros(a.shape) + np.eye(n)), axis=-1), n)
    upper = rows[..., :n]
    singular = (np.diagonal(upper, axis1=-2, axis2=-1) == 0).any(axis=-1)[..., np.newaxis, np.newaxis]
    return np.where(singular, np.nan, substituted(upper, rows[..., n:]))


__all__ = ["cond", "inverse_or_nan", "lstsq", "matrix_rank", "pinv"]
