"""`ravel` and `reshape` of arrays of one axis, whose elements need not lie side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import graph_program
from tests.programs.plain import check

Array = np.ndarray[Any, Any]


def test_one_axis_can_always_be_split() -> None:
    def program(x: Array, s: float) -> Array:
        table = x.reshape(-1, 2)
        table[0] = s
        return table

    check(program, (np.arange(6.0), 9.0))
    both = [np.arange(8.0) for _ in range(2)]
    program(both[0][::2], 9.0)
    graph_program(program)(both[1][::2], 9.0)
    assert both[0].tolist() == both[1].tolist()


def test_a_ravelled_parameter_may_be_a_copy() -> None:
    def written(x: Array, s: float) -> None:
        x.ravel()[0] = s

    def read(x: Array) -> Array:
        return x.ravel() * 2

    both = [np.arange(6.0) for _ in range(2)]
    written(both[0][::2], 9.0)
    graph_program(written)(both[1][::2], 9.0)
    assert both[0].tolist() == both[1].tolist() == np.arange(6.0).tolist()
    check(read, (np.arange(6.0)[::2],))


def test_a_ravelled_array_of_the_program_is_a_view() -> None:
    def program(x: Array, s: float) -> Array:
        y = x * 2
        y.ravel()[0] = s
        return y

    check(program, (np.arange(6.0), 9.0))
