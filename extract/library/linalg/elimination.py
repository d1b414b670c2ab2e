"""Linear systems, inverses, determinants: Gaussian elimination with partial pivoting, as LAPACK's `getrf` does it."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.linalg import small
from graph_program.extract.library.linalg.common import (
    WIDTH,
    Array,
    begun,
    or_pivots,
    or_solution,
    real_type,
    reciprocal,
    reordered,
    require_sizes,
    require_square,
    result_type,
    size_as_pivot,
    work_type,
)

SlogdetResult: Any = type(np.linalg.slogdet(np.eye(1)))


def solve(a: Array, b: Array) -> Array:
    """`np.linalg.solve`."""
    require_square(a)
    dtype, work = result_type(a, b), work_type(a, b)
    if b.ndim == 1:
        if a.shape[-1] != b.shape[0]:
            raise ValueError(
                "solve1: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (m,m),(m)->(m) "
                f"(size {b.shape[0]} is different from {a.shape[-1]})"
            )
        columns = np.broadcast_to(b[:, np.newaxis], (*a.shape[:-2], b.shape[0], 1))
        return solved(a.astype(work), columns.astype(work), dtype, True)
    if b.ndim == 0:
        raise ValueError(
            "solve: Input operand 1 does not have enough dimensions "
            "(has 0, gufunc core with signature (m,m),(m,n)->(m,n) requires 2)"
        )
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(
            "solve: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (m,m),(m,n)->(m,n) "
            f"(size {b.shape[-2]} is different from {a.shape[-1]})"
        )
    if a.ndim > 2 or b.ndim > 2:
        require_stacks_fit(a, b)
        stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a, b = np.broadcast_to(a, stack + a.shape[-2:]), np.broadcast_to(b, stack + b.shape[-2:])
    return solved(a.astype(work), b.astype(work), dtype)


def require_stacks_fit(a: Array, b: Array) -> None:
    """NumPy's error for stacks of matrices that do not broadcast."""
    for i in range(3, min(a.ndim, b.ndim) + 1):
        if a.shape[-i] != b.shape[-i] and a.shape[-i] != 1 and b.shape[-i] != 1:
            raise ValueError(
                "operands could not be broadcast together with remapped shapes [original->remapped]: "
                f"{remapped(a)} {remapped(b)}  and requested shape ({b.shape[-2]},{b.shape[-1]})"
            )


def remapped(a: Array) -> str:
    """The shape of a stack of matrices in NumPy's error."""
    shape = stack = ""
    for i in range(a.ndim):
        shape += f"{a.shape[i]}" if i == a.ndim - 1 else f"{a.shape[i]},"
        stack += "newaxis" if i == a.ndim - 1 else "newaxis," if i == a.ndim - 2 else f"{a.shape[i]},"
    return f"({shape})->({stack})"


def inv(a: Array) -> Array:
    """`np.linalg.inv`."""
    require_square(a)
    dtype, matrix = result_type(a), a.astype(work_type(a))
    if small.is_small(a):
        return checked(*small.inverse(matrix), dtype)
    return solved(matrix, np.zeros(a.shape) + np.eye(a.shape[-1]), dtype)


def det(a: Array) -> Any:
    """`np.linalg.det`: from the logarithm, as NumPy does, so that nothing overflows on the way."""
    require_square(a)
    dtype = result_type(a)
    if small.is_small(a) and a.shape[0] <= 2:
        return small.determinant(a.astype(work_type(a))).astype(dtype)
    sign, logarithm = sign_and_logarithm(a.astype(work_type(a)))
    return (sign * np.exp(logarithm)).astype(dtype)


def slogdet(a: Array) -> Any:
    """`np.linalg.slogdet`."""
    require_square(a)
    dtype = result_type(a)
    sign, logarithm = sign_and_logarithm(a.astype(work_type(a)))
    return SlogdetResult(sign.astype(dtype), logarithm.astype(real_type(a)))


def solved(a: Array, b: Array, dtype: Any, vector: bool = False) -> Array:
    """The x with `a @ x == b`, in an element type; of one column as a vector."""
    if small.is_small(a):
        x, singular = small.solution(a, b)
        return checked(x[:, 0] if vector else x, singular, dtype)
    n = a.shape[-1]
    since = begun()
    rows, _ = eliminated(np.concatenate((a, b), axis=-1), n)
    upper = rows[..., :n]
    if (or_pivots(np.diagonal(upper, axis1=-2, axis2=-1), a, b, since) == 0).any():
        raise np.linalg.LinAlgError("Singular matrix")
    since = begun()
    x = or_solution(substituted(upper, rows[..., n:]), a, b, since)
    return (x[..., 0] if vector else x).astype(dtype)


def checked(x: Array, singular: Any, dtype: Any) -> Array:
    """What has been found, in an element type; whether there is one is asked at the end, so that nothing waits."""
    found: Array = x.astype(dtype)
    if singular:
        raise np.linalg.LinAlgError("Singular matrix")
    return found


