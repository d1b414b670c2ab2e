"""Unpacking arrays whose length is known at run time only: checked there, with Python's errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check

Array = np.ndarray[Any, Any]


def test_lengths_are_checked_at_run_time() -> None:
    def difference(x: Array) -> Any:
        a, b = x
        return a - b

    check(difference, (np.arange(2),), (np.arange(3),), (np.arange(1),), (np.zeros(0),), (np.ones((2, 3)),))


def test_columns_and_rows() -> None:
    def corners(boxes: Array) -> Any:
        x0, y0, x1, y1 = boxes.T
        return (x1 - x0) * (y1 - y0)

    def lengths(points: Array, weights: Array) -> Any:
        total = 0.0
        for (x, y), w in zip(points, weights, strict=False):
            total += w * (x * x + y * y)
        return total

    check(corners, (np.arange(12.0).reshape(3, 4) ** 2,), (np.ones((2, 3)),), (np.ones((0, 4)),))
    check(lengths, (np.ones((3, 2)), np.arange(3.0)), (np.ones((3, 4)), np.arange(3.0)), (np.ones((2, 1)), np.ones(2)))


def test_elements_are_copies_and_rows_are_views() -> None:
    def swapped(x: Array) -> Any:
        a, b = x
        x[0] = b
        x[1] = a
        return a, b

    def first_cleared(x: Array) -> None:
        a, _ = x
        a[:] = 0

    check(swapped, (np.array([1, 2]),))
    check(first_cleared, (np.ones((2, 3)),))


def test_ranges() -> None:
    def ends(n: int) -> Any:
        a, b = range(n)
        return a, b

    check(ends, (2,), (5,), (0,), (-1,))


def test_a_star_needs_the_length() -> None:
    def rest(x: Array) -> Any:
        first, *others = x[x > 0]
        return first, others

    with pytest.raises(GraphProgramError, match="cannot unpack"):
        graph_program(rest)(np.arange(3))


SHAPES = (np.zeros(3, bool),), (np.ones(3, bool),), (np.zeros((2, 2), bool),), (np.ones((1, 2), bool),)


def pairs(m: Any) -> Any:
    n = 0
    for y, x in np.argwhere(m):
        n += int(y * x)
    return n, [y + x for y, x in np.argwhere(m)]


def numbers(m: Any) -> Any:
    n = 0
    for k in range(int(m.sum())):
        for _ in range(2):
            a, b = k
        n += a + b
    for v in m.ravel():
        if v:
            for _ in v:
                n += 1
    return n


@pytest.mark.filterwarnings("ignore::graph_program.ShapeWarning")
@pytest.mark.parametrize("program", [pairs, numbers])
def test_where_not_every_run_gets(program: Any) -> None:
    for args in SHAPES:
        check(program, args)


def test_texts_that_are_caught() -> None:
    def program(m: Any) -> Any:
        found = []
        try:
            _, _ = m.sum()
        except TypeError as error:
            found.append(str(error))
        try:
            for _ in m.sum():
                found.append("")
        except TypeError as error:
            found.append(str(error))
        return found

    check(program, SHAPES[0])
