"""Counts, positions in several dimensions, and element types asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from .plain import check

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
