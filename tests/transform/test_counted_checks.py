"""Checks of what counts the rounds of a loop, which are made by the number of the round; and checks that stay in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor
from tests.passes import without
from tests.programs.plain import Cases
from tests.transform.sessions import exported
from tests.transform.test_round_checks import may_end_early

Vector, Other = Float64[Tensor, "n"], Float64[Tensor, "m"]
ONE = [(np.arange(1.0, n + 1), k) for n in (3, 2, 1, 0) for k in (2, 0, 3, 4, -1)]
TWO = [(np.arange(1.0, n + 1), np.arange(2.0, m + 2), k) for n in (3, 2, 0) for m in (2, 3, 1) for k in (2, 0, 3, 4)]

counted = Cases()
"""Programs whose loops end when their rounds are done, with arguments."""
others = Cases()
"""Near misses: what is checked does not begin at a number that is known, or the loop may end early."""


@counted(*ONE)
def all_of_them(x: Vector, k: int) -> Any:
    total = np.float64(0.0)
    for i in range(k):
        total = np.sin(total + x[i])
    return total


@counted(*ONE)
def from_the_third_on(x: Vector, k: int) -> Any:
    total = np.float64(0.0)
    for i in range(2, k):
        total = np.sin(total + x[i])
    return total


@counted(*ONE)
def ahead(x: Vector, k: int) -> Any:
    total = np.float64(0.0)
    for i in range(k):
        total = np.sin(total + x[i + 1])
    return total


@counted(*TWO)
def inside_of_another_loop(x: Vector, y: Other, k: int) -> Any:
    total = np.float64(0.0)
    for b in y:
        for j in range(k):
            total = np.sin(total + x[j] * b)
    return total


@counted(*ONE)
def with_rows(x: Vector, k: int) -> Any:
    y = np.zeros(k)
    total = np.float64(0.0)
    for i in range(k):
        total = np.sin(total + x[i])
        y[i] = total
    return y, total


@counted(*TWO)
def of_two(x: Vector, y: Other, k: int) -> Any:
    total = np.float64(0.0)
    for i in range(k):
        total = np.sin(total + x[i])
        total = np.cos(total * y[i])
    return total


@counted(*TWO)
def of_two_in_different_rounds(x: Vector, y: Other, k: int) -> Any:
    total = np.float64(0.0)
    for i in range(k):
        total = np.sin(total + y[i])
        total = np.cos(total * x[i + 1] + y[i + 1])
    return total


@others(*ONE)
def raised_by_two_that_are_carried(x: Vector, k: int) -> Any:
    total, on, armed = np.float64(0.0), False, False
    for i in range(k):
        if on & armed:
            raise ValueError(i)
        on, armed = bool(total > 1.2), on
        total = np.sin(total) + x[i % max(len(x), 1)]
    return total


@others(*ONE)
def left_before(x: Vector, k: int) -> Any:
    total = np.float64(0.0)
    for i in range(k):
        if total > 0.9:
            break
        total = np.sin(total + x[i])
    return total


@others(*ONE)
def raised_with_what_is_carried(x: Vector, k: int) -> Any:
    total = np.float64(0.0)
    for i in range(k):
        if i >= len(x):
            raise ValueError(f"behind {total}")
        total = np.sin(total + x[i])
    return total


@others(*ONE)
def by_what_is_carried(x: Vector, k: int) -> Any:
    total, place = np.float64(0.0), 0
    for i in range(k):
        total = np.sin(total + x[place] + i)
        place += 1 + (total > 0.8)
    return total


@others(*(((np.ones(2), np.int64(n), m)) for n in (3, -3) for m in (6, 2, 9)))
def wraps_around(x: Vector, n: np.int64, m: int) -> Any:
    total = 0.0
    for k in range(m):
        i = np.int64(k) + np.int64(2**63 - 2)
        if (i >= n) & (k >= 3):
            raise ValueError(k)
        total = np.sin(total + x[0])
    return total


@counted.each
def test_loops_have_as_many_rounds_as_they_say(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert may_end_early(exported(fn, inputs, tmp_path).graph) == 0
    without(monkeypatch, "round_checks")
    assert may_end_early(exported(fn, inputs, tmp_path).graph) > 0


@others.each
def test_other_checks_stay(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = may_end_early(exported(fn, inputs, tmp_path).graph)
    assert here > 0
    without(monkeypatch, "round_checks")
    assert may_end_early(exported(fn, inputs, tmp_path).graph) == here


def as_many_as_the_round_says(x: Vector, y: Other, k: int) -> Any:
    table = np.zeros((len(y), len(x)))
    for i in range(len(y)):
        for j in range(i + 1):
            table[i, 0] = np.sin(table[i, 0] + x[j])
    return table


def test_the_loop_around_may_end(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It ends where a round of the inner one fails, which does not look for that itself."""
    here = may_end_early(exported(as_many_as_the_round_says, tuple(TWO), tmp_path).graph)
    without(monkeypatch, "round_checks")
    assert (here, may_end_early(exported(as_many_as_the_round_says, tuple(TWO), tmp_path).graph)) == (1, 2)
