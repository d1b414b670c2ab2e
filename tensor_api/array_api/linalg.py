"""The extension `linalg`: products, norms, factorizations and systems of equations."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from graph_program.tensor_api.array_api import dtypes
from graph_program.tensor_api.array_api.array import Array, elements, wrap
from graph_program.tensor_api.array_api.dtypes import FLOATING, NUMERIC, DType
from graph_program.tensor_api.array_api.linear import matmul, pair, tensordot, vecdot
from graph_program.tensor_api.array_api.manipulation import matrix_transpose


class EighResult(NamedTuple):
    """Eigenvalues in ascending order, and a matrix with an eigenvector in each column."""

    eigenvalues: Array
    eigenvectors: Array


class EigResult(NamedTuple):
    """Complex eigenvalues, and a matrix with an eigenvector in each column."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """A matrix with orthonormal columns, and an upper triangle."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """The sign of a determinant, and the logarithm of its distance from 0."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """`(U * S) @ Vh` is the matrix; the singular values `S` are in descending order."""

    U: Array
    S: Array
    Vh: Array


def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    """The lower triangle L of which `L @ conj(L).mT` is the matrix, or the upper one."""
    return Array(np.linalg.cholesky(elements("cholesky", x, FLOATING), upper=upper))


def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """The cross product of vectors of three elements along an axis that both have."""
    a, b = pair("cross", x1, x2)
    if a.shape[axis] != 3 or b.shape[axis] != 3:
        raise ValueError("cross() takes vectors of three elements")
    return Array(np.cross(a, b, axis=axis))


def det(x: Array, /) -> Array:
    """The determinant."""
    return wrap(np.linalg.det(elements("det", x, FLOATING)))


def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """The elements of a diagonal of the last two axes."""
    return Array(np.diagonal(elements("diagonal", x), offset=offset, axis1=-2, axis2=-1).copy())


def eigh(x: Array, /) -> EighResult:
    """Eigenvalues and eigenvectors of a symmetric matrix; its lower triangle is read."""
    values, vectors = np.linalg.eigh(elements("eigh", x, FLOATING))
    return EighResult(Array(values), Array(vectors))


def eigvalsh(x: Array, /) -> Array:
    """Eigenvalues of a symmetric matrix, in ascending order."""
    return Array(np.linalg.eigvalsh(elements("eigvalsh", x, FLOATING)))


def eig(x: Array, /) -> EigResult:
    """Complex eigenvalues and eigenvectors of any square matrix."""
    dtype = np.result_type(x.dtype, dtypes.complex64)
    values, vectors = np.linalg.eig(elements("eig", x, FLOATING).astype(dtype))
    return EigResult(Array(values), Array(vectors))


def eigvals(x: Array, /) -> Array:
    """Complex eigenvalues of any square matrix."""
    dtype = np.result_type(x.dtype, dtypes.complex64)
    return Array(np.linalg.eigvals(elements("eigvals", x, FLOATING).astype(dtype)))


def inv(x: Array, /) -> Array:
    """The inverse of a matrix.

    Raises
    ------
    numpy.linalg.LinAlgError
        It has none.
    """
    return Array(np.linalg.inv(elements("inv", x, FLOATING)))


def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: float | Literal["fro", "nuc"] | None = "fro") -> Array:
    """A norm of matrices: Frobenius, nuclear, or that of an order (1, -1, 2, -2, inf, -inf)."""
    return wrap(np.linalg.norm(elements("matrix_norm", x, FLOATING), axis=(-2, -1), keepdims=keepdims, ord=ord))


def matrix_power(x: Array, n: int, /) -> Array:
    """A square matrix multiplied by itself; the inverse for negative powers."""
    return Array(np.linalg.matrix_power(elements("matrix_power", x, FLOATING), n))


def matrix_rank(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """How many singular values are greater than `rtol` times the greatest."""
    array = elements("matrix_rank", x, FLOATING)
    if array.ndim < 2:
        raise np.linalg.LinAlgError("matrix_rank() takes arrays with at least 2 dimensions")
    values = np.linalg.svdvals(array)
    tolerance = _tolerance(x, rtol)[..., np.newaxis] * np.max(values, axis=-1, keepdims=True, initial=0.0)
    return wrap(np.count_nonzero(values > tolerance, axis=-1))


def pinv(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """The pseudo-inverse; singular values up to `rtol` times the greatest count as 0."""
    return Array(np.linalg.pinv(elements("pinv", x, FLOATING), rcond=_tolerance(x, rtol)))


def _tolerance(x: Array, rtol: float | Array | None) -> np.ndarray:
    if rtol is None:
        return np.asarray(max(x.shape[-2], x.shape[-1]) * np.finfo(x.dtype).eps)
    if isinstance(rtol, Array):
        return rtol._array
    return np.asarray(rtol)


def outer(x1: Array, x2: Array, /) -> Array:
    """All products of an element of one vector with one of another."""
    a, b = pair("outer", x1, x2)
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError("outer() takes one-dimensional arrays")
    return Array(np.outer(a, b))


def qr(x: Array, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """The factorization into orthonormal columns and an upper triangle."""
    q, r = np.linalg.qr(elements("qr", x, FLOATING), mode=mode)
    return QRResult(Array(q), Array(r))


def slogdet(x: Array, /) -> SlogdetResult:
    """The sign of the determinant, and the logarithm of its distance from 0."""
    sign, logabsdet = np.linalg.slogdet(elements("slogdet", x, FLOATING))
    return SlogdetResult(wrap(sign), wrap(logabsdet))


def solve(x1: Array, x2: Array, /) -> Array:
    """The solution of `x1 @ x == x2`; `x2` is a vector, or a stack of matrices.

    Raises
    ------
    numpy.linalg.LinAlgError
        The matrix is singular.
    """
    a, b = pair("solve", x1, x2, FLOATING)
    if b.ndim == 1:
        return Array(np.linalg.solve(a, b[:, np.newaxis])[..., 0])
    return Array(np.linalg.solve(a, b))


def svd(x: Array, /, *, full_matrices: bool = True) -> SVDResult:
    """The singular value decomposition."""
    u, s, vh = np.linalg.svd(elements("svd", x, FLOATING), full_matrices=full_matrices)
    return SVDResult(Array(u), Array(s), Array(vh))


def svdvals(x: Array, /) -> Array:
    """The singular values, in descending order."""
    return Array(np.linalg.svdvals(elements("svdvals", x, FLOATING)))


def trace(x: Array, /, *, offset: int = 0, dtype: DType | None = None) -> Array:
    """The sum of a diagonal of the last two axes."""
    return wrap(np.trace(elements("trace", x, NUMERIC), offset=offset, axis1=-2, axis2=-1, dtype=dtype))


def vector_norm(
    x: Array, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, ord: int | float = 2
) -> Array:
    """A norm of vectors along axes: that of an order, inf or -inf; 0 counts what is not 0."""
    size = np.abs(elements("vector_norm", x, FLOATING))
    if ord == np.inf:
        return wrap(np.max(size, axis=axis, keepdims=keepdims, initial=0.0))
    if ord == -np.inf:
        return wrap(np.min(size, axis=axis, keepdims=keepdims))
    if ord == 0:
        return wrap(np.sum((size != 0).astype(size.dtype), axis=axis, keepdims=keepdims))
    if ord == 1:
        return wrap(np.sum(size, axis=axis, keepdims=keepdims))
    if ord == 2:
        return wrap(np.sqrt(np.sum(size * size, axis=axis, keepdims=keepdims)))
    return wrap(np.sum(size**ord, axis=axis, keepdims=keepdims) ** (1 / ord))


__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]
