"""Objects of classes without `__eq__` are equal to themselves, whatever path they take."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check


class Sample:
    def __init__(self, value: float) -> None:
        self.value = value


@dataclass(eq=False)
class Entry:
    value: float


@dataclass
class Item:
    value: float
    seen: bool = False


def samples_of(x):
    return [Sample(float(v)) for v in x]


def elements(x):
    a = samples_of(x)
    return a[1] in a, a.count(a[1]), a[1] == a[1], a == a, a[1] != a[1], a[0] == a[1]


def visited(x):
    a, seen = samples_of(x), []
    for s in a + a:
        if s in seen:
            continue
        seen.append(s)
    return len(seen)


def removed(x):
    a = samples_of(x)
    a.remove(a[1])
    return [s.value for s in a]


def in_structures(x):
    a = [Entry(float(v)) for v in x]
    b = max(a, key=lambda s: s.value)
    return b in a, b == a[0], [b] == [a[-1]], (b, 1) == (a[2], 1), {"k": b} == {"k": a[2]}, a.index(b)


def merged(x):
    a, b = Sample(1.0), Sample(1.0)
    c = a if x[0] > 0 else b
    return a == b, a == c, a != c, a in [b, c], a == 1, a is None


def lists_of_lists(x):
    rows = [[Item(float(v)) for v in x] for _ in x]
    for row in rows:
        row[0].value = 0.0
    return rows


@pytest.mark.parametrize("program", [elements, visited, removed, in_structures, merged, lists_of_lists])
def test_like_python(program: Any) -> None:
    check(program, (np.array([1.0, 2.0, 3.0]),), (np.array([-1.0, 5.0, 9.0, 2.0]),))


def test_containers_have_what_was_put_into_them():
    """They compare with `is` before `==`, so that NaN is equal to itself there."""

    def of_numbers(x, y):
        kept = [x, y]
        pair = (x, 1)
        same = pair == (x, 1), pair != (x, 2), kept == kept, {"a": x} == {"a": x}, pair < (x, 2), (x, y) == (y, x)
        return same, x in kept, y in (x, y), kept.count(x), kept.index(y)

    def of_a_loop(x, v):
        kept = [x, 1.0]
        for u in v:
            kept[0] -= kept[0]
            if (kept[0], u) == (kept[0], u):
                break
        return kept, u

    def of_arrays(x):
        return x in [x], (x, 1) == (x, 1), x in [1.0, x] if len(x) == 1 else [x, x].count(x)

    check(of_numbers, (math.nan, 1.0), (1.0, math.nan), (1.0, 1.0), (np.float64(math.nan), 2.0))
    check(of_a_loop, (math.inf, np.arange(3.0)), (1.0, np.arange(2.0)))
    check(of_arrays, (np.arange(3.0),), (np.ones(1),))


def test_fields_are_compared_as_this_python_does():
    @dataclass
    class Level:
        value: float
        count: int

    def compared(x):
        return Level(x, 1) == Level(x, 1), Level(x, 1) != Level(x, 2), Level(x, 1) in [Level(x, 1)]

    check(compared, (math.nan,), (1.0,))


@dataclass
class Shape:
    size: float
    corners: Any


@pytest.mark.filterwarnings("ignore::graph_program.ShapeWarning")
def test_what_raises_is_compared_only_where_all_before_it_is_equal() -> None:
    """Arrays of several elements have no truth."""

    def fields(x: Any) -> Any:
        return Shape(float(x[0]), x) == Shape(2.0, np.zeros(len(x)))

    def elements(x: Any) -> Any:
        return (float(x[0]), np.zeros(2)) != (2.0, np.ones(2))

    def caught(x: Any) -> Any:
        try:
            return [float(x[0]), np.zeros(2)] == [2.0, np.ones(2)], 1
        except ValueError:
            return 7

    def inside(x: Any) -> Any:
        known = [Shape(float(v), np.zeros(2)) for v in x]
        return Shape(2.0, np.zeros(2)) in known

    for program in (fields, elements, caught, inside):
        check(program, (np.array([1.0, 3.0]),), (np.array([2.0, 1.0]),), (np.array([2.0]),))


CAPTURED = np.array([1.0, 2.0])


def test_a_number_of_numpy_makes_an_array_of_a_tuple() -> None:
    def with_numbers(n: int) -> Any:
        return (n, 2) == np.float64(2), [n, 3] != np.int64(3), np.float32(1) == [n, 1]

    def with_captured(n: int) -> Any:
        return (n, 2.0) == CAPTURED, [float(n), 1.0] != CAPTURED, (n, 2) == CAPTURED

    for program in (with_numbers, with_captured):
        check(program, (1,), (2,))


def test_things_of_other_kinds_are_not_equal() -> None:
    def of_kinds(x: Any, n: int) -> Any:
        grown = [float(v) for v in x]
        double = lambda v: v * n  # noqa: E731
        sequences = grown == n, [n, 1] == n, (n, 1) == [n, 1], n == [1, 2], grown == (n, 1)
        return sequences, double == n, n == double, double == double, double == (n,), grown == {"a": n}

    def ranges(x: Any, n: int) -> Any:
        known = range(3)
        return range(n) == n, range(n) != n, range(n) == (0, 1, 2), range(n) == known, known != range(n), range(n) == x

    def optional(x: Any, n: int) -> Any:
        grown = [float(v) for v in x]
        other = grown if n > 2 else None
        return grown == other, other == grown, other != grown, other == n, range(n) == other

    for program in (of_kinds, ranges, optional):
        check(program, (np.array([0.0, 1.0, 2.0]), 3), (np.array([0.0, 1.0, 2.0]), 1))
