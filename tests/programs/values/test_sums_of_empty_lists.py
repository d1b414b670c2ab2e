"""Sums of lists that may be empty are integers there, floats elsewhere: no mistake where a program divides by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import ShapeWarning, graph_program
from tests.programs.plain import check

pytestmark = pytest.mark.filterwarnings("error::graph_program.ShapeWarning")


def asked_before(weights: list[float], y: float) -> float:
    total = sum(weights)
    if total <= 0:
        return 0.0
    return y / total


def chosen(weights: list[float], y: float) -> float:
    total = sum(weights)
    return y / total if total else 0.0


def required(weights: list[float], y: float) -> float:
    total = sum(weights)
    if not total:
        raise ValueError("no weights")
    return y / total


def not_asked(weights: list[float], y: float) -> float:
    return y / sum(weights)


def of_rounds(x: Any, y: float) -> float:
    total = 0
    for v in x:
        total += float(v)
    if total == 0:
        raise ValueError("nothing")
    return y / total


def of_each(weights: list[float]) -> list[float]:
    total = sum(weights)
    return [weight / total for weight in weights]


@pytest.mark.parametrize("program", [asked_before, chosen, required, not_asked])
def test_divisors(program: Any) -> None:
    check(program, ([], 2.0), ([1.0, 3.0], 2.0), ([0.0], 1.0))


def test_of_rounds() -> None:
    check(of_rounds, (np.ones(3), 2.0), (np.ones(0), 2.0))


def test_of_each() -> None:
    check(of_each, ([],), ([1.0, 3.0],), ([0.0],))


def test_what_is_zero_whatever_it_is_made_of() -> None:
    @graph_program
    def program(flag: bool, y: float) -> float:
        return y / 0 if flag else y

    with pytest.warns(ShapeWarning, match="float division by zero"):
        assert program(False, 2.0) == 2.0
