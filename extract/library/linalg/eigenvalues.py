"""Eigenvalues and eigenvectors of complex matrices: the shifted QR algorithm, as LAPACK's `geev` uses it.

A matrix is made Hessenberg by Householder's reflections, then triangular by unitary similarities (Golub and Van
Loan, Matrix Computations, 4th edition, 7.4 and 7.5).  A step of the iteration is a chain of rotations of two rows;
they turn the unit matrix, too, so that all of a step goes to the columns by one product of matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import without_form
from graph_program.extract.library.linalg.common import (
    Array,
    adjoint,
    require_sizes,
    require_square,
    result_type,
    scaled,
    squares,
)
from graph_program.extract.library.linalg.householder import reflection
from graph_program.extract.library.linalg.jacobi import EPSILON, scale

EigResult: Any = type(np.linalg.eig(np.eye(1)))

STEPS = 30
"""Steps for each eigenvalue, on average, before the iteration is given up; as LAPACK."""
EXCEPTIONAL = 10
"""After as many steps the shift is another one, as some matrices are taken to themselves."""
ROUNDS = 20
"""Of balancing; few change anything."""
HUGE = 1e100
"""Where vectors are scaled down on the way, as those of defective matrices grow."""


def eig(a: Array) -> Any:
    """`np.linalg.eig`: unit vectors whose largest component is real; in no particular order."""
    refuse_real(a, "eig", "np.linalg.eigh")
    size, balance, x = prepared(a)
    triangle, turned = schur_form(x, True)
    vectors = scaled(turned @ triangle_vectors(triangle), balance[..., np.newaxis])
    values = scaled(np.diagonal(triangle, axis1=-2, axis2=-1), size)
    dtype = result_type(a)
    return EigResult(values.astype(dtype), unit_vectors(vectors).astype(dtype))


def eigvals(a: Array) -> Array:
    """`np.linalg.eigvals`: in no particular order."""
    refuse_real(a, "eigvals", "np.linalg.eigvalsh")
    size, _, x = prepared(a)
    triangle, _ = schur_form(x, False)
    return scaled(np.diagonal(triangle, axis1=-2, axis2=-1), size).astype(result_type(a))


def refuse_real(a: Array, name: str, symmetric: str) -> None:
    """Whether NumPy gives real eigenvalues depends on what they are."""
    if not np.iscomplexobj(a):
        without_form(
            "GP580",
            f"np.linalg.{name} of a real matrix ({a.dtype.name}) is real or complex, depending on its elements",
            hint=f"write np.linalg.{name}(a.astype(complex)), which is always complex, or {symmetric} "
            "of symmetric matrices, which is real",
        )


def prepared(a: Array) -> tuple[Array, Array, Array]:
    """A size to divide by, factors to balance with, and the matrix after both; NumPy's checks first."""
    require_square(a)
    if not np.isfinite(a).all():
        raise np.linalg.LinAlgError("Array must not contain infs or NaNs")
    x = a.astype(np.complex128)
    largest = scale(x)
    size = np.where((largest > HUGE) | (largest < 1 / HUGE), np.exp2(np.floor(np.log2(largest))), 1.0)
    x = scaled(x, 1 / size)
    balance = balancing(np.abs(x))
    return size[..., 0], balance, scaled(x, balance[..., np.newaxis, :] / balance[..., np.newaxis])


def balancing(sizes: Array) -> Array:
    """Powers of 2 by which rows are divided and columns multiplied, so that both are of about the same size.

    All are changed at once, so each goes half of its way in a round (after Parlett and Reinsch, Balancing a matrix
    for calculation of eigenvalues and eigenvectors, 1969).
    """
    n = sizes.shape[-1]
    sizes = np.where(np.eye(n) == 1, 0.0, sizes)
    factors = np.ones(sizes.shape[:-1])
    changed, rounds = True, 0
    while changed and rounds < ROUNDS:
        current = sizes * factors[..., np.newaxis, :] / factors[..., np.newaxis]
        rows, columns = current.sum(axis=-1), current.sum(axis=-2)
        known = (rows > 0) & (columns > 0)
        ratio = np.where(known, rows, 1.0) / np.where(known, columns, 1.0)
        steps = np.rint(np.log2(ratio) / 4)
        factors = factors * np.exp2(steps)
        changed = bool((steps != 0).any())
        rounds += 1
    return factors


def hessenberg(a: Array, vectors: bool) -> tuple[Array, Array]:
    """A matrix that is unitarily similar and 0 below the first subdiagonal, and the unitary matrix if it is wanted."""
    n = a.shape[-1]
    rows = np.arange(n)[:, np.newaxis]
    turned = np.zeros(a.shape, a.dtype) + np.eye(n)
    for k in range(n - 2):
        column = a[..., k, np.newaxis]
        head = a[..., k + 1, k, np.newaxis, np.newaxis]
        vector, tau, _ = reflection(head, np.where(rows > k + 1, column, 0.0), rows == k + 1)
        across = adjoint(vector)
        a = a - np.conj(tau) * vector * (across @ a)
        a = a - (a @ vector) * (tau * across)
        if vectors:
            turned = turned - (turned @ vector) * (tau * across)
    return np.triu(a, -1), turned


def schur_form(a: Array, vectors: bool) -> tuple[Array, Array]:
    """The triangle of Schur's decomposition, and its unitary matrix if it is wanted.

    In a stack, all matrices go through the same steps, each with a window and a shift of its own.
    """
    n = a.shape[-1]
    h, turned = hessenberg(a, vectors)
    h = deflated(h)
    steps = 0
    active = bool((np.diagonal(h, -1, -2, -1) != 0).any())
    while active and steps < STEPS * n:
        low, high = window(h)
        steps += 1
        moved = np.where(inside(low, high, n), shift(h, high, steps % EXCEPTIONAL == 0)[..., np.newaxis], 0.0)
        diagonal = np.eye(n) * moved[..., np.newaxis]
        product, q = rotated(h - diagonal, low, high)
        h = deflated(np.triu(product @ q, -1) + diagonal)
        if vectors:
            turned = turned @ q
        active = bool((np.diagonal(h, -1, -2, -1) != 0).any())
    if active:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    return np.triu(h), turned


