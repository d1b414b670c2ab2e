"""Sets of elements: `np.unique`, `np.isin`, unions and differences; `np.digitize` with computed bins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

VECTORS = [
    np.array([3, 1, 2, 3, 1], np.int32),
    np.array([2.5, -1.0, 2.5, np.nan, np.nan, 0.0]),
    np.array([True, False, True]),
    np.array([[2, 1], [1, 2]], np.uint8),
    np.zeros(0, np.float32),
    np.array([7.0], np.float32),
]


def elements(x: Any) -> Any:
    return np.unique(x)


def places(x: Any) -> Any:
    values, first, inverse, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    return values, first, inverse, counts, values[inverse]


def each_nan(x: Any) -> Any:
    return np.unique(x, equal_nan=False, return_counts=True)


def per_class(x: Any, y: Any) -> Any:
    means = []
    for c in np.unique(y):
        means.append(x[y == c].mean())
    return means, [int(v) for v in np.unique(y)]


def both(a: Any, b: Any) -> Any:
    return np.union1d(a, b), np.intersect1d(a, b), np.setdiff1d(a, b), np.setxor1d(a, b)


def membership(a: Any, b: Any) -> Any:
    return np.isin(a, b), np.isin(a, [1, 2], invert=True), a[np.isin(a, b)]


def intervals(x: Any, n: int, right: Any) -> Any:
    edges = np.linspace(x.min(), x.max(), n)
    return np.digitize(x, edges), np.digitize(x, edges[::-1], right), np.digitize(x[0], edges)


def bins(x: Any, edges: Any) -> Any:
    return np.digitize(x, edges)


@pytest.mark.parametrize("program", [elements, places, each_nan])
def test_unique(program: Any) -> None:
    check(program, *((x,) for x in VECTORS))


def test_classes_of_a_table() -> None:
    check(per_class, (np.arange(5.0), np.array([2, 0, 2, 0, 5])), (np.zeros(0), np.zeros(0, np.int64)))


@pytest.mark.parametrize("program", [both, membership])
def test_two_sets(program: Any) -> None:
    pairs = [([1, 2, 2, 5], [5, 2, 9]), ([], [1]), ([4], [])]
    check(program, *((np.array(a, np.int64), np.array(b, np.int64)) for a, b in pairs))
    check(program, (np.array([[1.0, 2.0]]), np.array([2, 1, 3], np.int32)))


def test_digitize() -> None:
    check(intervals, (np.array([0.5, 1.5, 3.0]), 3, True), (np.arange(4, dtype=np.float32), 2, False))
    edges = [[1, 2, 2, 3], [3, 1], [1, 3, 2], [2, 2], [2], []]
    check(bins, *((np.array([0.0, 2.0, np.nan, 5.0]), np.array(e, np.float64)) for e in edges))


def test_clip_into_itself() -> None:
    def clipped(x: Any) -> Any:
        x.clip(0, 2, out=x)
        x[1:].clip(1, None, out=x[:-1])
        return x

    check(clipped, (np.array([-1.0, 5.0, 1.5]),), (np.array([3, -4], np.int8),))
