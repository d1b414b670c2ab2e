"""Unpacking arrays whose length is known at run time only: checked there, with Python's errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program

from .plain import check

Array = np.ndarray[Any, Any]


def test_lengths_are_checked_at_run_time() -> None:
    def difference(x: Array) -> Any:
        a, b = x
        return a - b

    check(difference, (np.arange(2),), (np.arange(3),), (np.arange(1),), (np.zeros(0),), (np.ones((2, 3)),))


def test_columns_and_rows() -> None:
    def corners(boxes: Array) -> Any:
        x0, y0, x1, y1 = boxes.T
        return (x1 - x0) * (y1 - y0)

    def lengths(points: Array, weights: Array) -> Any:
        total = 0.0
        for (x, y), w in zip(points, weights, strict=False):
            total += w * (x * x + y * y)
        return total

    check(corners, (np.arange(12.0).reshape(3, 4) ** 2,), (np.ones((2, 3)),), (np.ones((0, 4)),))
    check(lengths, (np.ones((3, 2)), np.arange(3.0)), (np.ones((3, 4)), np.arange(3.0)), (np.ones((2, 1)), np.ones(2)))


def test_elements_are_copies_and_rows_are_views() -> None:
    def swapped(x: Array) -> Any:
        a, b = x
        x[0] = b
        x[1] = a
        return a, b

    def first_cleared(x: Array) -> None:
        a, _ = x
        a[:] = 0

    check(swapped, (np.array([1, 2]),))
    check(first_cleared, (np.ones((2, 3)),))


def test_ranges() -> None:
    def ends(n: int) -> Any:
        a, b = range(n)
        return a, b

    check(ends, (2,), (5,), (0,), (-1,))


def test_a_star_needs_the_length() -> None:
    def rest(x: Array) -> Any:
        first, *others = x[x > 0]
        return first, others

    with pytest.raises(GraphProgramError, match="cannot unpack"):
        graph_program(rest)(np.arange(3))
