"""Nests over pairs, whose inner loops begin or end where the loop around is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.programs.plain import Cases
from tests.transform import triangles
from tests.transform.sessions import compared, module
from tests.transform.test_vectorize import loops_in

Vector = Float64[Tensor, "n"]
Points = Float64[Tensor, "n 2"]
VECTORS = tuple((np.arange(n, dtype=float) * 3 % 7 - 2,) for n in (5, 2, 1, 0))
POINTS = tuple((np.arange(2.0 * n).reshape(n, 2) * 5 % 11 - 4,) for n in (5, 2, 1, 0))

flat = Cases()
"""Programs without a loop, with arguments."""
once = Cases()
"""Programs of which the loop around stays."""


@flat(*POINTS)
def distances(p: Points) -> Any:
    d = np.zeros((len(p), len(p)))
    for i in range(len(p)):
        for j in range(i + 1, len(p)):
            x, y = p[i, 0] - p[j, 0], p[i, 1] - p[j, 1]
            v = np.sqrt(x * x + y * y)
            d[i, j] = v
            d[j, i] = v
    return d


@flat(*VECTORS)
def signs(x: Vector) -> Any:
    d = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        for j in range(i):
            d[i, j] = x[i] - x[j]
            d[j, i] = -d[i, j]
    return d


@flat(*VECTORS)
def close(x: Vector) -> Any:
    near = np.zeros((len(x), len(x)), dtype=bool)
    for i in range(len(x) - 1):
        for j in range(i + 1, len(x)):
            near[i, j] = near[j, i] = np.abs(x[i] - x[j]) < 2.0
    return near


@flat(*VECTORS)
def one_side(x: Vector) -> Any:
    d = np.ones((len(x), len(x)))
    for i in range(len(x)):
        for j in range(i, len(x)):
            d[j, i] = x[i] * x[j]
    return d


@once(*VECTORS)
def both_of_all(x: Vector) -> Any:
    """Rounds of the loop around write where others do."""
    d = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        for j in range(len(x)):
            d[i, j] = x[i] - x[j]
            d[j, i] = x[i] * 2.0
    return d


@once(*VECTORS)
def forces(x: Vector) -> Any:
    f = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            f[i] += x[i] - x[j]
            f[j] -= x[i] - x[j]
    return f


@once(*VECTORS)
def first_pair(x: Vector) -> Any:
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            if x[i] + x[j] == 2.0:
                return i, j
    return -1, -1


@once(*VECTORS)
def pairs_in_order(x: Vector) -> Any:
    count = 0
    for i in range(len(x)):
        for j in range(i):
            if x[j] < x[i]:
                count += 1
    return count


@flat.each
def test_array_operations(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert loops_in(compared(fn, inputs)) == 0


@once.each
def test_the_loop_inside_is_array_operations(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert loops_in(compared(fn, inputs)) == 1


def test_what_nobody_sets_is_not_carried() -> None:
    """Whether the search has failed is asked for no more where it never does."""
    text = graph_program(first_pair).explain("optimized")
    assert "failed" not in text
    without_pass = graph_program(first_pair, without=("loop_values",)).explain("optimized")
    assert "failed" in without_pass


@pytest.mark.parametrize("seed", range(12))
def test_random_nests(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = module(tmp_path / f"triangle_{seed}.py", triangles.source(seed), monkeypatch)
    random, sizes = np.random.default_rng(seed), ((5, 1), (4, 2), (1, 0), (0, 1), (2, -1), (7, 6))
    inputs = [(random.integers(-3, 4, n) * 0.75, random.integers(-3, 4, (n, n)) * 0.5, p) for n, p in sizes]
    compared(program.f, tuple(inputs))
