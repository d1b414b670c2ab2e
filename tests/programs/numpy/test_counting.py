"""Counts, positions in several dimensions, and element types asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import check

Array = np.ndarray[Any, Any]


def test_bincount() -> None:
    def counted(x: Array, least: int) -> Any:
        return np.bincount(x), np.bincount(x, minlength=least)

    def weighted(x: Array, w: Array) -> Any:
        return np.bincount(x, weights=w)

    check(
        counted, (np.array([1, 3, 1]), 2), (np.zeros(0, int), 4), (np.array([2, 0], np.uint8), 6), (np.array([-1]), 1)
    )
    check(weighted, (np.array([0, 2, 0]), np.array([0.5, 1.0, 2.0])), (np.array([0]), np.ones(2, np.float32)))


def test_bincount_of_nothing_with_weights() -> None:
    def given(x: Array, w: Array) -> Any:
        return np.bincount(x, w)

    def some(x: Array, w: Array) -> Any:
        heavy = np.bincount(x[w > 0], w[w > 0], minlength=4)
        return heavy, heavy * 2, np.bincount(x, minlength=4) / heavy

    def summed(x: Array, w: Array) -> Any:
        total = np.zeros(4)
        for i in range(3):
            total += np.bincount(x[w > i], w[w > i], minlength=4)
        return total

    x, w, none = np.array([0, 2, 0]), np.array([0.5, 1.0, 2.0]), np.zeros(0, int)
    program = check(given, (x, w), (none, none * 1.0), (x[1:], w[1:]), (none, w), (x, w[:0]))
    assert len(program._shims) == 2
    check(some, (x, w), (x, -w), (none, none * 1.0))
    check(summed, (x, w), (x, -w))


def test_unravel_index() -> None:
    def peak(x: Array) -> Any:
        y, z = np.unravel_index(x.argmax(), x.shape)
        return y, z, x[y, z]

    def located(i: int, n: int) -> Any:
        return np.unravel_index(i, (n, 2, 3))

    check(peak, (np.arange(6).reshape(2, 3) % 5,), (np.ones((1, 1)),))
    check(located, (7, 2), (0, 1), (12, 2), (-1, 2))


def test_result_type() -> None:
    def filtered(x: Array, h: Array) -> Any:
        n = len(x)
        y = np.zeros(n + len(h) - 1, dtype=np.result_type(x, h))
        for k in range(len(h)):
            y[k : k + n] += h[k] * x
        return y, np.zeros(1, np.result_type(x, 1.5))

    check(
        filtered,
        (np.ones(3, np.float32), np.ones(2)),
        (np.arange(3), np.arange(2)),
        (np.ones(2, np.uint8), np.ones(1, np.int8)),
    )
