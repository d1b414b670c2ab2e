"""`np.linalg` of complex matrices in programs; vectors are compared where their phases do not matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

Array = np.ndarray[Any, Any]
RANDOM = np.random.default_rng(0)


def numbers(*shape: int, dtype: Any = np.complex128) -> Array:
    return (RANDOM.normal(size=shape) + 1j * RANDOM.normal(size=shape)).astype(dtype)


SQUARE = numbers(4, 4)
STACK = numbers(2, 3, 3)
LARGE = numbers(36, 36)
TALL, WIDE = numbers(5, 3), numbers(3, 5)
DEFINITE = SQUARE @ SQUARE.conj().T
SINGULAR = np.array([[1, 1j], [1j, -1]])
DEPENDENT = np.outer(numbers(4), numbers(3))
SINGLE = numbers(3, 3, dtype=np.complex64)
EMPTY = np.zeros((0, 0), complex)


def inverses(a: Array) -> Any:
    return np.linalg.inv(a)


def powers(a: Array) -> Any:
    return np.linalg.matrix_power(a, -2), np.linalg.matrix_power(a, 5)


def determinants(a: Array) -> Any:
    found = np.linalg.slogdet(a)
    return np.linalg.det(a), found, found.sign, found.logabsdet


def solved(a: Array, b: Array) -> Any:
    return np.linalg.solve(a, b)


@pytest.mark.parametrize("program", [inverses, powers, determinants])
def test_square_matrices(program: Any) -> None:
    check(program, (SQUARE,), (LARGE,), (SINGLE,), (SINGULAR,), (1j * np.eye(2),), (TALL,))
    check(program, (STACK,), (STACK[:0],))


def test_inverses_of_empty_matrices() -> None:
    check(inverses, (EMPTY,))
    check(determinants, (EMPTY,), (np.zeros((2, 2), complex),))


def test_systems() -> None:
    check(
        solved,
        (SQUARE, numbers(4)),
        (SQUARE, np.ones(4)),
        (SQUARE.real, numbers(4, 2)),
        (SINGLE, np.ones(3, np.float32)),
        (SINGLE, np.ones(3)),
        (SINGLE, np.arange(3)),
        (SINGULAR, np.ones(2)),
        (LARGE, LARGE[:, :2]),
        (SQUARE, np.ones(3)),
    )
    check(solved, (STACK, numbers(3, 1)))


def test_systems_in_a_loop_that_catches_errors() -> None:
    def contour(h: Array, points: Array, y: Array) -> Any:
        total = np.zeros(y.shape, complex)
        failed = 0
        for z in points:
            try:
                x = np.linalg.solve(z * np.eye(len(h)) - h, y)
            except np.linalg.LinAlgError:
                failed += 1
                continue
            if abs(z) < 1.0:
                x = -x
            total += z * x
        return total, failed

    check(contour, (SQUARE, numbers(3), numbers(4, 2)), (np.diag([1.0 + 1j, 2.0]), np.array([1 + 1j, 3j]), np.eye(2)))


def test_cholesky() -> None:
    def both(a: Array) -> Any:
        return np.linalg.cholesky(a), np.linalg.cholesky(a, upper=True)

    check(both, (DEFINITE,), (LARGE @ LARGE.conj().T,), (DEFINITE.astype(np.complex64),), (-DEFINITE,), (EMPTY,))
    check(both, (DEFINITE + 0.5j * np.eye(4),))  # imaginary parts of the diagonal are not read


@pytest.mark.parametrize("mode", ["reduced", "complete", "r", "raw"])
def test_qr(mode: Any) -> None:
    def program(a: Array) -> Any:
        return np.linalg.qr(a, mode=mode)

    check(program, (SQUARE,), (TALL,), (WIDE,), (SINGLE,), (np.triu(SQUARE),), (np.zeros((3, 2), complex),))
    check(program, (STACK,))


def test_qr_in_several_panels() -> None:
    def parts(a: Array) -> Any:
        q, r = np.linalg.qr(a)
        return q, r, np.abs(q.conj().T @ q - np.eye(a.shape[1])) < 1e-12

    check(parts, (LARGE,))


def test_hermitian_eigenvalues() -> None:
    def pairs(a: Array) -> Any:
        values, vectors = np.linalg.eigh(a)
        left = a @ vectors - vectors * values[..., None, :]
        return values, np.abs(vectors), np.abs(left) < 1e-5, vectors.dtype

    def alone(a: Array) -> Any:
        return np.linalg.eigvalsh(a), np.linalg.eigvalsh(a, "U")

    check(pairs, (DEFINITE,), (DEFINITE.astype(np.complex64),), (np.array([[0, -1j], [1j, 0]]),), (EMPTY,))
    check(pairs, (STACK + np.swapaxes(STACK, -1, -2).conj(),))
    check(alone, (SQUARE,), (LARGE,), (SQUARE * np.nan,), (TALL,))


def test_singular_values() -> None:
    def parts(a: Array) -> Any:
        u, s, vh = np.linalg.svd(a, full_matrices=False)
        return s, u.shape, u.dtype, vh.dtype, np.abs((u * s[..., None, :]) @ vh - a) < 1e-5

    def full(a: Array) -> Any:
        u, s, vh = np.linalg.svd(a)
        units = [np.abs(x @ np.swapaxes(x, -1, -2).conj() - np.eye(x.shape[-1])) < 1e-12 for x in (u, vh)]
        return s, units, np.linalg.svdvals(a), np.linalg.svd(a, compute_uv=False)

    check(parts, (SQUARE,), (TALL,), (WIDE,), (SINGLE,), (DEPENDENT,), (np.zeros((3, 2), complex),))
    check(parts, (STACK,))
    check(full, (TALL,), (WIDE,))


def test_singular_values_of_hermitian_matrices() -> None:
    def product(a: Array) -> Any:
        u, s, vh = np.linalg.svd(a, hermitian=True)
        return (u * s) @ vh, s

    check(product, (DEFINITE - 3 * np.eye(4),))


def test_least_squares() -> None:
    def fitted(a: Array, b: Array) -> Any:
        return np.linalg.lstsq(a, b)

    check(fitted, (TALL, numbers(5)), (TALL, np.ones((5, 2))), (WIDE, numbers(3)), (DEPENDENT, numbers(4)))
    check(fitted, (TALL.real, numbers(5)), (TALL.astype(np.complex64), np.ones(5, np.float32)))


def test_pseudo_inverses_and_ranks() -> None:
    def program(a: Array) -> Any:
        return np.linalg.pinv(a), np.linalg.matrix_rank(a), np.linalg.pinv(a, rtol=None)

    check(program, (TALL,), (WIDE,), (DEPENDENT,))
    check(program, (STACK.astype(np.complex64),))


def test_norms_and_condition_numbers() -> None:
    def norms(a: Array) -> Any:
        return [np.linalg.norm(a), np.linalg.norm(a, 1), np.linalg.norm(a, 2), np.linalg.norm(a, "nuc")]

    def conditions(a: Array) -> Any:
        return [np.linalg.cond(a, p) for p in (None, -2, 1, np.inf, "fro")]

    check(norms, (TALL,), (SINGLE,))
    check(conditions, (SQUARE,), (SINGLE,))
    check(conditions, (STACK,))


def test_tensors() -> None:
    def unknowns(a: Array, b: Array) -> Any:
        return np.linalg.tensorsolve(a, b), np.linalg.tensorinv(a)

    check(unknowns, (numbers(2, 3, 2, 3), numbers(2, 3)))


def test_quantum_circuits() -> None:
    def evolved(h: Array, state: Array, times: Array) -> Any:
        energies, modes = np.linalg.eigh(h)
        found = []
        for t in times:
            found.append(modes @ (np.exp(-1j * energies * t) * (modes.conj().T @ state)))
        return np.array(found)

    check(evolved, (DEFINITE, SQUARE[0], np.linspace(0, 1, 3)))
