"""`ufunc.at`: places that come several times; the limits of an element type."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import check


def histogram(x: Any, n: int) -> Any:
    counts = np.zeros(n, np.int32)
    np.add.at(counts, x, 1)
    return counts


def scatter(a: Any, i: Any, b: Any) -> Any:
    np.add.at(a, i, b)
    np.maximum.at(a, i, 2)
    np.negative.at(a, i)
    return a.sum()


def pairs(a: Any, r: Any, c: Any) -> Any:
    np.subtract.at(a, (r, c), 0.5)
    np.multiply.at(a, (slice(None), 0), 2)
    np.add.at(a, a > 1, [10])
    row = a[0]
    np.add.at(row, [0, 0, -1], row[:3])
    return row


def open_grid(a: Any, r: Any, c: Any) -> Any:
    block = a[np.ix_(r, c)]
    a[np.ix_(r, c)] = block * 2
    a[np.ix_([0], c)] += 1
    return block, np.ix_(r)[0], a[np.ix_(np.array([True, False, True]), np.array([2, 0]))]


def limits(a: Any, b: Any) -> Any:
    info = np.iinfo(a.dtype)
    wide = a.astype(np.int64) + b
    eps = np.finfo(np.float32).eps
    return np.clip(wide, info.min, info.max).astype(a.dtype), info.bits, eps, np.finfo(float).max


def test_counts() -> None:
    check(histogram, (np.array([1, 1, 3]), 4), (np.zeros(0, np.int64), 2), (np.array([5, -1]), 3))


def test_updates() -> None:
    check(scatter, (np.zeros(3), np.array([0, 0, -1]), np.array([1.5, 2.5, 1.0])))
    check(scatter, (np.zeros(3, np.int64), np.array([0, 0]), 1.5), (np.zeros(3, np.int64), np.array([4]), 1.5))
    check(scatter, (np.zeros((3, 2), np.float32), np.array([0, 0]), np.array([1.0, 2.0])))
    check(scatter, (np.zeros(3), np.array([0, 1]), np.ones(3)))
    check(pairs, (np.arange(12.0).reshape(3, 4), np.array([0, 0, 2]), np.array([1, 1, 3])))


def test_open_grids() -> None:
    a, none = np.arange(12.0).reshape(3, 4), np.zeros(0, np.int64)
    check(open_grid, (a, np.array([2, 0]), np.array([1, 3])), (a, none, none))
    check(open_grid, (a, np.array([False, True, True]), np.array([0])))


def test_limits() -> None:
    check(limits, (np.array([200, 5], np.uint8), np.array([100, -9])), (np.array([-128], np.int8), np.array([-1])))
