"""Eigenvalues of Hermitian matrices and singular values, by rotations of pairs of rows (one-sided Jacobi).

Rows that are made orthogonal by rotations are the right singular vectors times the singular values (Hestenes, 1958).
A round rotates half as many pairs as there are rows, all at once; a round-robin tournament brings each pair
together once in a sweep (Brent and Luk, 1985).  Rows of R of a QR factorization need fewer sweeps (Drmač and
Veselić, New fast and accurate Jacobi SVD algorithm, 2008).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.linalg import small
from graph_program.extract.library.linalg.common import (
    Array,
    adjoint,
    conjugated,
    real_type,
    require_matrices,
    require_sizes,
    require_square,
    result_type,
    scaled,
    squares,
    transposed,
    work_type,
)
from graph_program.extract.library.linalg.householder import orthogonal, reflected

EighResult: Any = type(np.linalg.eigh(np.eye(1)))
SVDResult: Any = type(np.linalg.svd(np.eye(1)))

EPSILON = float(np.finfo(np.float64).eps)
HALF = float(np.sqrt(EPSILON))
"""Half of the digits: smaller singular values are more exact as they come from the rotations."""
SWEEPS = 60
TINY = 1e-200
"""Squares of norms, of matrices whose largest element is 1, below which rows are as good as zero."""


def eigh(a: Array, UPLO: str = "L") -> Any:
    """`np.linalg.eigh`: eigenvectors up to their signs, and up to rotations where eigenvalues are equal."""
    dtype = symmetric_type(a, UPLO)
    values, vectors = eigenpairs(symmetric(a.astype(work_type(a)), UPLO))
    return EighResult(values.astype(real_type(a)), vectors.astype(dtype))


def eigvalsh(a: Array, UPLO: str = "L") -> Array:
    """`np.linalg.eigvalsh`."""
    symmetric_type(a, UPLO)
    if small.is_small(a) and a.shape[0] <= 2:
        lower = a if UPLO.upper() == "L" else transposed(a)
        return small.eigenvalues(lower.astype(work_type(a))).astype(real_type(a))
    values, _ = eigenpairs(symmetric(a.astype(work_type(a)), UPLO))
    return values.astype(real_type(a))


def symmetric_type(a: Array, triangle: str) -> Any:
    """The element type of results, after NumPy's checks."""
    if triangle.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    require_square(a)
    return result_type(a)


def symmetric(a: Array, triangle: str) -> Array:
    """The matrix whose lower or upper triangle is given; imaginary parts of its diagonal do not count."""
    lower = np.tril(a) if triangle.upper() == "L" else adjoint(np.triu(a))
    strict = np.tril(lower, -1)
    if np.iscomplexobj(a):
        return np.where(np.eye(a.shape[-1]) == 1, lower.real, strict + adjoint(strict))
    return lower + adjoint(strict)


def eigenpairs(a: Array) -> tuple[Array, Array]:
    """Eigenvalues, ascending, and eigenvectors as columns.

    Twice the largest row sum is added to the eigenvalues: then all are positive and of one size, singular vectors
    are eigenvectors, and all of them are found with the same accuracy.
    """
    if not np.isfinite(a).all():
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    n = a.shape[-1]
    unit = a / scale(a)
    bound = np.abs(unit).sum(axis=-1, keepdims=True).max(axis=-2, keepdims=True, initial=0.0)
    factors, _, _ = reflected(unit + 2 * bound * np.eye(n))
    rows, active = orthogonal_rows(np.triu(factors))
    if active:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    norms = np.sqrt(squares(rows).sum(axis=-1, keepdims=True))
    vectors = adjoint(np.where(norms > 0, rows / np.where(norms > 0, norms, 1.0), np.eye(n)))
    values = np.real((conjugated(vectors) * (unit @ vectors)).sum(axis=-2))
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1) * scale(a)[..., 0]
    return ordered, np.take_along_axis(vectors, order[..., np.newaxis, :], axis=-1)


