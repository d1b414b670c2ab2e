"""Linear systems as programs over NumPy: extracted like a user's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def check_square(a: Array) -> None:
    """The error of `np.linalg` for a matrix that is not square."""
    if a.shape[0] != a.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")


def solve_vector(a: Array, b: Array) -> Array:
    """The vector x with `a @ x == b`."""
    check_square(a)
    if a.shape[0] != b.shape[0]:
        raise ValueError(
            "solve1: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (m,m),(m)->(m) "
            f"(size {b.shape[0]} is different from {a.shape[0]})"
        )
    return substituted(a, b.reshape(-1, 1)).reshape(-1)


def solve_matrix(a: Array, b: Array) -> Array:
    """The matrix x with `a @ x == b`."""
    check_square(a)
    if a.shape[0] != b.shape[0]:
        raise ValueError(
            "solve: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (m,m),(m,n)->(m,n) "
            f"(size {b.shape[0]} is different from {a.shape[0]})"
        )
    return substituted(a, b)


def inverse(a: Array) -> Array:
    """The inverse of a square matrix."""
    check_square(a)
    return substituted(a, np.eye(a.shape[0], dtype=a.dtype))


def substituted(a: Array, b: Array) -> Array:
    """Gaussian elimination with the largest pivot of each column, then substitution from the last row."""
    n = a.shape[0]
    rows = np.concatenate((a, b), axis=1)
    for k in range(n):
        pivot = k + np.argmax(np.abs(rows[k:, k]))
        if rows[pivot, k] == 0:
            raise np.linalg.LinAlgError("Singular matrix")
        if pivot != k:
            top = rows[k].copy()
            rows[k] = rows[pivot]
            rows[pivot] = top
        factors = rows[k + 1 :, k] / rows[k, k]
        rows[k + 1 :] -= factors[:, None] * rows[k]
    result = rows[:, n:].copy()
    for i in range(n - 1, -1, -1):
        result[i] = (result[i] - rows[i, i + 1 : n] @ result[i + 1 :]) / rows[i, i]
    return result


def determinant(a: Array) -> Any:
    """The product of the pivots, with a sign for each exchange of rows."""
    check_square(a)
    n = a.shape[0]
    rows = a.copy()
    result = a.dtype.type(1)
    for k in range(n):
        pivot = k + np.argmax(np.abs(rows[k:, k]))
        if rows[pivot, k] == 0:
            return a.dtype.type(0)
        if pivot != k:
            top = rows[k].copy()
            rows[k] = rows[pivot]
            rows[pivot] = top
            result = -result
        result = result * rows[k, k]
        factors = rows[k + 1 :, k] / rows[k, k]
        rows[k + 1 :] -= factors[:, None] * rows[k]
    return result


__all__ = ["determinant", "inverse", "solve_matrix", "solve_vector"]
