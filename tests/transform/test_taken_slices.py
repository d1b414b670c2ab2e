"""The pass that reads slices instead of elements by their places; and places that are no slice."""

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
from tests.transform.test_column_writes import operators

Vector, Matrix = Float64[Tensor, "n"], Float64[Tensor, "n m"]
VECTORS = [(np.arange(float(n)) ** 2,) for n in (6, 3, 2, 1, 0)]
MATRICES = [(np.arange(float(n * m)).reshape(n, m) % 7,) for n in (5, 3, 2, 1, 0) for m in (4, 3, 2, 1, 0)]

slices = Cases()
"""Programs that read no element by its place, with arguments."""
others = Cases()
"""Near misses: places that are not one behind the other, or of which nobody knows where they end."""


def neighbours(x: Matrix) -> Any:
    y = np.zeros_like(x)
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            y[i, j] = x[i - 1, j] + x[i + 1, j] - 2 * x[i, j - 1] + x[i, j + 1]
    return y


@slices(*MATRICES)
def along_the_second_axis(x: Matrix) -> Any:
    return x[:, np.arange(2, x.shape[1])]


@slices(*VECTORS)
def all_but_some(x: Vector) -> Any:
    return x[np.arange(len(x) - 1) + 1] - x[np.arange(len(x) - 1)]


@others(*[(x, k) for (x,) in VECTORS for k in (0, 1)])
def as_far_as_a_number_says(x: Vector, k: int) -> Any:
    return x[np.arange(min(k, len(x)))]


@others(*VECTORS)
def every_other(x: Vector) -> Any:
    return x[np.arange(len(x) // 2) * 2]


@others(*VECTORS)
def around_the_end(x: Vector) -> Any:
    return x[np.arange(len(x)) - 1]


def test_slices_are_read_in_nests(tmp_path: Path) -> None:
    assert "Gather" not in operators(exported(neighbours, tuple(MATRICES), tmp_path).graph)


@slices.each
def test_slices_are_read(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert "Gather" not in operators(exported(fn, inputs, tmp_path).graph)
    without(monkeypatch, "taken_slices")
    assert "Gather" in operators(exported(fn, inputs, tmp_path).graph)


@others.each
def test_other_places_stay(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = list(operators(exported(fn, inputs, tmp_path).graph))
    assert "Gather" in here
    without(monkeypatch, "taken_slices")
    assert list(operators(exported(fn, inputs, tmp_path).graph)) == here