def svd(a: Array, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """`np.linalg.svd`: singular vectors up to their signs, and up to rotations where singular values are equal."""
    if hermitian:
        require_square(a)
        dtype = result_type(a)
        values, vectors = eigenpairs(symmetric(a.astype(work_type(a)), "L"))
        order = np.argsort(np.abs(values), axis=-1)[..., ::-1]
        values = np.take_along_axis(values, order, axis=-1)
        if not compute_uv:
            return np.abs(values).astype(real_type(a))
        u = np.take_along_axis(vectors, order[..., np.newaxis, :], axis=-1)
        vh = adjoint(u * np.copysign(1.0, values)[..., np.newaxis, :])
        return SVDResult(u.astype(dtype), np.abs(values).astype(real_type(a)), vh.astype(dtype))
    require_matrices(a)
    dtype = result_type(a)
    x = a.astype(work_type(a))
    if not compute_uv:
        return singular_values(x).astype(real_type(a))
    u, s, vh = singular_triplets(x, full_matrices)
    return SVDResult(u.astype(dtype), s.astype(real_type(a)), vh.astype(dtype))


def svdvals(x: Array, /) -> Array:
    """`np.linalg.svdvals`."""
    require_matrices(x)
    result_type(x)
    return singular_values(x.astype(work_type(x))).astype(real_type(x))


def singular_values(a: Array) -> Array:
    """Singular values, descending."""
    return singular_rows(a if a.shape[-2] >= a.shape[-1] else adjoint(a))[0]


def singular_triplets(a: Array, full: bool) -> tuple[Array, Array, Array]:
    """`U`, singular values and the adjoint of `V`."""
    if a.shape[-2] >= a.shape[-1]:
        return tall_triplets(a, full)
    v, s, uh = tall_triplets(adjoint(a), full)
    return adjoint(uh), s, adjoint(v)


def tall_triplets(a: Array, full: bool) -> tuple[Array, Array, Array]:
    """`singular_triplets` of matrices with at least as many rows as columns.

    QR factorizations of the rows, and of `a @ V`, find unit vectors also where singular values are zero.
    """
    m, n = a.shape[-2:]
    s, rows = singular_rows(a)
    v = unit_columns(adjoint(rows), n)
    u = unit_columns(a @ v, m if full else n)
    return u, s, adjoint(v)


def unit_columns(x: Array, columns: int) -> Array:
    """Orthogonal columns made unit ones, and completed to a number of them."""
    factors, _, triangles = reflected(x / scale(x))
    q = orthogonal(factors, triangles, columns)
    signs = np.where(np.real(np.diagonal(factors, axis1=-2, axis2=-1)) < 0, -1.0, 1.0)
    ones = np.ones((*signs.shape[:-1], columns - signs.shape[-1]))
    return q * np.concatenate((signs, ones), axis=-1)[..., np.newaxis, :]  # type: ignore[no-any-return]


def singular_rows(a: Array) -> tuple[Array, Array]:
    """Singular values, descending, of matrices with at least as many rows as columns; and `V`'s adjoint times them."""
    if not np.isfinite(a).all():
        raise np.linalg.LinAlgError("SVD did not converge")
    n = a.shape[-1]
    factors, _, _ = reflected(a / scale(a))
    rows, active = orthogonal_rows(np.triu(factors[..., :n, :]))
    if active:
        raise np.linalg.LinAlgError("SVD did not converge")
    values = refined(a / scale(a), rows)
    order = np.argsort(-values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1) * scale(a)[..., 0]
    return ordered, np.take_along_axis(rows, order[..., np.newaxis], axis=-2)


def refined(a: Array, rows: Array) -> Array:
    """Singular values from right singular vectors: the rounding of many rotations counts in the second order only."""
    norms = np.sqrt(squares(rows).sum(axis=-1))
    units = rows / np.where(norms > 0, norms, 1.0)[..., np.newaxis]
    stretched = a @ adjoint(units)
    lengths = np.sqrt(squares(stretched).sum(axis=-2))
    return np.where(norms > HALF * norms.max(axis=-1, keepdims=True, initial=0.0), lengths, norms)  # type: ignore[no-any-return]


def scale(a: Array) -> Array:
    """The largest element of each matrix; 1 for zeros."""
    largest = np.abs(a).max(axis=(-2, -1), keepdims=True, initial=0.0)
    found: Array = np.where(largest > 0, largest, 1.0)
    return found


def orthogonal_rows(rows: Array) -> tuple[Array, Any]:
    """Rows made orthogonal by rotations, and whether some still are not after many sweeps."""
    n, width = rows.shape[-2:]
    half = (n + 1) // 2
    size = 2 * half
    rows = np.concatenate((rows, np.zeros((*rows.shape[:-2], size - n, width))), axis=-2)
    require_sizes(rows.shape[-2] == size)
    tolerance = np.sqrt(n) * rounding(rows)
    first = np.arange(size) < half
    opposite = np.where(first, np.arange(size) + half, np.arange(size) - half)
    order = tournament(half)
    active, sweeps = True, 0
    while active and sweeps < SWEEPS:
        active = False
        for _ in range(size - 1):
            others = np.take(rows, opposite, axis=-2, mode="clip")
            sizes = squares(rows).sum(axis=-1)
            across = (rows[..., :half, :] * conjugated(rows[..., half:, :])).sum(axis=-1)
            products = np.concatenate((across, conjugated(across)), axis=-1)  # to the last bit the same for both rows
            if np.iscomplexobj(products):  # a factor for the other row makes the product of both real
                others = others * np.sign(products)[..., np.newaxis]
                products = np.abs(products)
            facing = np.take(sizes, opposite, axis=-1, mode="clip")
            turned = np.abs(products) > tolerance * (np.sqrt(sizes) * np.sqrt(facing))
            turned = turned & (np.minimum(sizes, facing) > TINY)
            ratio = (facing - sizes) / np.where(turned, 2 * products, 1.0)
            size_of_tangent = 1 / (np.abs(ratio) + np.sqrt(1 + ratio * ratio))
            positive = np.where(first, ratio >= 0, ratio > 0)
            tangent = np.where(turned, np.where(positive, -size_of_tangent, size_of_tangent), 0.0)
            cosine = 1 / np.sqrt(1 + tangent * tangent)
            sine = (cosine * tangent)[..., np.newaxis]
            rows = np.take(scaled(rows, cosine[..., np.newaxis]) + scaled(others, sine), order, axis=-2, mode="clip")
            active = active or bool(turned.any())
        sweeps += 1
    return rows[..., :n, :], active


def rounding(a: Array) -> Any:
    """The distance from 1 to the next number of what computes this, which may have fewer bits than the file says.

    Thirds are rounded (Malcolm, 1972); 1 is made of an array, so that it is computed where the rest is.
    """
    one = 1.0 + 0.0 * np.sign(np.abs(a).max(initial=0.0))
    return np.abs(3.0 * (4.0 * one / 3.0 - one) - one)


def tournament(half: int) -> Array:
    """Who is where in the next round, if each of the first half meets who is `half` further; the first one stays."""
    places = np.arange(2 * half)
    upper = np.where(places == 1, half, np.maximum(places - 1, 0))
    lower = np.where(places == 2 * half - 1, max(half - 1, 1), places + 1)
    return np.where(places < half, upper, lower)


__all__ = ["eigh", "eigvalsh", "singular_triplets", "singular_values", "svd", "svdvals"]
