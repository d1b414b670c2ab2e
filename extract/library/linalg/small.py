"""One matrix of a known size up to 4x4: a few operations on whole rows for each column, and no loop.

The arithmetic is that of the loops of `elimination` and `cholesky`, which is LAPACK's.  Rows keep their full width,
as what is left of the diagonal costs less than to cut it off.  The largest element of a column is found by
comparisons, and so NaN is never the larger one, as in LAPACK.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.linalg.common import Array, adjoint, rows_at, size_as_pivot

LARGEST = 4
STEPS = tuple(range(LARGEST))
"""A tuple, so that loops over a part of it are unrolled."""
SIGNS = np.array([1.0, -1.0, -1.0, -1.0])
"""The sign that an exchange of the first row with another gives a determinant; with itself, none."""

IN_ORDER = np.array([[0, 4, 1, 2, 3, 5, 6, 7, 1, 2, 3]])
"""The places of the parts that the elimination of two rows of four reads: some elements are in two of them."""
EXCHANGED = (IN_ORDER + 4) % 8
"""The same of the rows exchanged."""


def is_small(a: Array) -> bool:
    """Whether an array is one matrix of a known size up to 4x4; a graph may know a size only when it runs."""
    return a.ndim == 2 and max(a.shape) <= LARGEST and min(a.shape) > 0


def solution(a: Array, b: Array) -> tuple[Array, Any]:
    """The x with `a @ x == b`, and whether `a` is singular."""
    n = len(a)
    if n == 1:
        return b / a, (a == 0).any()
    tops, _ = eliminated(np.concatenate((a, b), axis=1), n)
    return substituted(tops)[:, n:], any_zero(diagonal(tops)).any()


def inverse(a: Array) -> tuple[Array, Any]:
    """The inverse of a matrix of known size, and whether it is singular."""
    return inverse_of_two(a) if len(a) == 2 else solution(a, np.zeros(a.shape) + np.eye(len(a)))


def inverse_of_two(a: Array) -> tuple[Array, Any]:
    """`solution` of 2x2 for the identity: both rows are put in order and cut into parts at once."""
    rows = np.concatenate((a, np.eye(2)), axis=1).reshape(8)
    sizes = size_as_pivot(rows)
    ordered = rows_at(rows, np.where(sizes[4] > sizes[0], EXCHANGED, IN_ORDER))
    top, low, upper, lower = ordered[:, :1], ordered[:, 1:2], ordered[:, 2:5], ordered[:, 5:8]
    right, first = ordered[:, 8:9], ordered[:, 9:]
    inverse_top = np.reciprocal(top)
    left = lower - (low * inverse_top) * upper
    pivot, second = left[:, :1], left[:, 1:]
    below = second * np.reciprocal(pivot)
    above = (first - right * below) * inverse_top
    return np.concatenate((above, below)), ~(np.concatenate((top, pivot)) != 0).all()


def determinant(a: Array) -> Any:
    """The determinant, of at most 2x2: the product of two pivots overflows only where the determinant does."""
    if len(a) == 1:
        return a[0, 0]
    tops, sign = eliminated(a, 2)
    pivots = diagonal(tops)
    return np.where(any_zero(pivots), 0.0, pivots[0] * pivots[1] * sign)[0]


def sign_and_logarithm(a: Array) -> tuple[Any, Any]:
    """The sign of the determinant, and the logarithm of its absolute value."""
    tops, sign = eliminated(a, len(a))
    pivots = np.concatenate(diagonal(tops))
    sizes = np.abs(pivots)
    turned = pivots / sizes if np.iscomplexobj(pivots) else np.where(pivots < 0, -1.0, 1.0)
    sign = turned.prod() * sign
    singular = (sizes == 0).any()
    return np.where(singular, 0.0, sign).reshape(())[()], np.where(singular, -np.inf, np.log(sizes).sum())[()]


def eliminated(rows: Array, n: int) -> tuple[list[Array], Any]:
    """The rows of the upper triangle, to be read from the diagonal on; -1.0 if the exchanges of rows were odd, or 1.0.

    Each element is reduced once, by a product of what is known of its row and column (Crout).
    """
    tops: list[Array] = []
    known, factors, above = rows, rows[:, :0], rows[:0]
    sign: Any = 1.0
    for k in STEPS[: n - 1]:
        column = known[:, k : k + 1]
        first, others = pivot_first(column)
        sign = sign * rows_at(SIGNS, first)
        top = rows_at(known, first)
        factor = rows_at(column, others) * np.reciprocal(top[:, k])  # onnxruntime makes x / y of x * (1.0 / y)
        factors = np.concatenate((rows_at(factors, others), factor), axis=1)
        above = np.concatenate((above, top))
        rows = rows_at(rows, others)
        known = rows - product(factors, above)
        tops.append(top)
    tops.append(known)
    return tops, sign


def pivot_first(column: Array) -> tuple[Array, Array]:
    """The place of the largest element, and the places of the others once it has changed places with the first."""
    sizes = size_as_pivot(column)
    if len(column) == 2:
        swapped = (sizes[1] > sizes[0]).astype(np.int64)
        return swapped, 1 - swapped
    first = np.argmin((sizes < sizes.T).sum(axis=1), axis=0, keepdims=True)
    others = np.arange(1, len(column))
    return first, np.where(others == first, 0, others)


def substituted(tops: list[Array]) -> Array:
    """The solution for the upper triangle that rows begin with; before it, what the triangle has become."""
    n, inverses = len(tops), [np.reciprocal(pivot) for pivot in diagonal(tops)]
    x = tops[-1] * inverses[-1]
    for k in STEPS[: n - 1][::-1]:
        x = np.concatenate(((tops[k] - product(tops[k][:, k + 1 : n], x)) * inverses[k], x))
    return x


def lower_factor(a: Array) -> tuple[Array, Any]:
    """The lower triangle L with `L @ L.conj().T == a`, and whether a pivot is not positive."""
    columns: list[Array] = []
    left = a[:, :0]
    failed: Any = False
    for k in STEPS[: len(a)]:
        known = a[k:, k : k + 1]
        if k > 0:
            known = known - product(left, adjoint(left[:1]))
        pivot = np.real(known[:1])
        failed = failed | (pivot <= 0)
        root = np.sqrt(pivot).astype(a.dtype)
        below = known[1:] * np.reciprocal(root)
        columns.append(np.concatenate((np.zeros((k, 1), a.dtype), root, below)))
        left = np.concatenate((left[1:], below), axis=1)
    return np.concatenate(columns, axis=1), failed.any()


def eigenvalues(a: Array) -> Array:
    """The eigenvalues, ascending, of a Hermitian matrix of at most 2x2, by its lower triangle (LAPACK's `lae2`)."""
    if len(a) == 1:
        return np.real(a[0])
    p, q, r = np.real(a[0, :1]), np.abs(a[1, :1]), np.real(a[1, 1:])
    difference, double, total = np.abs(p - r), q + q, p + r
    wide = difference > double
    large, little = np.where(wide, difference, double), np.where(wide, double, difference)
    ratio = little / np.where(large == 0, 1.0, large)
    root = large * np.sqrt(1.0 + ratio * ratio)
    first = 0.5 * (total + np.where(total < 0, -root, root))  # nothing cancels
    scale = np.where(first == 0, 1.0, first)
    second = p / scale * r - q / scale * q
    return np.where(first < second, np.concatenate((first, second)), np.concatenate((second, first)))


def diagonal(tops: list[Array]) -> list[Array]:
    """The pivots, as arrays of one element."""
    return [tops[k][:, k] for k in STEPS[: len(tops)]]


def any_zero(numbers: list[Array]) -> Any:
    """Whether a number is zero."""
    found: Any = False
    for number in numbers:
        found = found | (number == 0)
    return found


def product(a: Array, b: Array) -> Array:
    """The product of matrices; of one column and one row without a sum."""
    found: Array = a * b if a.shape[1] == 1 else a @ b
    return found


__all__ = ["determinant", "eigenvalues", "inverse", "is_small", "lower_factor", "sign_and_logarithm", "solution"]
