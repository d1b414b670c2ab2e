"""`np.linalg.svd`, `eigh` and what follows from them; vectors are compared where their signs do not matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

Array = np.ndarray[Any, Any]
RANDOM = np.random.default_rng(0)
SQUARE = RANDOM.normal(size=(4, 4))
SYMMETRIC = SQUARE + SQUARE.T
TALL = RANDOM.normal(size=(5, 3))
WIDE = RANDOM.normal(size=(3, 5))
STACK = RANDOM.normal(size=(2, 3, 5))
SQUARES = RANDOM.normal(size=(2, 2, 3, 3))
LARGE = RANDOM.normal(size=(40, 40))
DEPENDENT = np.outer(np.arange(1.0, 5.0), np.arange(1.0, 4.0))


def close_to_zero(x: Array) -> Any:
    return np.abs(x) < 1e-5


def test_eigenvalues() -> None:
    def pairs(a: Array) -> Any:
        values, vectors = np.linalg.eigh(a)
        left = close_to_zero(a @ vectors - vectors * values[..., None, :])
        return values, np.abs(vectors), left, np.linalg.eigh(a).eigenvectors.dtype

    check(pairs, (SYMMETRIC,), (SYMMETRIC.astype(np.float32),), (np.diag([3, 1, 2]),), (np.zeros((0, 0)),))
    check(pairs, (SQUARES + np.swapaxes(SQUARES, -1, -2),))


def test_one_triangle_is_read() -> None:
    def values(a: Array) -> Any:
        return np.linalg.eigvalsh(a), np.linalg.eigvalsh(a, "U")

    check(
        values,
        (SQUARE,),
        (LARGE,),
        (np.eye(3),),
        (np.ones((3, 3)),),
        (SQUARE * 1e200,),
        (np.array([[7.0]]),),
        (np.diag([1.0, np.nan, 2.0]),),
        (TALL,),
        (TALL[0],),
    )


def parts(a: Array) -> Any:
    found = np.linalg.svd(a, full_matrices=False)
    u, s, vh = found
    return s, u.shape, vh.shape, close_to_zero((u * s[..., None, :]) @ found.Vh - a)


def full_parts(a: Array) -> Any:
    u, s, vh = np.linalg.svd(a)
    lost = close_to_zero(np.swapaxes(u, -1, -2) @ u - np.eye(u.shape[-1]))
    return s, u.shape, lost, close_to_zero(vh @ np.swapaxes(vh, -1, -2) - np.eye(vh.shape[-1]))


@pytest.mark.parametrize("program", [parts, full_parts])
def test_singular_values(program: Any) -> None:
    check(
        program,
        (SQUARE,),
        (TALL,),
        (WIDE,),
        (LARGE[:, :35],),
        (DEPENDENT.round(12),),
        (np.zeros((3, 2)),),
        (np.eye(3),),
        (np.zeros((0, 3)),),
        (np.zeros((3, 0)),),
    )


def test_singular_values_alone() -> None:
    def values(a: Array) -> Any:
        return np.linalg.svdvals(a)

    check(values, (TALL,), (WIDE.astype(np.float32),), (STACK,), (STACK[:0],), (TALL * np.nan,), (TALL[0],))
    check(values, ((3 * TALL).astype(np.int64),))


def test_of_hermitian_matrices() -> None:
    def product(a: Array) -> Any:
        u, s, vh = np.linalg.svd(a, hermitian=True)
        return (u * s) @ vh, s

    check(product, (SYMMETRIC,), (np.diag([1.0, -3.0, 2.0]),))


def test_norms() -> None:
    def norms(a: Array) -> Any:
        return (
            np.linalg.norm(a, 2),
            np.linalg.norm(a, -2),
            np.linalg.norm(a, "nuc"),
            np.linalg.norm(a, 2, keepdims=True),
        )

    def of_stacks(a: Array) -> Any:
        return np.linalg.norm(a, 2, axis=(0, 2)), np.linalg.norm(a, "nuc", axis=(2, 1), keepdims=True)

    check(norms, (TALL,), (WIDE,))
    check(of_stacks, (STACK,))


def test_pseudo_inverses() -> None:
    def inverse(a: Array) -> Any:
        return np.linalg.pinv(a)

    def cut_off(a: Array) -> Any:
        return np.linalg.pinv(a, rcond=0.3), np.linalg.pinv(a, rtol=None)

    check(inverse, (TALL,), (WIDE,), (DEPENDENT,), (np.zeros((2, 0)),), (np.zeros((2, 3)),))
    check(inverse, (STACK.astype(np.float32),))
    check(cut_off, (TALL,))


def test_ranks() -> None:
    def rank(a: Array) -> Any:
        return np.linalg.matrix_rank(a)

    def with_limits(a: Array) -> Any:
        return np.linalg.matrix_rank(a, tol=1.5), np.linalg.matrix_rank(a, rtol=0.4)

    check(rank, (TALL,), (DEPENDENT,), (np.zeros((3, 3)),), (np.eye(3),), (np.zeros((0, 2)),))
    check(rank, (STACK,))
    check(rank, (TALL[0],), (np.zeros(3),))
    check(with_limits, (TALL,))


def test_condition_numbers() -> None:
    def spectral(a: Array) -> Any:
        return np.linalg.cond(a), np.linalg.cond(a, -2)

    def by_inverse(a: Array) -> Any:
        return np.linalg.cond(a, 1), np.linalg.cond(a, np.inf), np.linalg.cond(a, "fro")

    check(spectral, (TALL,), (np.zeros((2, 2)),), (np.diag([1.0, 0.0]),), (np.zeros((0, 2)),))
    check(by_inverse, (SQUARE,), (np.ones((2, 2)),), (TALL,))
    check(by_inverse, (SQUARES * np.arange(2)[:, None, None, None],))


def fitted(a: Array, b: Array) -> Any:
    return np.linalg.lstsq(a, b)


def test_least_squares() -> None:
    check(
        fitted,
        (TALL, np.arange(5.0)),
        (DEPENDENT, np.arange(4.0)),
        (WIDE, np.arange(3.0)),
        (TALL, np.ones(4)),
        (np.zeros((3, 2)), np.ones(3)),
        (np.zeros((2, 0)), np.ones(2)),
        (np.zeros((0, 2)), np.zeros(0)),
    )
    check(fitted, (TALL.astype(np.float32), np.ones((5, 2), np.float32)))
    check(fitted, ((3 * TALL).astype(np.int64), np.arange(5)))
    check(fitted, (STACK, np.ones(3)))
    check(fitted, (TALL * np.nan, np.ones(5)), (TALL, np.full(5, np.nan)))


def test_a_line_through_points() -> None:
    def line(x: Array, y: Array) -> Any:
        slope, offset = np.linalg.lstsq(np.vstack([x, np.ones(len(x))]).T, y, rcond=None)[0]
        return slope, offset

    check(line, (np.arange(4.0), np.array([-1.0, 0.2, 0.9, 2.1])))


def test_powers_and_tensors() -> None:
    def power(a: Array) -> Any:
        return np.linalg.matrix_power(a, -3)

    def unknowns(a: Array, b: Array) -> Any:
        return np.linalg.tensorsolve(a, b), np.linalg.tensorinv(a)

    check(power, (SQUARE,), (np.ones((2, 2)),))
    check(power, (SQUARES,))
    tensor = np.eye(2 * 3 * 4).reshape(2 * 3, 4, 2, 3, 4) + 0.1
    check(unknowns, (tensor, RANDOM.normal(size=(2 * 3, 4))))


@pytest.mark.parametrize("n", [9, 15, 17, 33, 41])
def test_rotations_of_odd_numbers_of_rows_end(n: int) -> None:
    """Rows that begin elsewhere in memory are added in another order, which must not tell the rows of a pair apart."""

    def values(a: Array) -> Any:
        return np.linalg.eigvalsh(a @ a.T / len(a) + np.eye(len(a))), np.linalg.svd(a)[1]

    check(values, *((np.random.default_rng(n + seed).normal(size=(n, n)),) for seed in range(4)))
