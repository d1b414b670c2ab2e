"""Sets of elements: `np.unique`, `np.isin`, unions and differences; `np.digitize` with computed bins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
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


ROWS = np.array([[3, 1], [1, 2], [3, 1], [3, 0], [1, 2]])
TABLES: list[tuple[Any, int]] = [
    (ROWS, 0),
    (ROWS, 1),
    (ROWS.astype(np.uint8), -2),
    (ROWS > 1, -1),
    (np.array([[np.nan, 1], [np.nan, 1], [0, 2], [np.nan, 0], [0, np.nan], [0.0, 2]], np.float32), 0),
    (np.array([[0.0, 1], [-0.0, 1], [0, -0.0], [0, 0]]), 0),
    (np.zeros((3, 0)), 0),
    (np.zeros((3, 0)), 1),
    (np.zeros((0, 4)), 0),
    (np.zeros((0, 4)), 1),
    (np.random.default_rng(1).integers(0, 2, (3, 8, 2)), 1),
    (np.random.default_rng(2).integers(0, 2, (2, 2, 9)), -1),
    (np.array([3, 1, 3]), 0),
    (np.array([[1j, 1], [2, 2], [1j, 1]]), 0),
]


def test_unique_along_axes() -> None:
    def parts(x: Any, axis: int) -> Any:
        return np.unique(x, axis=axis)

    def all_parts(x: Any, axis: int) -> Any:
        found = np.unique(x, return_index=True, return_inverse=True, return_counts=True, axis=axis)
        return found, np.take(found[0], found[2], axis)

    def counted(x: Any, axis: int) -> Any:
        return np.unique(x, axis=axis, return_counts=True, equal_nan=False)

    for program in (parts, all_parts, counted):
        check(program, *TABLES)


def test_most_frequent_row() -> None:
    def program(x: Any) -> Any:
        rows, counts = np.unique(x, axis=0, return_counts=True)
        found = []
        for row in np.unique(x[:, 0]):
            found.append(row)
        return rows[np.argmax(counts)], len(rows), found, rows[counts == 1]

    check(program, (ROWS,), (ROWS * 0.5,))


def test_places_in_two_sets() -> None:
    def places(a: Any, b: Any) -> Any:
        return np.intersect1d(a, b, return_indices=True)

    def like(a: Any, b: Any) -> Any:
        both, i, j = np.intersect1d(a, b, assume_unique=True, return_indices=True)
        return both, i, j, a[i], b[j]

    a, b = np.array([5, 1, 1, 2, 9]), np.array([9, 2, 2, 7, 5, 5])
    check(places, (a, b), (a * 0.5, b), (a[:0], b), (ROWS, np.array([[0], [3]])))
    check(like, (np.array([4, 2, 6]), np.array([6, 1, 4])), (a[:0], b[:0]))


def test_complex_elements() -> None:
    z = np.array([1 + 2j, 1 + 1j, 1 + 2j, -1j, 3])

    def program(x: Any) -> Any:
        return np.unique(x), np.unique(x, return_index=True, return_inverse=True, return_counts=True)

    def sets(x: Any, y: Any) -> Any:
        counted, both = np.unique_counts(x), np.intersect1d(x, y, return_indices=True)
        other = np.setdiff1d(x, y), np.setxor1d(x, y), np.isin(x, y), np.unique_inverse(x).inverse_indices
        return counted.counts, counted.values, np.union1d(x, y), np.intersect1d(x, y), both, other

    check(program, (z,), (z.astype(np.complex64),), (z[:0],), (z.reshape(5, 1),))
    check(sets, (z, z[1:3]), (z, np.array([3, 1 + 1j, 7j, 7j])), (z[:0], z))


def test_values() -> None:
    """Here they are in order; NumPy promises none."""

    def program(x: Any) -> Any:
        return np.sort(np.unique_values(x))

    check(program, *((x,) for x in VECTORS))


def test_no_axis() -> None:
    with pytest.raises(ValueError, match="axis 2 is out of bounds for array of dimension 2"):
        graph_program(lambda x: np.unique(x, axis=2))(ROWS)
    with pytest.raises(IndexError, match="axis 1 is out of bounds for array of dimension 1"):
        graph_program(lambda x: np.unique(x, axis=1))(ROWS[0])
