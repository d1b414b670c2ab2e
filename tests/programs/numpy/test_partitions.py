"""`np.partition` and `np.argpartition`: the element at its place, what is on each side of it, and what they are for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import Cases, check, check_or_refused

Array = np.ndarray[Any, Any]
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=17)
TIES = np.array([3, 1, 3, 2, 3, 1, 0, 2], np.int32)
NANS = np.array([2.0, np.nan, -1.0, np.inf, np.nan, 0.5], np.float32)
M = RANDOM.integers(-9, 9, (4, 6))
cases = Cases()


@cases((X, 0), (X, 16), (X, 8), (X, -3), (TIES, 4), (NANS, 2), (NANS, 4))
def sides(x: Array, k: int) -> Any:
    p = np.partition(x, k)
    return p[k], np.sort(p[:k]), np.sort(p[k:]), p.shape


@cases((X, 0), (X, 8), (X, -1), (NANS, 3))
def places(x: Array, k: int) -> Any:
    i = np.argpartition(x, k)
    return x[i[k]], np.sort(x[i[:k]]), np.sort(i), x.argpartition(k)[k]


@cases((M, 2), (M.astype(np.float64), 0), (M.astype(np.uint8), -1))
def along_axes(x: Array, k: int) -> Any:
    by_rows, by_columns, flat = np.partition(x, k), np.partition(x, k, axis=0), np.partition(x, k, axis=None)
    least = np.take_along_axis(x, np.argpartition(x, k, axis=-2), axis=-2)
    return by_rows[:, k], by_columns[k], flat[k], flat.shape, least[k], x.argpartition(k, None).shape


@cases((X,), (X.astype(np.float32),))
def several_places(x: Array) -> Any:
    p, i = np.partition(x, [2, 5, -1]), np.argpartition(x, (1, 9))
    return p[2], p[5], p[-1], np.sort(p[:2]), np.sort(p[3:5]), x[i[1]], x[i[9]], np.partition([3, 1, 2], 1)[1]


@cases((X, np.array([3, 7])), (TIES, np.array([0, -1], np.int8)), (X, np.array([3, 17])), (X, np.array([-18])))
def computed_places(x: Array, places: Array) -> Any:
    return np.partition(x, places)[places]


@cases((X.copy(), 5), (TIES.copy(), 2), (X.copy(), 17), (X.copy(), -18))
def in_place(x: Array, k: int) -> Any:
    y = x[::-1]
    x.partition(k)
    least, middle = np.sort(x[:k]), x[k]
    return least, middle, y[len(x) - 1 - k], np.sort(x[k:])


def test_in_place() -> None:
    """The caller's array has NumPy's order in plain Python; here it has the sorted one."""
    program = graph_program(in_place)
    for x, k in ((X, 5), (TIES, 2)):
        ours, numpys = x.copy(), x.copy()
        for found, expected in zip(program(ours, k), in_place(numpys, k), strict=True):
            assert np.array_equal(found, expected)
        assert np.array_equal(ours, np.sort(x))

    def columns(x: Array) -> Any:
        x.partition(1, axis=0)
        return x[1].copy()

    ours = M.copy()
    assert np.array_equal(graph_program(columns)(ours), np.sort(M, axis=0)[1])
    assert np.array_equal(ours, np.sort(M, axis=0))


@cases((X, 3), (X, 17))
def largest(scores: Array, k: int) -> Any:
    """The `k` best, the best of them first."""
    index = np.argpartition(-scores, k - 1)[:k]
    index = index[np.argsort(-scores[index])]
    return index, scores[index]


@cases((X, 4), (NANS[2:4], 1))
def least_of_many(x: Array, k: int) -> Any:
    found = []
    for _ in range(k):
        i = np.argpartition(x, 0)[0]
        found.append(x[i])
        x = np.delete(x, i)
    return np.array(found)


@cases((X,), (X[:16],), (TIES,))
def median(x: Array) -> Any:
    n = len(x)
    if n % 2 == 1:
        return np.partition(x, n // 2)[n // 2] * 1.0
    p = np.partition(x, (n // 2 - 1, n // 2))
    return (p[n // 2 - 1] + p[n // 2]) / 2


@cases((RANDOM.random((5, 9)), 3), (RANDOM.random((5, 9), np.float32), 1))
def near_neighbours(d: Array, k: int) -> Any:
    near = np.argpartition(d, k, axis=1)[:, :k]
    means = np.partition(d, k)[..., :k].mean(axis=-1)
    return np.sort(np.take_along_axis(d, near, 1), axis=1), means, np.partition(d, k)[..., :k].mean()


@cases((np.zeros(0), 0), (np.zeros((0, 3)), 5))
def of_none(x: Array, k: int) -> Any:
    return np.partition(x, k), np.argpartition(x, k), np.partition(x, k, axis=0)


@cases((X, 17), (X, 40), (X, -18), (X, 1))
def caught(x: Array, k: int) -> Any:
    try:
        return np.partition(x, k)[k]
    except ValueError as error:
        return str(error)


@cases((np.array(3.0),), (np.array(7),))
def of_one_number(x: Array) -> Any:
    return np.partition(x, 0, axis=None), np.argpartition(x, 0), x.argpartition(0, axis=0)


@cases((np.array([2 + 1j, 1 - 1j, 1 + 5j]),))
def of_complex_numbers(x: Array) -> Any:
    return np.partition(x, 1)[1], x[np.argpartition(x, 0)[0]]


@cases.each
def test_partitions(fn: Any, inputs: Any) -> None:
    if fn is not in_place:
        check(fn, *inputs)


WRONG = {
    "outside": lambda x: np.partition(x, [1, 30, -40]),
    "a float": lambda x: np.partition(x, 2.0),
    "a truth": lambda x: np.argpartition(x, True),
    "none": lambda x: np.partition(x, None),
    "no axis": lambda x: np.partition(x, 1, axis=1),
    "another kind": lambda x: np.argpartition(x, 1, kind="quicksort"),
    "an order": lambda x: np.partition(x, 1, order="f"),
    "of a number": lambda x: np.partition(x[0], 0),
    "in place": lambda x: x.partition(99),
    "in place, flat": lambda x: x.partition(1, axis=None),
}


@pytest.mark.parametrize("program", WRONG.values(), ids=list(WRONG))
def test_wrong_arguments(program: Any) -> None:
    check_or_refused(program, (X,))


def test_order() -> None:
    """All elements are in order, which is one of the orders that NumPy may give."""

    def program(x: Array, k: int) -> Any:
        return np.partition(x, k), np.argpartition(x, k)

    values, order = graph_program(program)(TIES, 3)
    assert np.array_equal(values, np.sort(TIES)) and np.array_equal(order, np.argsort(TIES, kind="stable"))
