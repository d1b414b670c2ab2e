"""What the programs of `np.linalg` share: element types, checks of shapes, rows in another order."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

WIDTH = 32
"""Columns of a panel."""


def result_type(*arrays: Array) -> Any:
    """The element type of results: float32 only of float32."""
    result: Any = np.float32
    for a in arrays:
        if a.dtype == np.float16:
            raise TypeError("array type float16 is unsupported in linalg")
        if a.dtype != np.float32:
            result = np.float64
    return result


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


def reordered(x: Array, order: Array) -> Array:
    """The rows of each matrix in an order of its own."""
    if x.ndim == 2:
        return np.take(x, order, axis=0, mode="clip")
    return np.take_along_axis(x, order[..., np.newaxis], axis=-2)


def transposed(a: Array) -> Array:
    """Each matrix with rows and columns exchanged."""
    return np.swapaxes(a, -1, -2)


__all__ = [
    "WIDTH",
    "Array",
    "reordered",
    "require_matrices",
    "require_sizes",
    "require_square",
    "result_type",
    "transposed",
]
