"""Sums of which the rounds of a loop change some elements: what is chosen by element is no choice by round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import Bool, Float64, Tensor, graph_program
from tests.programs.plain import Cases
from tests.transform.sessions import compared

Vector, Mask = Float64[Tensor, "n"], Bool[Tensor, "m"]
VECTORS = (np.arange(3.0), np.array([5.0, -1, 2, 2.5]), np.zeros(0), np.full(1, 4.0))
MASKS = tuple(np.array(mask, bool) for mask in ([1, 0, 1], [0], [], [0, 1, 1, 0]))
PAIRS = tuple((x, mask) for x in VECTORS for mask in MASKS)
"""As many rounds as elements, too."""

cases = Cases()


@cases(*PAIRS)
def kept_or_added_to(x: Vector, mask: Mask) -> Any:
    y = np.zeros(len(mask))
    for i in range(len(x)):
        y = np.where(mask, y, y + x[i])
    return y


@cases(*PAIRS)
def both_sides_change(x: Vector, mask: Mask) -> Any:
    y = np.zeros(len(mask))
    for i in range(len(x)):
        y = np.where(mask, y - 1.0, y + x[i])
    return y


@cases(*PAIRS)
def of_a_matrix(x: Vector, mask: Mask) -> Any:
    y = np.zeros((2, len(mask)))
    for i in range(len(x)):
        y = np.where(mask, y - x[i], np.where(x[i] > 2, y + mask, y))
    return y


@cases.each
def test_as_in_python(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert "is array operations" in graph_program(fn).explain("optimized")
    compared(fn, inputs)
