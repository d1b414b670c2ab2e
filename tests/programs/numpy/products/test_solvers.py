"""Linear systems, inverses and determinants, alone and inside loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import check

Array = np.ndarray[Any, Any]
MATRIX = np.array([[0.0, 2.0, 1.0], [1.0, -2.0, 0.5], [3.0, 1.0, 4.0]])


def test_functions() -> None:
    def solved(a: Array, b: Array) -> Any:
        return np.linalg.solve(a, b)

    def inverse(a: Array) -> Any:
        return np.linalg.inv(a)

    def determinant(a: Array) -> Any:
        return np.linalg.det(a)

    check(
        solved,
        (MATRIX, np.arange(3.0)),
        (MATRIX, np.arange(6.0).reshape(3, 2)),
        (MATRIX.astype(np.float32), np.ones(3, np.float32)),
        (np.array([[2, 1], [1, 3]]), np.array([1, 2])),
        (np.zeros((2, 2)), np.ones(2)),
        (MATRIX, np.ones(2)),
        (MATRIX[:2], np.ones(2)),
        (np.zeros((0, 0)), np.zeros(0)),
    )
    for program in (inverse, determinant):
        check(
            program,
            (MATRIX,),
            (np.eye(2, dtype=np.float32) * 3,),
            (np.array([[4, 1], [2, 1]]),),
            (np.ones((2, 2)),),
            (np.zeros((0, 0)),),
            (np.ones((2, 3)),),
        )


def test_a_kalman_filter() -> None:
    def filtered(transition: Array, observe: Array, measured: Array) -> Any:
        x, p = np.zeros(2), np.eye(2)
        for z in measured:
            x, p = transition @ x, transition @ p @ transition.T + 0.01 * np.eye(2)
            s = observe @ p @ observe.T + 0.1
            k = p @ observe.T @ np.linalg.inv(s)
            x = x + k @ (z - observe @ x)
            p = (np.eye(2) - k @ observe) @ p
        return x, p

    transition, observe = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]])
    check(filtered, (transition, observe, np.ones((4, 1))), (transition, observe, np.ones((0, 1))))
