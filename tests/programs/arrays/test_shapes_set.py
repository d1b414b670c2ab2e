"""`x.shape = s` of arrays that only names of the program mean; others are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import Cases, check

Array = np.ndarray[Any, Any]
cases = Cases()
MATRIX = np.arange(6.0).reshape(2, 3)


@cases((MATRIX,))
def all_names_of_it(x: Array) -> Any:
    y = x * 2
    z, part = y, y[0]
    y.shape = 6
    y[1] = -1
    z[5] = 7
    return y, z, part, z.shape, part.shape


@cases((MATRIX, 3), (MATRIX, 0))
def in_a_loop_that_grows(x: Array, n: int) -> Any:
    total = np.zeros(6)
    for i in range(n):
        row = x * i
        row.shape = (-1,)
        total += row
    total.shape = 3, 2
    return total


@cases((2, 3), (1, 4))
def several_targets(n: int, k: int) -> Any:
    rows, columns = np.mgrid[0:n, 0:k]
    sums = rows + columns * 1j
    rows.shape = columns.shape = sums.shape = n * k
    return rows, columns, sums


@cases((MATRIX,))
def that_does_not_fit(x: Array) -> Any:
    y = x + 1
    y.shape = (4, 2)
    return y


@cases.each
def test_shapes(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


def flattened(y: Array) -> Any:
    y.shape = y.size
    return y.sum()


def as_an_operand(x: Array) -> Any:
    y = x - 1
    return y + flattened(y)


def of_an_argument(x: Array) -> Any:
    x.shape = 6
    return x


def in_a_list(x: Array) -> Any:
    y = x + 1
    several = [y]
    y.shape = 6
    return several[0]


def in_a_tuple(x: Array) -> Any:
    y = x + 1
    pair = y, x
    y.shape = 6
    return pair[0]


def of_one_of_two(x: Array) -> Any:
    y, z = x + 1, x + 2
    w = y if x[0, 0] > 0 else z
    y.shape = 6
    return w, y


def of_a_transpose(x: Array) -> Any:
    y = (x + 1).T
    y.shape = 6
    return y


@pytest.mark.parametrize(
    "program", [as_an_operand, of_an_argument, in_a_list, in_a_tuple, of_one_of_two, of_a_transpose]
)
def test_what_others_see_is_refused(program: Any) -> None:
    with pytest.raises(GraphProgramError) as raised:
        graph_program(program)(MATRIX.copy())
    assert raised.value.code == "GP323"
