"""`accumulate` and `reduceat` of ufuncs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check

ROWS = np.array([[3, -1, 4, 1], [-5, 9, 2, -6], [5, 3, 5, 8]])
GIVEN = [(ROWS,), (ROWS.astype(np.float32),), (ROWS.astype(np.int8),), (ROWS > 2,), (ROWS[:0],), (ROWS[:, :0],)]


def largest(x: Any) -> Any:
    return np.maximum.accumulate(x), np.minimum.accumulate(x, axis=1), np.maximum.accumulate(x, axis=-1)


def logic(x: Any) -> Any:
    return np.logical_or.accumulate(x > 2), np.logical_xor.accumulate(x, 1), np.bitwise_or.accumulate(x > 4, axis=0)


def sums(x: Any) -> Any:
    return np.add.accumulate(x), np.multiply.accumulate(x, axis=1)


def in_order(x: Any) -> Any:
    y = x * 1.0
    return np.subtract.accumulate(y), np.hypot.accumulate(y, axis=1), np.add.accumulate(y, 0, np.float32)


@pytest.mark.parametrize("program", [largest, logic, sums, in_order])
def test_accumulate(program: Any) -> None:
    check(program, *GIVEN)


def test_not_a_number() -> None:
    def both(x: Any) -> Any:
        return np.maximum.accumulate(x), np.fmax.accumulate(x), np.fmin.accumulate(x)

    check(both, (np.array([1.0, np.nan, 3.0, -1.0, np.inf]),), (np.array([np.nan]),), (np.zeros(0),))


def test_highest_water() -> None:
    def trapped(heights: Any) -> Any:
        left = np.maximum.accumulate(heights)
        right = np.maximum.accumulate(heights[::-1])[::-1]
        return (np.minimum(left, right) - heights).sum()

    check(trapped, (np.array([0, 1, 0, 2, 1, 0, 1, 3, 2, 1, 2, 1]),), (np.array([4.0, 2, 0, 3, 2, 5]),))


def segments(x: Any, starts: Any) -> Any:
    return np.add.reduceat(x, starts), np.maximum.reduceat(x, starts), np.subtract.reduceat(x, starts)


def columns(x: Any, starts: Any) -> Any:
    return (
        np.add.reduceat(x, starts, axis=1),
        np.multiply.reduceat(x, starts, 1),
        np.minimum.reduceat(x, starts, axis=-1),
    )


def test_reduceat() -> None:
    starts = [np.array(s, np.int64) for s in ([0, 2], [0], [2, 0, 1], [1, 1, 2], [], [0, 3], [-1])]
    check(segments, *((ROWS * 1.5, s) for s in starts), (ROWS, starts[0]), (ROWS[:0], starts[1]))
    check(columns, *((ROWS, s) for s in starts), (ROWS.astype(np.uint8), starts[2]))


def test_what_numpy_refuses() -> None:
    def scalar(x: Any) -> Any:
        return np.maximum.accumulate(x)

    def outside(x: Any) -> Any:
        return np.maximum.accumulate(x, axis=2)

    with pytest.raises(TypeError, match="cannot accumulate on a scalar"):
        graph_program(scalar)(np.array(1.0))
    with pytest.raises(GraphProgramError, match="axis 2 is out of bounds"):
        graph_program(outside)(ROWS)
