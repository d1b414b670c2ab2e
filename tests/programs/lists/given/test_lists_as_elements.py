"""Lists and tuples that become elements of an array: each number is converted, or refused, by itself."""

from __future__ import annotations

import numpy as np

from tests.programs.plain import check


def inputs(*rows):
    return [(np.array(row[:-1], np.uint8), row[-1]) for row in rows]


def mixed(x, n: int):
    out = []
    for v in x:
        if v > 2:
            out.append(v)
        if v > 4:
            out.append(n)
    return np.array(out, dtype=np.uint8)


def shortened(x, n: int):
    out = []
    for v in x:
        if v > 2:
            out.append(v)
        else:
            out.append(7)
    out = out[1:]
    if n:
        out.pop()
    return np.array(out, dtype=np.uint8), np.asarray(out, np.float32), np.array(out, np.int64)


def test_a_list_of_both_classes_may_be_empty():
    check(mixed, *inputs((3, 5, 7, 2), (1, 1, 2), (3, 5, 300), (2, 300), (5,)))
    check(shortened, *inputs((3, 5, 7, 2), (1, 1, 1), (1, 3, 1), (1, 0)))


def regions(x, n: int):
    out = np.zeros(4, np.uint8)
    out[:2] = [n, 1]
    out[2:] = n, x[0]
    out[out > 5] = [7]
    out[: len(x)] = [n for _ in range(len(x))]
    np.put(out, [0], [n])
    return out


def of_both(x, n: int):
    best = n
    if x[0] > 3:
        best = x[0]
    out = np.zeros((2, 2), np.int16)
    out[:] = [[best, 1], [2, best]]
    out[0, :] = best, best
    return out, np.array([[best, 2], [3, 4]], np.int8)


def test_what_does_not_fit_a_region():
    check(regions, *inputs((3, 5, 7), (1, 2, 300), (1, 2, -1)))
    check(of_both, *inputs((3, 5, 7), (5, 1, 2), (5, 1, 300), (3, 1, 300)))


def floats(x, k: float):
    out = np.zeros(4, np.int32)
    out[:2] = [k, 1.5]
    out[2:] = (x[0], k)
    return out, np.array([[x[0], k], [1, 2]], np.int16), np.array(k, np.int16)


def grown(x, k: float):
    items = [x[0]]
    for v in x:
        if v > k:
            items.append(v)
    return np.array(items, np.int16)


def test_floats_that_are_no_integers():
    x = np.array([1.5, 2])
    check(floats, (x, 3.7), (x, float("nan")), (x, float("inf")), (np.array([np.nan]), 1.0))
    check(grown, (x, 0.0), (np.array([1, 2**40]), 3.0), (np.array([1, np.inf]), 0.0), (np.array([np.nan]), 0.0))


def by_positions(x, n: int):
    out = np.zeros(4, np.int8)
    out[np.array([0, 1])] = x[0]
    out[out == 0] = x[1]
    return out


def test_numbers_of_numpy_wrap_at_positions():
    check(by_positions, (np.array([300, 301]), 1), (np.array([3, 4]), 1))
