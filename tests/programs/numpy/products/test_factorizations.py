"""`np.linalg.cholesky` and `qr`: stacks, element types, several panels, shapes, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

Array = np.ndarray[Any, Any]
RANDOM = np.random.default_rng(0)
MATRIX = RANDOM.normal(size=(4, 4))
DEFINITE = MATRIX @ MATRIX.T + np.eye(4)
STACK = RANDOM.normal(size=(2, 3, 4, 4))
DEFINITE_STACK = STACK @ np.swapaxes(STACK, -1, -2) + np.eye(4)
LARGE = RANDOM.normal(size=(70, 70))
TALL = RANDOM.normal(size=(5, 3))
WIDE_STACK = RANDOM.normal(size=(2, 3, 5))


def lower(a: Array) -> Any:
    return np.linalg.cholesky(a)


def upper(a: Array) -> Any:
    return np.linalg.cholesky(a, upper=True)


@pytest.mark.parametrize("program", [lower, upper])
def test_cholesky(program: Any) -> None:
    check(
        program,
        (DEFINITE,),
        (DEFINITE_STACK,),
        (LARGE @ LARGE.T,),
        (DEFINITE + np.triu(np.ones((4, 4)), 1),),  # one triangle is read only
        (DEFINITE.astype(np.float32),),
        ((3 * DEFINITE).round().astype(np.int64),),
        (np.array([[4.0]]),),
        (np.zeros((0, 0)),),
        (DEFINITE_STACK[:0],),
        (TALL,),
        (TALL[0],),
    )


def test_matrices_that_are_not_positive_definite() -> None:
    check(
        lower,
        (-DEFINITE,),
        (DEFINITE - 2 * DEFINITE[0, 0] * np.eye(4),),
        (np.zeros((2, 2)),),
        (DEFINITE_STACK * np.array([1.0, -1.0])[:, None, None, None],),
        (np.diag([1.0, np.nan, 1.0]),),
        (np.diag([1.0, np.inf]),),
    )


def test_the_triangle_in_place() -> None:
    def kernel(a: Array) -> None:
        a[:] = np.linalg.cholesky(a) + np.triu(a, k=1)

    check(kernel, (DEFINITE.copy(),), (np.eye(3),))


def reduced(a: Array) -> Any:
    return np.linalg.qr(a)


def complete(a: Array) -> Any:
    found = np.linalg.qr(a, "complete")
    return found.Q, found.R, found[0] @ found[1]


def triangle(a: Array) -> Any:
    return np.linalg.qr(a, mode="r")


def raw(a: Array) -> Any:
    return np.linalg.qr(a, mode="raw")


@pytest.mark.parametrize("program", [reduced, complete, triangle, raw])
def test_qr(program: Any) -> None:
    check(
        program,
        (MATRIX,),
        (TALL,),
        (TALL.T.copy(),),
        (WIDE_STACK,),
        (LARGE[:, :40],),
        (LARGE[:40],),
        (TALL.astype(np.float32),),
        ((3 * TALL).astype(np.int64),),
        (np.zeros((3, 2)),),
        (-np.eye(3),),
        (np.zeros((0, 3)),),
        (np.zeros((3, 0)),),
        (WIDE_STACK[:0],),
        (TALL * 1e200,),
        (TALL * 1e-200,),
        (TALL[0],),
    )


def test_solving_with_factors() -> None:
    def fitted(x: Array, y: Array) -> Any:
        q, r = np.linalg.qr(x)
        return np.linalg.solve(r, q.T @ y)

    check(fitted, (TALL, np.arange(5.0)), (LARGE[:, :6], LARGE[0]))
