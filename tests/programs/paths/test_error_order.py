"""Of two errors, the one that Python reaches first is raised, whichever side finds it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import check

Array = np.ndarray[Any, Any]


def test_a_recorded_error_wins_over_an_operation_that_fails_later() -> None:
    def divided(x: Array, n: int) -> Any:
        k = 10 // n
        return x[3] + k

    def in_a_branch(x: Array, n: int) -> Any:
        y = 5 % n if x[0] == 0 else 1
        return x[3], y

    def in_a_loop(x: Array, n: int) -> Any:
        total = 0
        for i in range(3):
            total += 6 // (n - i)
            total += int(x[i])
        return total

    inputs = [(np.arange(5.0), 0), (np.arange(2.0), 0), (np.arange(2.0), 1), (np.arange(2.0), 2), (np.arange(1.0), 9)]
    for program in (divided, in_a_branch, in_a_loop):
        check(program, *inputs)


def test_an_operation_that_fails_first_wins_over_a_later_error() -> None:
    def indexed(x: Array, n: int) -> Any:
        y = x[3]
        return y + 10 // n

    check(indexed, (np.arange(5.0), 0), (np.arange(2.0), 0), (np.arange(2.0), 1))


def test_an_operation_whose_value_only_a_loop_of_one_round_needs() -> None:
    def left(n: int, x: Array) -> None:
        x[n] -= 1.0
        for k in range(3):
            if k >= 0:
                raise KeyError("k")
            x -= x
            break

    def raised(n: int, x: Array) -> Any:
        y = x[n]
        for k in range(2, -1, -1):
            if k < 5:
                raise ValueError("small")
            if y > 0:
                break
            return y
        return 0.0

    for program in (left, raised):
        check(program, (2, np.zeros(2)), (1, np.zeros(2)), (0, np.zeros(0)))


def test_an_operation_fails_behind_errors_that_were_not_raised() -> None:
    def eliminated(x: Array) -> Any:
        det = 1.0
        for k in range(x.shape[0]):
            det *= x[k, k]
            x[k + 1 :, k:] -= x[k, k:]
        return det

    check(eliminated, (np.arange(6.0).reshape(3, 2),), (np.arange(6.0).reshape(2, 3),), (np.eye(3),))


def totals(x: Any, far: bool) -> Any:
    if far:
        return x.sum(axis=2)
    return x.sum(axis=1)


@pytest.mark.filterwarnings("ignore::graph_program.ShapeWarning")
def test_an_axis_that_is_not_there_is_an_axis_error() -> None:
    check(totals, (np.ones((2, 3)), False), (np.ones((2, 3)), True))
    with pytest.raises(IndexError, match="axis 3 is out of bounds"):
        graph_program(lambda x: np.sort(x, axis=3))(np.ones(3))
