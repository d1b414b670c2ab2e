"""Numbers that become floats while a loop runs; copies whose layout is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.fuzz.compare import call, difference


def bisection(low: Any, high: Any) -> Any:
    while high - low > 1e-6:
        middle = (low + high) / 2
        if middle * middle > 2:
            high = middle
        else:
            low = middle
    return (low + high) / 2


def golden(low: Any, high: Any, rounds: int) -> Any:
    for _ in range(rounds):
        third = (high - low) / 3
        if (low + third - 1) ** 2 < (high - third - 1) ** 2:
            high -= third
        else:
            low += third
    return low + 0.5 * (high - low)


@pytest.mark.parametrize(("fn", "args"), [(bisection, (1, 2)), (bisection, (1.0, 2)), (golden, (0, 3, 20))])
def test_ints_become_floats(fn: Any, args: Any) -> None:
    assert difference(call(fn, args), call(graph_program(fn), args)) is None


def test_a_copy_lies_in_c_order() -> None:
    def flat_write(x: Any) -> Any:
        y = x.copy()
        flat = y.reshape(-1)
        flat[1] = 9
        y.ravel()[2] = 7
        return y, flat

    for x in (np.zeros((2, 3)), np.zeros((3, 2)).T):
        assert difference(call(flat_write, (x,)), call(graph_program(flat_write), (x,))) is None
