"""Bounds of slices that are sizes, or a little less, are numbers from the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.passes import without
from tests.programs.plain import Cases, check

Vector = Float64[Tensor, "n"]
Matrix = Float64[Tensor, "n m"]
VECTORS = tuple((np.arange(float(n)) - 2.0, steps) for n in range(8) for steps in (0, 3))
GRIDS = tuple(
    (np.arange(float(n * m)).reshape(n, m) % 7, size, 2)
    for n, m in ((5, 5), (4, 6), (2, 2), (1, 3), (0, 2))
    for size in (n, m, 3)
)

numbers = Cases()
"""Programs whose loops ask for no bounds."""
sums = Cases()
"""Near misses."""


@numbers(*VECTORS)
def neighbours(x: Vector, steps: int) -> Any:
    n = x.shape[0]
    for _ in range(steps):
        x[1 : n - 1] = (x[0 : n - 2] + x[2:n]) * 0.5
    return x


@numbers(*VECTORS)
def the_first_and_the_last(x: Vector, steps: int) -> Any:
    n = len(x)
    for _ in range(steps):
        x[0 : n - 1] = x[1:n] * 2.0
        x[n - 1 :] = 0.5
    return x


@numbers(*GRIDS)
def a_grid_of_a_size_that_is_told(x: Matrix, n: int, steps: int) -> Any:
    y = np.zeros(x.shape)
    for _ in range(steps):
        for j in range(1, n - 1):
            y[1 : n - 1, j] = (x[1 : n - 1, j - 1] + y[1 : n - 1, j - 1]) * 0.5
        x[1 : n - 1, 1 : n - 1] = y[1 : n - 1, 1 : n - 1] + 1.0
    return x, y


@sums(*VECTORS)
def further_from_the_end(x: Vector, steps: int) -> Any:
    """Where n is 2, `x[:n - 3]` is `x[:-1]`, which holds an element."""
    n = x.shape[0]
    for _ in range(steps):
        x[0 : n - 3] = x[0 : n - 3] * 0.5 + 1.0
    return x


@sums(*VECTORS)
def bounds_that_move(x: Vector, steps: int) -> Any:
    n = x.shape[0]
    for k in range(steps):
        x[k : n - 1] = x[k : n - 1] * 0.5 + k
    return x


@numbers.each
@pytest.mark.parametrize("names", [(), ("end_bounds",), ("end_bounds", "slice_sizes")], ids=str)
def test_like_python(
    fn: Callable[..., Any],
    inputs: tuple[tuple[Any, ...], ...],
    names: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if names:
        without(monkeypatch, *names)
    check(fn, *inputs)


@sums.each
def test_near_misses(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
    assert "subtract(" in graph_program(fn).explain("optimized", inputs[0]) or fn is bounds_that_move


def test_no_bounds_are_computed() -> None:
    text = graph_program(neighbours).explain("optimized", VECTORS[-1])
    assert "subtract(" not in text and "set_slice(" not in text
