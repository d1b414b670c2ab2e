"""Rows that a loop inside collects, as many in all rounds of the loop around, which are done beside each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from graph_program import Float64, Tensor, graph_program
from tests.programs.plain import Cases, check
from tests.transform.sessions import exported

Vector = Float64[Tensor, "n"]

together = Cases()
"""Programs of which the loop around is array operations."""
apart = Cases()
"""Those of which it stays, as its rounds collect others at other times."""

SIGNALS = tuple((np.arange(n) * 7.0 % 5 - 1, k) for n, k in ((12, 3), (7, 1), (5, 9), (4, 0), (0, 2), (6, 2)))


@together(*SIGNALS)
def powers(x: Vector, order: int) -> Any:
    out = np.zeros((len(x), order))
    for i in range(len(x)):
        p = 1.0
        for j in range(order):
            out[i, j] = p
            p *= x[i]
    return out


@together(*SIGNALS)
def filtered(x: Vector, count: int) -> Any:
    out = np.zeros((count, len(x)))
    for i in range(count):
        level = 0.0
        for j in range(len(x)):
            level = level * 0.5 + x[j] * (i + 1)
            out[i, j] = level
    return out


@together(*SIGNALS)
def two_of_each(x: Vector, order: int) -> Any:
    powers, sums = np.zeros((len(x), order)), np.zeros((len(x), order))
    for i in range(len(x)):
        p, s = 1.0, 0.0
        for j in range(order):
            p = p * x[i] + s
            s = s * 0.25 + p
            powers[i, j], sums[i, j] = p, s
    return powers, sums


@apart(*SIGNALS)
def until_it_is_great(x: Vector, order: int) -> Any:
    found = []
    for i in range(len(x)):
        p = 1.0
        for _ in range(order):
            p *= x[i]
            if p > 4.0:
                break
            found.append(p)
    return np.array(found)


@apart(*SIGNALS)
def as_many_as_rounds(x: Vector, order: int) -> Any:
    found = []
    for i in range(len(x)):
        p = 1.0
        for _ in range(i % (order if order > 0 else 1)):
            p = p * x[i] + 1.0
            found.append(p)
    return np.array(found)


@together.each
def test_all_are_done_beside_each_other(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], tmp_path: Path
) -> None:
    exported(fn, inputs, tmp_path)
    lines = [line for line in graph_program(fn).explain("optimized").splitlines() if line.startswith("#")]
    assert sum(line.endswith("is array operations") for line in lines) == 1, lines


@apart.each
def test_rounds_that_end_at_other_times_stay(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