def sign_and_logarithm(a: Array) -> tuple[Any, Any]:
    """The sign of the determinant, and the logarithm of its absolute value."""
    if small.is_small(a):
        return small.sign_and_logarithm(a)
    rows, sign = eliminated(a, a.shape[-1])
    pivots = np.diagonal(rows, axis1=-2, axis2=-1)
    singular = (pivots == 0).any(axis=-1)
    sizes = np.abs(pivots)
    if np.iscomplexobj(pivots):
        sign = sign * (pivots / sizes).prod(axis=-1)
    else:
        sign = sign * np.where(pivots < 0, -1.0, 1.0).prod(axis=-1)
    logarithm = np.log(sizes).sum(axis=-1)
    return np.where(singular, 0.0, sign)[()], np.where(singular, -np.inf, logarithm)[()]


def eliminated(rows: Array, n: int) -> tuple[Array, Any]:
    """Matrices whose first n columns are upper triangular, and whether the exchanges of rows were odd (-1) or even (1).

    What is below the diagonal is left over from elimination.
    """
    exchanges: Any = np.zeros(rows.shape[:-2], np.int64)[()]
    for j in range(0, n, WIDTH):
        width = min(WIDTH, n - j)
        panel, order, odd = panel_eliminated(rows[..., j:, j : j + width])
        rest = reordered(rows[..., j:, j + width :], order)
        right = forward(panel[..., :width, :], rest[..., :width, :])
        below = rest[..., width:, :] - panel[..., width:, :] @ right
        rows[..., j:, j:] = np.concatenate((panel, np.concatenate((right, below), axis=-2)), axis=-1)
        exchanges = exchanges + odd
    return rows, 1.0 - 2.0 * (exchanges % 2)


def panel_eliminated(panel: Array) -> tuple[Array, Array, Any]:
    """Elimination in a few columns: pivots and what is right of them, factors below; the order of rows; exchanges.

    Each element is reduced once, by a product of what is known of its row and column (Crout), so that small integers
    give the zeros that they give in LAPACK.
    """
    m, width = panel.shape[-2:]
    require_sizes(width <= m and m > 0)
    rows = np.arange(m)
    columns = np.append(np.arange(width), -1)  # the last column tells which row it was
    numbers = np.zeros((*panel.shape[:-1], 1)) + rows[:, np.newaxis]
    panel = np.concatenate((panel, numbers), axis=-1)
    exchanges: Any = np.zeros(panel.shape[:-2], np.int64)[()]
    for k in range(width):
        known = panel[..., k] - (panel[..., :k] @ panel[..., :k, k, np.newaxis])[..., 0]
        column = np.where(rows < k, panel[..., k], known)
        pivot = np.argmax(np.where(rows < k, -1.0, size_as_pivot(column)), axis=-1, keepdims=True)
        panel = np.where(columns == k, column[..., np.newaxis], panel)
        panel = reordered(panel, np.where(rows == k, pivot, np.where(rows == pivot, k, rows)))
        exchanges = exchanges + (pivot[..., 0] != k)
        top = panel[..., k, np.newaxis, :]
        known = top - panel[..., k, np.newaxis, :k] @ panel[..., :k, :]
        head = top[..., k, np.newaxis]
        factors = panel[..., k, np.newaxis] * reciprocal(np.where(head == 0, 1.0, head))
        panel = np.where((columns == k) & (rows > k)[:, np.newaxis], factors, panel)
        panel = np.where((rows == k)[:, np.newaxis] & (columns > k), known, panel)
    return panel[..., :width], np.real(panel[..., width]).astype(np.int64), exchanges


def forward(lower: Array, x: Array) -> Array:
    """The solution for lower triangles with ones on the diagonal; the rest of `lower` is not read.

    A row that is known is put aside; what becomes of it in the matrix that is reduced nobody reads.
    """
    n = x.shape[-2]
    require_sizes(lower.shape[-2] == n and lower.shape[-1] == n and n > 0)
    found = []
    for k in range(n):
        row = x[..., k, :]
        x = x - lower[..., k, np.newaxis] * row[..., np.newaxis, :]
        found.append(row)
    return np.stack(found, axis=-2)


def backward(upper: Array, x: Array) -> Array:
    """The solution for upper triangles; the rest of `upper` is not read."""
    n = x.shape[-2]
    require_sizes(upper.shape[-2] == n and upper.shape[-1] == n and n > 0)
    pivots = np.diagonal(upper, axis1=-2, axis2=-1)
    factors = reciprocal(pivots) if np.iscomplexobj(upper) else pivots  # as OpenBLAS does it
    found = []
    for i in range(n):
        k = n - 1 - i
        row = x[..., k, :]
        row = row * factors[..., k, np.newaxis] if np.iscomplexobj(upper) else row / factors[..., k, np.newaxis]
        x = x - upper[..., k, np.newaxis] * row[..., np.newaxis, :]
        found.append(row)
    return np.flip(np.stack(found, axis=-2), axis=-2)


def substituted(upper: Array, x: Array) -> Array:
    """`backward`, in blocks of rows from the last."""
    n = upper.shape[-1]
    for j in range((n - 1) // WIDTH * WIDTH, -1, -WIDTH):
        end = min(j + WIDTH, n)
        found = backward(upper[..., j:end, j:end], x[..., j:end, :])
        above = x[..., :j, :] - upper[..., :j, j:end] @ found
        x = np.concatenate((above, found, x[..., end:, :]), axis=-2)
    return x


__all__ = ["backward", "det", "eliminated", "forward", "inv", "slogdet", "solve", "solved", "substituted"]