def deflated(h: Array) -> Array:
    """The matrix with zeros for what is negligible on the subdiagonal."""
    n = h.shape[-1]
    sizes = np.abs(np.diagonal(h, axis1=-2, axis2=-1))
    beside = sizes[..., 1:] + sizes[..., :-1]
    largest = np.abs(h).max(axis=(-2, -1), initial=0.0)[..., np.newaxis]
    small = np.abs(np.diagonal(h, -1, -2, -1)) <= EPSILON * np.where(beside > 0, beside, largest)
    kept = np.concatenate((~small, np.ones((*small.shape[:-1], n - small.shape[-1]), bool)), axis=-1)
    below = np.eye(n, k=-1) == 1
    return np.where(kept[..., np.newaxis, :] | ~below, h, 0.0)


def window(h: Array) -> tuple[Array, Array]:
    """The first and the last row of the lowest block that is not triangular yet; 0 and 0 if there is none."""
    busy = np.diagonal(h, -1, -2, -1) != 0
    places = np.arange(busy.shape[-1])
    high = np.where(busy, places + 1, 0).max(axis=-1, initial=0)[..., np.newaxis]
    low = np.where(~busy & (places < high), places + 1, 0).max(axis=-1, initial=0)[..., np.newaxis]
    return low, high


def inside(low: Array, high: Array, n: int) -> Array:
    """Which rows are in a window."""
    places = np.arange(n)
    return (places >= low) & (places <= high) & (low < high)


def shift(h: Array, high: Array, exceptional: bool) -> Array:
    """The eigenvalue of the window's last two rows and columns that is closer to the last element (Wilkinson)."""
    diagonal = np.diagonal(h, axis1=-2, axis2=-1)
    below = np.diagonal(h, -1, -2, -1)
    places = np.arange(below.shape[-1]) == high - 1
    last = np.where(places, diagonal[..., 1:], 0.0).sum(axis=-1)
    before = np.where(places, diagonal[..., :-1], 0.0).sum(axis=-1)
    across = np.where(places, below * np.diagonal(h, 1, -2, -1), 0.0).sum(axis=-1)
    half = (before - last) / 2
    root = np.sqrt(half * half + across)
    far = half + np.where((np.conj(half) * root).real >= 0, root, -root)
    closer = last - np.where(far == 0, 0.0, across) / np.where(far == 0, 1.0, far)
    other = last + 0.75 * np.abs(np.where(places, below, 0.0)).sum(axis=-1)
    found: Array = np.where(exceptional, other, closer)
    return found


def rotated(h: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """R and Q of Hessenberg matrices, in their windows."""
    n = h.shape[-1]
    rows = np.concatenate((h, np.zeros(h.shape, h.dtype) + np.eye(n)), axis=-1)
    first, last = int(low.min(initial=n)), int(high.max(initial=0))
    require_sizes(first >= 0 and last < n)
    for k in range(first, last):
        pair = rows[..., k : k + 2, k]
        size = np.sqrt(squares(pair).sum(axis=-1, keepdims=True))
        used = (size > 0) & (low <= k) & (k < high)
        unit = np.where(used, scaled(pair, 1 / np.where(used, size, 1.0)), np.array([1.0, 0.0]))
        under = np.stack((-unit[..., 1], unit[..., 0]), axis=-1)
        rotation = np.stack((np.conj(unit), under), axis=-2)
        rows[..., k : k + 2, :] = rotation @ rows[..., k : k + 2, :]
    return rows[..., :n], adjoint(rows[..., n:])


def triangle_vectors(t: Array) -> Array:
    """Eigenvectors of triangles, as columns: triangles with ones on the diagonal, until they grow huge."""
    n = t.shape[-1]
    values = np.diagonal(t, axis1=-2, axis2=-1)
    least = EPSILON * np.abs(t).max(axis=(-2, -1), initial=0.0)[..., np.newaxis] + 1 / HUGE
    columns = np.arange(n)
    x = np.zeros(t.shape, t.dtype) + np.eye(n)
    for j in range(1, n):
        i = n - 1 - j
        known = (t[..., i, np.newaxis, :] @ x)[..., 0, :]
        gaps = values - values[..., i, np.newaxis]
        found = known / np.where(np.abs(gaps) < least, least, gaps)
        x[..., i, :] = np.where(columns > i, found, x[..., i, :])
        sizes = np.abs(x[..., i, :])
        x = scaled(x, np.where(sizes > HUGE, 1 / np.where(sizes > HUGE, sizes, 1.0), 1.0)[..., np.newaxis, :])
    return x


def unit_vectors(x: Array) -> Array:
    """Columns of length 1 whose largest component is real."""
    sizes = np.abs(x)
    largest = sizes.max(axis=-2, keepdims=True, initial=0.0)
    x = scaled(x, 1 / np.where(largest > 0, largest, 1.0))
    lengths = np.sqrt(squares(x).sum(axis=-2, keepdims=True))
    if x.shape[-2] == 0:
        return x
    place = np.argmax(sizes, axis=-2, keepdims=True)
    head = np.take_along_axis(x, place, axis=-2)
    turned = scaled(x * np.conj(head), 1 / (np.abs(head) * lengths))
    real = np.arange(x.shape[-2])[:, np.newaxis] == place
    return np.where(real, turned.real, turned)


__all__ = ["eig", "eigvals"]
