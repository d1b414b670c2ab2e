"""Positions and elements that a condition selects, used as NumPy users do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import check

Array = np.ndarray[Any, Any]


def test_positions() -> None:
    def positions(x: Array) -> Any:
        rows, columns = np.nonzero(x)
        return rows, columns, len(rows), x[rows, columns], np.flatnonzero(x), np.argwhere(x > 1), (x > 1).nonzero()

    check(
        positions,
        (np.arange(6).reshape(2, 3) % 4,),
        (np.zeros((2, 2), bool),),
        (np.array([[np.nan, 0.0, -1.0]], np.float32),),
        (np.ones((0, 3), np.uint8),),
    )


def test_where_with_a_condition_only() -> None:
    def crossings(x: Array) -> Any:
        sign = np.sign(x)
        sign[sign == 0] = 1
        index = np.where(sign[1:] * sign[:-1] < 0)[0]
        return index, x[index + 1], index.size, int(index.max()) if len(index) > 0 else -1

    check(crossings, (np.array([1.0, -1, 2, 0, 3]),), (np.ones(3),), (np.zeros(0),), (np.array([1, -1], np.int32),))


def test_selected_elements() -> None:
    def selected(x: Array, mask: Array) -> Any:
        return np.extract(x > 1, x), np.compress(mask, x, axis=0), x.compress(mask), x[mask].sum()

    check(selected, (np.arange(6).reshape(2, 3), np.array([False, True])), (np.zeros((1, 2)), np.array([False])))


def test_a_single_value_has_no_positions() -> None:
    def total(x: Array) -> Any:
        return np.nonzero(x.sum())

    with pytest.raises(ValueError, match="Calling nonzero on 0d arrays is not allowed"):
        graph_program(total)(np.ones(3))


def test_a_queue_that_shrinks_by_what_was_selected() -> None:
    def suppressed(starts: Array, ends: Array, scores: Array) -> Any:
        order = scores.argsort()[::-1]
        keep = np.full(len(scores), -1)
        n = 0
        while order.size > 0:
            i = order[0]
            keep[n] = i
            n += 1
            rest = order[1:]
            overlap = np.minimum(ends[i], ends[rest]) - np.maximum(starts[i], starts[rest])
            order = rest[np.where(overlap <= 0.5)[0]]
        return keep[:n]

    starts = np.array([0.0, 0.1, 2.0, 2.1, 5.0])
    check(suppressed, (starts, starts + 1, np.array([0.1, 0.5, 0.4, 0.3, 0.2])), (starts[:0], starts[:0], starts[:0]))


def selected(x: Any, mask: Any) -> Any:
    return x[mask].sum(), x.shape[0]


def assigned(x: Any, mask: Any) -> Any:
    x[mask] = 0
    return x


@pytest.mark.parametrize("function", [selected, assigned])
def test_a_mask_of_another_size_is_an_error(function: Any) -> None:
    x, mask = np.arange(12.0).reshape(4, 3), np.array([True, False, True, True])
    check(function, (x, mask), (x, mask[:2]), (x, mask[:0]), (x, np.ones(6, bool)), (x[:0], mask[:0]))
