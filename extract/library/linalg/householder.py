"""QR factorizations by Householder's reflections, as LAPACK's `geqrf` and `orgqr` do them.

A panel of columns is reflected column by column; its reflections together are `I - V @ T @ V.conj().T` with a
triangle T (Schreiber and Van Loan, A storage-efficient WY representation for products of Householder transformations,
1989).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.linalg.common import (
    WIDTH,
    Array,
    adjoint,
    conjugated,
    require_matrices,
    require_sizes,
    result_type,
    transposed,
    work_type,
)

QRResult: Any = type(np.linalg.qr(np.eye(1)))


def qr(a: Array, mode: str = "reduced") -> Any:
    """`np.linalg.qr`."""
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    require_matrices(a)
    dtype = result_type(a)
    factors, heights, triangles = reflected(a.astype(work_type(a)))
    rank = min(a.shape[-2], a.shape[-1])
    if mode == "raw":
        return transposed(factors).astype(dtype), heights.astype(dtype)
    if mode == "r":
        return np.triu(factors[..., :rank, :]).astype(dtype)
    columns = a.shape[-2] if mode == "complete" else rank
    q = orthogonal(factors, triangles, columns)
    return QRResult(q.astype(dtype), np.triu(factors[..., :columns, :]).astype(dtype))


def reflected(a: Array) -> tuple[Array, Array, Array]:
    """R with the reflections' vectors below its diagonal, their factors tau, and the triangle T of each panel."""
    m, n = a.shape[-2:]
    rank = min(m, n)
    heights = np.zeros((*a.shape[:-2], rank), a.dtype)
    triangles = np.zeros((*a.shape[:-2], rank, WIDTH), a.dtype)
    for j in range(0, rank, WIDTH):
        end = min(j + WIDTH, rank)
        panel, tau, triangle = panel_reflected(a[..., j:, j:end])
        vectors = unit_lower(panel)
        rest = a[..., j:, end:]
        rest = rest - vectors @ (adjoint(triangle) @ (adjoint(vectors) @ rest))
        a[..., j:, j:] = np.concatenate((panel, rest), axis=-1)
        heights[..., j:end] = tau
        triangles[..., j:end, : end - j] = triangle
    return a, heights, triangles


def panel_reflected(panel: Array) -> tuple[Array, Array, Array]:
    """The reflections of a few columns: R and vectors, tau, and T."""
    m, width = panel.shape[-2:]
    require_sizes(width <= m)
    rows, columns = np.arange(m)[:, np.newaxis], np.arange(width)
    vectors = np.zeros(panel.shape, panel.dtype)
    heights = np.zeros((*panel.shape[:-2], width), panel.dtype)
    triangle = np.zeros((*panel.shape[:-2], width, width), panel.dtype)
    for k in range(width):
        column = panel[..., k, np.newaxis]
        head = panel[..., k, k, np.newaxis, np.newaxis]
        vector, tau, beta = reflection(head, np.where(rows > k, column, 0.0), rows == k)
        reduced = panel - conjugated(tau) * vector * (adjoint(vector) @ panel)
        kept = np.where(rows > k, vector, np.where(rows == k, beta, column))
        panel = np.where(columns == k, kept, np.where(columns > k, reduced, panel))
        onto = adjoint(vectors) @ vector  # zero for this column and the later ones
        above = np.where(columns[:, np.newaxis] == k, tau, -tau * (triangle @ onto))
        triangle = np.where(columns == k, above, triangle)
        vectors = np.where(columns == k, vector, vectors)
        heights = np.where(columns == k, tau[..., 0], heights)
    return panel, heights, triangle


def reflection(head: Array, below: Array, first: Array) -> tuple[Array, Array, Array]:
    """The reflection that takes a column to a multiple of a unit vector, as LAPACK's `larfg` finds it.

    Parameters
    ----------
    head : array of shape (..., 1, 1)
        The element that is left.
    below : array of shape (..., m, 1)
        The elements that become 0, between zeros.
    first : array of shape (m, 1)
        Which element of the column is the head.

    Returns
    -------
    tuple of arrays
        v, tau and beta: `I - conj(tau) v v^H` makes the head beta, which is real, and what is below it 0.
    """
    sizes = np.abs(below)
    largest = sizes.max(axis=-2, keepdims=True)
    size = np.where(largest > 0, largest, 1.0)
    norm = size * np.sqrt(((sizes / size) ** 2).sum(axis=-2, keepdims=True))
    flat = norm == 0
    if np.iscomplexobj(head):
        flat = flat & (head.imag == 0)
    beta = -np.copysign(np.hypot(np.abs(head), norm), np.real(head))
    tau = np.where(flat, 0.0, (beta - head) / np.where(flat, 1.0, beta))
    vector = np.where(first, 1.0, below / np.where(flat, 1.0, head - beta))
    return vector, tau, np.where(flat, head, beta)


def unit_lower(panel: Array) -> Array:
    """The reflections' vectors: what is below the diagonal, ones on it."""
    rows, columns = np.arange(panel.shape[-2])[:, np.newaxis], np.arange(panel.shape[-1])
    return np.where(rows > columns, panel, np.where(rows == columns, 1.0, 0.0))


def orthogonal(factors: Array, triangles: Array, columns: int) -> Array:
    """The first columns of Q."""
    rank = triangles.shape[-2]
    q = np.zeros((*factors.shape[:-1], columns), factors.dtype) + np.eye(factors.shape[-2], columns)
    for j in range((rank - 1) // WIDTH * WIDTH, -1, -WIDTH):
        end = min(j + WIDTH, rank)
        vectors = unit_lower(factors[..., j:, j:end])
        rest = q[..., j:, j:]
        rest = rest - vectors @ (triangles[..., j:end, : end - j] @ (adjoint(vectors) @ rest))
        q[..., j:, j:] = rest
    return q


__all__ = ["orthogonal", "qr", "reflected", "reflection"]
