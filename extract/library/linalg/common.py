"""What the programs of `np.linalg` share: element types, checks of shapes, rows in another order."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

WIDTH = 16
"""Columns of a panel."""


def result_type(*arrays: Array) -> Any:
    """The element type of results: single precision only of arrays of single precision, complex if one is complex."""
    for a in arrays:
        if a.dtype == np.float16:
            raise TypeError("array type float16 is unsupported in linalg")
    if any_complex(*arrays):
        return np.complex64 if all_single(*arrays) else np.complex128
    return real_type(*arrays)


def real_type(*arrays: Array) -> Any:
    """The element type of results that are real of complex matrices, too."""
    return np.float32 if all_single(*arrays) else np.float64


def work_type(*arrays: Array) -> Any:
    """The element type to compute in."""
    return np.complex128 if any_complex(*arrays) else np.float64


def any_complex(*arrays: Array) -> bool:
    """Whether an array has complex elements."""
    found = False
    for a in arrays:
        found = found or np.iscomplexobj(a)
    return found


def all_single(*arrays: Array) -> bool:
    """Whether the elements of all arrays have single precision."""
    found = True
    for a in arrays:
        found = found and (a.dtype == np.float32 or a.dtype == np.complex64)
    return found


def require_matrices(a: Array) -> None:
    """NumPy's error for arrays that are no stacks of matrices."""
    if a.ndim < 2:
        raise np.linalg.LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")


def require_square(a: Array) -> None:
    """NumPy's error for arrays that are no stacks of square matrices."""
    require_matrices(a)
    if a.shape[-2] != a.shape[-1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")


def require_sizes(fit: bool) -> None:
    """What always holds of sizes, said where it could not be proven: then rounds of loops need no checks."""
    if not fit:
        raise AssertionError


def begun() -> bool:
    """Where that begins which a graph that has a library leaves out, up to what takes this."""
    return True


def or_pivots(pivots: Array, a: Array, b: Array, since: bool) -> Array:
    """`pivots`, of which one is 0 where `a` is singular; those of a library in a graph that has one."""
    return pivots


def or_solution(x: Array, a: Array, b: Array, since: bool) -> Array:
    """`x`, which solves `a @ x == b`; that of a library in a graph that has one."""
    return x


def or_triangle(lower: Array, a: Array, since: bool) -> Array:
    """`lower`, whose diagonal has a 0 where there is no factor of `a`; that of a library in a graph that has one."""
    return lower


def reordered(x: Array, order: Array) -> Array:
    """The rows of each matrix in an order of its own."""
    if x.ndim == 2:
        return rows_at(x, order)
    return np.take_along_axis(x, order[..., np.newaxis], axis=-2)


def rows_at(x: Array, places: Any, axis: int = 0) -> Array:
    """The rows, or parts along another axis, at places that x has: a graph does not look whether it has them."""
    found: Array = np.take(x, places, axis=axis)
    return found


def transposed(a: Array) -> Array:
    """Each matrix with rows and columns exchanged."""
    return np.swapaxes(a, -1, -2)


def conjugated(a: Array) -> Array:
    """The complex conjugates; real arrays as they are."""
    return np.conj(a) if np.iscomplexobj(a) else a


def adjoint(a: Array) -> Array:
    """The conjugate transpose of each matrix."""
    return transposed(conjugated(a))


def squares(a: Array) -> Array:
    """The squares of the absolute values."""
    return a.real * a.real + a.imag * a.imag if np.iscomplexobj(a) else a * a


def size_as_pivot(column: Array) -> Array:
    """What the largest element is chosen by; of complex numbers, as in LAPACK, the sum of the parts' sizes."""
    size: Array = np.abs(column.real) + np.abs(column.imag) if np.iscomplexobj(column) else np.abs(column)
    return size


def reciprocal(a: Array) -> Array:
    """`1 / a`; of complex numbers with one factor that keeps squares in range, which takes fewer operations."""
    if not np.iscomplexobj(a):
        result: Array = 1.0 / a
        return result
    size = np.maximum(np.abs(a.real), np.abs(a.imag))
    real, imag = a.real / size, a.imag / size
    square = (real * real + imag * imag) * size
    parts = a.copy()
    parts.real = real / square
    parts.imag = -imag / square
    return parts


def scaled(a: Array, factor: Any) -> Array:
    """`a * factor` for real factors: both parts of complex numbers, without products with an imaginary zero."""
    if not np.iscomplexobj(a):
        result: Array = a * factor
        return result
    parts = a.copy()
    parts.real *= factor
    parts.imag *= factor
    return parts


__all__ = [
    "WIDTH",
    "Array",
    "adjoint",
    "begun",
    "conjugated",
    "or_pivots",
    "or_solution",
    "or_triangle",
    "real_type",
    "reciprocal",
    "reordered",
    "require_matrices",
    "require_sizes",
    "require_square",
    "result_type",
    "rows_at",
    "scaled",
    "size_as_pivot",
    "squares",
    "transposed",
    "work_type",
]
