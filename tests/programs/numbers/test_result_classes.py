"""The class of a result: NumPy's own scalar classes, also behind loops and products."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import check

Array = np.ndarray[Any, Any]


def test_integers_are_of_numpys_class() -> None:
    def last(x: Array) -> tuple[Any, ...]:
        return x[-1], x.sum(), x.argmax(), x

    check(last, (np.arange(3),), (np.arange(3, dtype=np.uint64),), (np.arange(3, dtype=np.int32),))


def test_products_of_vectors_are_scalars() -> None:
    def quadratic(matrix: Array, v: Array) -> Any:
        return v @ matrix @ v

    def products(x: Array, y: Array) -> tuple[Any, ...]:
        return x @ y, np.dot(x, y), np.vdot(x, y), np.inner(x, y), np.matmul(x, y), x.dot(y)

    def stacked(x: Array, y: Array) -> tuple[Any, ...]:
        return x @ y, y @ x.T, (x @ y)[0], np.tensordot(x, x)

    check(quadratic, (np.eye(2), np.ones(2)), (np.eye(2, dtype=np.int32), np.ones(2, np.int32)))
    check(
        products, (np.ones(3), np.ones(3, np.float32)), (np.ones(0), np.ones(0)), (np.ones(2, bool), np.ones(2, bool))
    )
    check(stacked, (np.ones((2, 3)), np.ones(3)))


def test_a_scalar_carried_by_a_loop() -> None:
    def rayleigh(matrix: Array, v: Array) -> Any:
        best = 0.0
        for _ in range(3):
            v = matrix @ v
            v /= np.linalg.norm(v)
            best = v @ matrix @ v
        return best

    check(rayleigh, (np.array([[2.0, 1.0], [1.0, 3.0]]), np.ones(2)))


def sums(n: int) -> Any:
    halves = sum(0.5 * k for k in range(n))
    large = sum((float(k) for k in range(5) if k > n), 1)
    each = [sum(float(k) for k in range(i)) for i in range(n)]
    return halves, large, halves + n, -halves, f"{halves}", each, np.array([1, 2]) * halves


def test_the_sum_of_no_floats_is_the_int_that_it_starts_with() -> None:
    check(sums, (0,), (1,), (3,), (9,))
