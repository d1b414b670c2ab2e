"""An index outside raises, whether or not anything depends on what is read or written there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import check

Array = np.ndarray[Any, Any]
X = np.arange(3.0)


def test_reads_that_nothing_depends_on() -> None:
    def alone(x: Array, k: int) -> int:
        x[k]
        return 1

    def of_which_only_the_size_is_used(x: Array, k: int) -> int:
        row = x[k]
        return row.ndim + len(x)

    def several(x: Array, k: Array) -> Array:
        x[k], x[k, k], np.take(x, k)
        return x

    check(alone, (X, 2), (X, 3), (X, -3), (X, -4))
    check(of_which_only_the_size_is_used, (X, 2), (X, 3), (np.ones((2, 2)), 2))
    matrix = np.ones((2, 3))
    check(several, (matrix, np.array([0, 1])), (matrix, np.array([[1, 7], [-9, 0]])), (matrix, np.zeros(0, int)))
    check(several, (matrix, np.array([0, 200], np.uint8)))


def test_reads_that_decide_between_the_same() -> None:
    def returned(x: Array, out: float) -> float:
        for k in range(x.shape[0] + 1):
            if x[k] == 0:
                return out
        return out

    def assigned(x: Array, k: int) -> int:
        y = 2
        if x[k] == 0:
            y = 2
        return y

    def ended(x: Array, index: Array) -> Array:
        for i in index:
            if x[i] == 1:
                break
        return x

    def continued(x: Array, k: int) -> int:
        for i in range(len(x)):
            if x[i + k] > 0:
                continue
        return 0

    check(continued, (X, 0), (X, 1), (X, -3), (X, -4))
    check(returned, (X, 1.0), (X + 1, 2.0), (np.zeros(0), 0.0))
    check(assigned, (X, 0), (X, 3))
    check(ended, (X, np.array([0, 1, 7])), (X, np.array([0, 7, 1])), (X, np.zeros(0, int)))


def test_writes_that_nothing_depends_on() -> None:
    def written(x: Array, index: Array) -> Array:
        y = x.copy()
        y[index] = 1
        for i in index:
            y[i] = 2
        return x

    check(written, (X, np.array([0, 2])), (X, np.array([0, 5, 6])), (X, np.zeros(0, int)))


@pytest.mark.parametrize("columns", [1, 2])
def test_loops_over_an_axis_need_no_check(columns: int) -> None:
    @graph_program
    def counted(x: Array, y: Array) -> int:
        n = 0
        for _row, _other in zip(x, y, strict=False):
            n += 1
        return n

    args = np.ones((3, columns)), np.ones((2, columns))
    assert counted(*args) == 2
    assert "IndexError" not in counted.explain("stage", args)


def test_a_fixed_place_that_nobody_needs() -> None:
    def program(m: Any, n: int) -> int:
        if n > 3:
            return 1
        row = m[1]  # noqa: F841
        return 2

    check(program, (np.ones((1, 3)), 0), (np.ones((1, 3)), 5), (np.ones((2, 3)), 0))


def test_reads_that_only_a_loop_of_no_rounds_needs() -> None:
    def of_a_grown_list(values: list[int], n: int) -> int:
        grown = []
        for _ in range(n):
            grown.append(values[0])
        first = grown[0]
        for _ in range(0):
            values[(values[2] - 2 if values[1] == first else 0) % len(grown)]
        return 1

    def by_what_is_raised(x: Array, k: int) -> int:
        value = x[k]
        for i in range(0):
            if x[i] > value:
                raise ValueError("larger")
        return 1

    def by_a_loop_in_it(x: Array, k: int) -> Array:
        value = x[k]
        for i in range(0):
            for j in range(k):
                x[i + j] = 10 / value
        return x

    def by_rounds_of_rounds(x: Array, k: int) -> int:
        value = x[k]
        grown: list[float] = []
        for i in range(0):
            grown.append(x[i])
        for other in grown:
            if other > value:
                raise ValueError("larger")
        return 1

    check(of_a_grown_list, ([3, 1, 3], 1), ([3, 1, 3], 0))
    for program in (by_what_is_raised, by_a_loop_in_it, by_rounds_of_rounds):
        check(program, (X, 2), (X, 3), (X, -4))


def test_reads_before_a_loop_that_always_raises() -> None:
    def a_write(x: Array, n: int) -> Array:
        x[[0, n]] = x[0]
        k = 0
        while True:
            k += 1
            if k > 3:
                break
            raise ValueError("in the first round")
        x[...] = x[::-1]
        return x

    def a_read(x: Array, n: int) -> Array:
        value = x[n]
        k = 0
        while True:
            k += 1
            if k > 2:
                break
            if k < 2:
                continue
            raise ValueError("in the second round")
        return value * x

    def in_a_nested_loop(x: Array, n: int) -> Array:
        value = x[n]
        k = 0
        while k < 2:
            k += 1
            j = 0
            while True:
                j += 1
                if j > 4:
                    break
                x[7]
        x += value
        return x

    for program in (a_write, a_read, in_a_nested_loop):
        check(program, (X, 2), (X, 3), (X, -4))
