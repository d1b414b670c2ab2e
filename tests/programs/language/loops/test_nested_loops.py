"""Values that loops in loops hand on, with more than one way out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.fuzz.compare import call, difference


def swapped_behind_a_break(x: Any, n: int, s: float) -> Any:
    other = s * 0.5
    for _ in range(n):
        s = s + s
        s, other = other, s
        for _ in range(n):
            if x[0] > 5:
                break
    return s, other


def read_in_the_inner_loop(x: Any, n: int, s: float) -> Any:
    total = 0.0
    for i in range(n):
        step = s + i
        for k in range(n):
            total += s * k
            if total > x[0]:
                break
        s = step
    return s, total


def returned_from_the_middle(x: Any, n: int, s: float) -> Any:
    for i in range(n):
        for k in range(i):
            if x[k % 3] * k > s:
                return i, k, s
            s += 1.0
        else:
            s -= 0.5
    return -1, -1, s


@pytest.mark.parametrize("fn", [swapped_behind_a_break, read_in_the_inner_loop, returned_from_the_middle])
def test_same_as_python(fn: Any) -> None:
    program = graph_program(fn)
    for x in (np.zeros(3), np.array([9.0, 1.0, 2.0])):
        for n in (0, 1, 3, 6):
            args = (x, n, 10.0)
            assert difference(call(fn, args), call(program, args)) is None, args
