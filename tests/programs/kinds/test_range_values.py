"""Ranges as values: items, slices, lengths, comparison, and what is in them."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from tests.programs.plain import check


def item(n: int, i: int) -> Any:
    return range(n)[i]


def last_of_steps(n: int) -> Any:
    r = range(2, n, 3)
    return r[-1], len(r)


def known() -> Any:
    r = range(10)
    return r[-1], r[2:5][1], list(r[::-2]), len(r[3:]), range(3) == range(0, 3, 1), range(0) == range(2, 1)


EVERY_THIRD = range(2, 9, 3)
INNER = slice(1, -1)


def parts_of_captured(x: Any) -> Any:
    r, s = EVERY_THIRD, INNER
    return x[r.start] + r.stop * r.step, r.index(5), s.start, s.stop, s.step, x[s]


def equal(n: int, k: int) -> Any:
    return range(n) == range(k), range(0, n, 2) != range(0, k, 2)


def items_in_a_loop(n: int) -> Any:
    total, r = 0, range(1, n, 2)
    for i in range(len(r)):
        total += r[i] + 10 * r[-1 - i]
    return total


def contains(n: int, value: Any) -> Any:
    return value in range(n), "a" in range(n), None in range(n), 2.0 in range(1, n)


def copies(x: Any) -> Any:
    y, z = copy.deepcopy(x), copy.copy(x)
    y[0] = 9.0
    z += 1.0
    return y, z, copy.deepcopy(None), copy.copy(3)


def test_ranges() -> None:
    check(item, (5, 0), (5, -1), (5, 5), (5, -6), (0, 0))
    check(last_of_steps, (10,), (3,), (2,))
    check(known, ())
    check(parts_of_captured, (np.arange(6.0),))
    check(equal, (3, 3), (3, 4), (0, -2), (5, 6))
    check(items_in_a_loop, (9,), (2,), (0,))
    check(contains, (5, "a"), (5, None), (5, (1, 2)), (5, 2.5), (5, 2), (5, np.float32(3)))


def test_arange_is_at_least_int64() -> None:
    def program(start: Any, stop: Any, step: Any) -> Any:
        return np.arange(start, stop, step)

    check(program, (np.int8(5), np.int16(-5), np.int32(-2)), (np.float32(0), np.float32(2), np.float32(0.5)))


def test_broadcast_shapes() -> None:
    def shapes(a: Any, b: Any) -> Any:
        return np.broadcast_shapes(a.shape, b.shape), np.broadcast_arrays(a, b)

    sizes = [((1,), (0,)), ((0,), (0, 1)), ((3,), (2, 3)), ((3,), (4,)), ((2, 1), (4, 3))]
    check(shapes, *((np.zeros(a), np.zeros(b)) for a, b in sizes))


def test_copies() -> None:
    check(copies, (np.ones(3),))
