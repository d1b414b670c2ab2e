"""`round(x, digits)` of Python numbers rounds their decimal form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from graph_program.extract.library.rounding import round_float, round_int
from tests.programs.plain import check

HALVES = [0.5, 1.5, 2.5, 0.125, 0.375, 2.675, 1.005, 0.15, 0.25, 1e22 + 0.5, 4503599627370497.5, 2.0**52 / 10]
NUMBERS = [0.0, -0.0, 1 / 3, 12345.678951, 1e-9, 5e-324, 1.7e308, 1e16, 9007199254740993.0, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("digits", [1, 2, 3, 6, 15, 16, 22])
def test_floats(digits: int) -> None:
    generator = np.random.default_rng(digits)
    random = generator.uniform(-1, 1, 500) * 10.0 ** generator.integers(-12, 18, 500)
    near_halves = np.round(random, 5) + 5 * 10.0 ** -(digits + 1)
    for x in [*HALVES, *NUMBERS, *(-x for x in HALVES), *random.tolist(), *near_halves.tolist()]:
        with np.errstate(all="ignore"):
            assert repr(round_float(x, 10.0**digits)) == repr(round(x, digits))


@pytest.mark.parametrize("digits", [1, 2, 5, 18])
def test_ints(digits: int) -> None:
    for x in [0, 4, 5, 6, 15, 25, 149, 150, 250, -5, -15, -25, 10**17 + 5, 5 * 10**17, -15 * 10**17, 12345678]:
        assert round_int(x, 10**digits) == round(x, -digits)


def rounded(x: Any, n: int, t: float) -> Any:
    total = float(x.sum())
    a = [round(float(v), 2) for v in x]
    nearby = round(n, -1), round(n, 1)  # noqa: RUF057
    return round(total, 3), round(t, 1), *nearby, round(t * n, 0), round(t), a, round(x.mean(), 2)


def test_programs() -> None:
    check(rounded, (np.array([0.125, 2.675]), 15, 0.25), (np.array([]), 25, -0.05), (np.array([np.inf, 1.0]), -5, 1e17))


def loop(x: Any, n: int) -> Any:
    best = 0.0
    for v in x:
        best = round(max(best, float(v)) / 3, n)
    return best


def test_digits_that_a_parameter_says() -> None:
    check(loop, (np.array([1.0, 2.5, 0.1]), 2), (np.array([1.0, 2.5, 0.1]), 4), (np.array([]), 0))


def test_too_many_digits() -> None:
    with pytest.raises(GraphProgramError, match="GP321"):
        graph_program(lambda x: round(x, 30))(0.5)
    with pytest.raises(GraphProgramError, match="GP321"):
        graph_program(lambda x: round(x, -2))(150.5)
