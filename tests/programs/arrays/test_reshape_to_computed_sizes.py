"""`x.reshape(n, 2)` where n is a number of the program: any sign, any size, needed or not."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

pytestmark = pytest.mark.filterwarnings("ignore::graph_program.ShapeWarning")

Array = np.ndarray[Any, Any]


def unused(x: Array, n: int, k: int) -> int:
    x.reshape((k, 2, n))
    return 0


def both(x: Array, n: int, k: int) -> Array:
    return x.reshape(n, k)


def left_over(x: Array, n: int, k: int) -> Array:
    return x.reshape(-1, n)


@pytest.mark.parametrize("program", [unused, both, left_over])
def test_sizes_of_any_sign(program: Callable[..., Any]) -> None:
    numbers = list(itertools.product((-2, -1, 0, 1, 3), repeat=2))
    check(program, *((np.arange(float(size)), n, k) for size in (0, 1, 6) for n, k in numbers))


def test_a_size_left_over_on_a_path() -> None:
    def program(x: Array, n: int) -> int:
        if n == 1:
            np.zeros(3).reshape(-1, 2)
        if n == 2:
            np.zeros(3).reshape(2, -1)
        return n

    check(program, *((np.ones(2), n) for n in (0, 1, 2)))
