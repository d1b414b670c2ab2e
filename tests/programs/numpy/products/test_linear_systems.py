"""`np.linalg.solve`, `inv`, `det` and `slogdet`: stacks, element types, sizes of several panels, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

Array = np.ndarray[Any, Any]
RANDOM = np.random.default_rng(0)
MATRIX = RANDOM.normal(size=(3, 3))
STACK = RANDOM.normal(size=(2, 5, 3, 3))
LARGE = RANDOM.normal(size=(70, 70))


def solved(a: Array, b: Array) -> Any:
    return np.linalg.solve(a, b)


def inverse(a: Any) -> Any:
    return np.linalg.inv(a)


def determinant(a: Any) -> Any:
    return np.linalg.det(a)


def with_sign(a: Any) -> Any:
    return np.linalg.slogdet(a)


def fields_of_the_result(a: Any) -> Any:
    found = np.linalg.slogdet(a)
    sign, logarithm = found
    return found.sign * np.exp(found.logabsdet), sign, logarithm


ALONE = [inverse, determinant, with_sign, fields_of_the_result]


def test_systems() -> None:
    check(
        solved,
        (MATRIX, np.eye(3)),
        (MATRIX, np.zeros((3, 0))),
        (LARGE, LARGE[0]),
        (LARGE, LARGE[:, :40]),
        (np.eye(32)[::-1] * 2.0, np.arange(32.0)),
        (MATRIX.astype(np.float32), np.ones(3)),
        (MATRIX > 0.2, np.array([1, 0, 2])),
        (MATRIX * np.nan, np.ones(3)),
    )


def test_systems_of_stacks() -> None:
    check(
        solved,
        (STACK, np.ones(3)),
        (STACK, np.ones((3, 2))),
        (STACK, RANDOM.normal(size=(5, 3, 1))),
        (MATRIX, STACK),
        (STACK[0], STACK),
        (STACK[:0], np.ones(3)),
        (np.zeros((2, 0, 0)), np.zeros((2, 0, 4))),
        (np.stack([LARGE, LARGE.T]), LARGE[:, :2]),
    )


def test_wrong_systems() -> None:
    check(
        solved,
        (STACK, RANDOM.normal(size=(4, 3, 1))),
        (STACK, np.ones((2, 2))),
        (np.ones(3), np.ones(3)),
        (MATRIX, np.array(3.0)),
        (MATRIX.astype(np.float16), np.ones(3)),
        (np.zeros((2, 3, 3)), np.ones(3)),
    )


@pytest.mark.parametrize("program", ALONE)
def test_matrices(program: Any) -> None:
    check(
        program,
        (MATRIX,),
        (STACK,),
        (LARGE,),
        (MATRIX.astype(np.float32),),
        (STACK.astype(np.float32),),
        (MATRIX.astype(np.float16),),
        (np.array([[4, 1], [2, 1]]),),
        ([[1.0, 2.0], [3.0, 4.0]],),
        (-np.eye(3),),
        (MATRIX * 1e200,),
        (np.diag([np.inf, 2.0]),),
        (np.float64(2),),
        (np.ones(2),),
    )


@pytest.mark.parametrize("program", ALONE)
def test_singular_and_empty_matrices(program: Any) -> None:
    check(
        program,
        (np.ones((2, 2)),),
        (np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]),),
        (np.array([[1.0, 1.0], [1.0, 3.0]]) * np.arange(3)[:, None, None],),
        (np.zeros((0, 0)),),
        (np.zeros((3, 0, 0)),),
        (np.zeros((0, 3, 3)),),
        (np.ones((2, 3)),),
    )


def test_an_error_that_is_caught() -> None:
    def regularised(a: Array, b: Array) -> Any:
        for k in range(5):
            try:
                return np.linalg.solve(a, b), k
            except np.linalg.LinAlgError:
                a = a + 0.5 * np.eye(len(a))
        return b, -1

    check(regularised, (np.ones((3, 3)), np.arange(3.0)), (MATRIX, np.arange(3.0)), (np.ones((2, 3)), np.arange(3.0)))


def test_in_a_loop_of_newton() -> None:
    def root(x: Array) -> Any:
        steps = 0
        while np.abs(residual := np.array([x[0] ** 2 + x[1] - 3, x[0] - x[1] ** 2])).max() > 1e-12 and steps < 30:
            slope = np.array([[2 * x[0], 1.0], [1.0, -2 * x[1]]])
            x = x - np.linalg.solve(slope, residual)
            steps += 1
        return x

    check(root, (np.array([1.0, 1.0]),), (np.array([3.0, 0.5]),))


def transposed_by_a_vector(x: Any, v: Any) -> Any:
    a = x.reshape(2, 3)
    return a.T @ v, a.T.dot(v) * 2, np.dot(a.T, v), np.einsum("ji,j->i", a, v), a.T.astype(np.float32) @ v, v @ a


def stacks_by_a_vector(x: Any, v: Any) -> Any:
    a = np.tile(x, 4).reshape(4, 3, 2)
    return a @ v, a.transpose(1, 0, 2) @ v, np.matvec(a.transpose(1, 0, 2), v), np.array([v, 2 * v]).T @ v


@pytest.mark.parametrize("program", [transposed_by_a_vector, stacks_by_a_vector])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_matrices_of_known_sizes_by_vectors(program: Any, dtype: Any) -> None:
    check(program, (np.arange(6).astype(dtype), np.array([1, 10]).astype(dtype)))
