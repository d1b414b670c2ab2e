"""Slices, and tuples with slices in them, passed to a program or captured by it."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import graph_program
from tests.programs.plain import check

Array = np.ndarray[Any, Any]
X = np.arange(24.0).reshape(4, 6)
MIDDLE = slice(1, -1)
CORNER = (slice(2), slice(None, None, 2))


def test_a_region_that_is_passed() -> None:
    def region(x: Array, at: Any) -> Any:
        return x[at] * 2.0

    check(
        region,
        (X, slice(1, 3)),
        (X, (slice(1, 3), 2)),
        (X, (np.array([0, 2]), slice(1, 4))),
        (X, (slice(None), None, np.array([True, False] * 3))),
        (X, (..., slice(None, None, -2))),
        (X, (slice(3, 0, -1), slice(-2, None))),
        (X, slice(9, 12)),
    )


def test_a_region_that_is_written() -> None:
    def cleared(x: Array, at: slice) -> None:
        x[at, 1:] = 0.0
        x[at] += 1.0

    check(cleared, (X, slice(1, 3)), (X, slice(2)), (X, slice(None, None, 2)), (X, slice(3, 3)))


def test_lists_tuples_and_texts() -> None:
    def cut(items: list[float], pair: tuple[float, ...], at: slice) -> Any:
        kept = items[at]
        items[at] = [7.0]
        return kept, pair[at], items

    check(cut, ([1.0, 2.0, 3.0], (1.0, 2.0), slice(1, 2)), ([1.0, 2.0, 3.0], (1.0, 2.0), slice(None, 1)))


def test_captured_slices() -> None:
    def captured(x: Array, items: list[float]) -> Any:
        x[MIDDLE] = 0.0
        return x[CORNER], x[CORNER[1]], items[MIDDLE], (1, 2, 3, 4)[MIDDLE]

    check(captured, (X, [1.0, 2.0, 3.0]))


def test_what_a_slice_says_of_itself() -> None:
    def said(at: slice, x: Array) -> Any:
        length = at.stop - (at.start or 0)
        return length, at.step is None, isinstance(at, slice), x[slice(at.start, at.stop, 2)], at

    check(said, (slice(1, 4), X), (slice(None, 4), X), (slice(0, np.int64(3), 1), X))


def test_a_slice_that_changes_is_an_input() -> None:
    @graph_program
    def region(x: Array, at: slice) -> Any:
        return x[at].sum(axis=0)

    model = region.model((X, slice(0, 2)))
    assert [i.name for i in model.graph.input] == ["x", "at.start", "at.stop"]
    for start in range(4):
        at = slice(start, start + 2)
        assert np.array_equal(region(X, at), X[at].sum(axis=0))
