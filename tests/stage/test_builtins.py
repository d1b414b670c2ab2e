"""Builtins on graph values, against Python: value, class, exception."""

# The programs here call builtins where a comprehension or a literal would be the better style.
# ruff: noqa: B905, C408, C416, C417, RUF017

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from graph_program.extract.diagnostics import GraphProgramError
from tests.stage.oracle import outcome, run, same, stage

INF, NAN = math.inf, math.nan
FLOATS = [0.0, -0.0, 0.5, 1.5, 2.5, -2.5, -0.4, 1e18, 9.3e18, -(2.0**63), 1e300, INF, -INF, NAN, 3.0]
INTS = [0, 1, -1, 7, -7, 2**62, 2**63 - 1, -(2**63)]
ALL_NUMBERS: list[Any] = [
    *FLOATS,
    *INTS,
    True,
    False,
    *map(np.float32, [2.5, -3.5, INF, NAN]),
    *map(np.float64, [2.5, NAN]),
    np.float16(1.5),
    np.int32(-4),
    np.uint8(200),
    np.uint64(2**63),
    np.bool_(True),
    np.array(2.5),
    np.array(3),
]


def to_int(x):
    return int(x)


def to_float(x):
    return float(x)


def to_bool(x):
    return bool(x)


def absolute(x):
    return abs(x)


def rounded(x):
    return round(x)


def rounded_to_none(x):
    return round(x, None)


def rounded_to_zero(x):
    return round(x, 0)


def in_range(fn, x):
    """Whether Python's own result, if it is an int, fits in 64 bits."""
    result = outcome(fn, x)
    return not isinstance(result, int) or -(2**63) <= result < 2**63


@pytest.mark.parametrize("fn", [to_int, to_float, to_bool, absolute, rounded, rounded_to_none])
@pytest.mark.parametrize("x", ALL_NUMBERS, ids=repr)
def test_numbers(fn, x):
    if in_range(fn, x):
        same(fn, x)
    else:
        with pytest.raises(OverflowError, match="int64"):
            run(fn, x)


@pytest.mark.parametrize("x", FLOATS, ids=repr)
def test_round_to_zero_digits_is_a_float(x):
    same(rounded_to_zero, x)


@pytest.mark.parametrize("fn", [to_int, to_float, rounded])
@pytest.mark.parametrize("x", [np.ones(2), np.ones((1, 1))], ids=str)
def test_arrays_are_not_numbers(fn, x):
    same(fn, x, fixed=True)


# ---------------------------------------------------------------- min, max


def largest(x, y):
    return max(x, y)


def smallest(x, y):
    return min(x, y)


def largest_of_three(x, y, z):
    return max(x, y, z)


def largest_of_list(x, y):
    return max([x, y, x])


PAIRS = [
    *((a, b) for a in (0.0, -0.0, 1.0, NAN, INF) for b in (0.0, -0.0, 1.0, NAN, -INF)),
    (1, 2),
    (2, 2),
    (5, -3),
    (True, False),
    (np.float32(1), np.float32(2)),
    (np.float32(NAN), np.float32(2)),
    (np.int32(1), np.int32(2)),
]


@pytest.mark.parametrize("fn", [largest, smallest, largest_of_list])
@pytest.mark.parametrize("pair", PAIRS, ids=repr)
def test_extremes_of_two(fn, pair):
    same(fn, *pair)


def test_extremes_of_python_and_numpy_keep_a_number_that_numpy_cannot_hold():
    same(largest, np.float32(1), 0.1)
    same(largest, np.float32(0), 0.1)
    same(largest, np.uint8(1), 300)


def test_extremes_of_python_and_numpy_take_the_numpy_class():
    result = run(largest, np.float64(1), 2.0)
    assert type(result) is np.float64 and result == 2


def test_extremes_of_three():
    same(largest_of_three, 1, 3, 2)
    same(largest_of_three, NAN, 3.0, 2.0)


MINUS_ONE = np.float64(-1.0)
VECTORS = [
    np.array([1.0, 3.0, 2.0]),
    np.array([NAN, 3.0, 2.0]),
    np.array([1.0, NAN, 2.0, NAN]),
    np.array([0.0, -0.0]),
    np.array([-0.0, 0.0]),
    np.array([5, 9, 9, -1]),
    np.array([True, False]),
    np.array([4.0], np.float32),
    np.array([]),
]


@pytest.mark.parametrize("x", VECTORS, ids=str)
def test_extremes_of_arrays(x):
    def f(x):
        return max(x)

    def g(x):
        return min(x)

    same(f, x)
    same(g, x)


def test_extremes_with_default():
    def f(x):
        return max(x, default=MINUS_ONE)

    def g():
        return min([], default=3)

    def h():
        return min([])

    same(f, np.array([]))
    same(f, np.array([2.0]))
    same(g)
    same(h)


def test_extremes_with_key():
    def f(x, y):
        return max([("b", x), ("a", y)], key=lambda p: p[0])[1]

    def g(x, y):
        return min([x, y, x], key=lambda _: 0)

    same(f, 1.0, 2.0)
    same(g, 1.0, 2.0)


def test_extremes_of_structures():
    def f(x, y):
        return max((x, 1.0), (y, 2.0))

    same(f, 1.0, 2.0)
    same(f, 2.0, 2.0)
    same(f, 3.0, 2.0)


def test_extremes_of_ranges():
    def f(n):
        return max(range(n)), min(range(3, n)), len(range(n))

    same(f, 5)
    same(f, 0)


# ---------------------------------------------------------------- folds


def total(x):
    return sum(x)


@pytest.mark.parametrize(
    "x",
    [
        np.array([1.0, 2.5]),
        np.array([1.0, 2.5], np.float32),
        np.array([1, 2], np.int8),
        np.array([True, True]),
        np.arange(6.0).reshape(2, 3),
        np.array([200, 100], np.uint8),
        [1, 2, 3],
        [1.5, 2],
        [True, True],
        [np.ones(2), np.ones(2)],
        (1.0,),
        [],
    ],
    ids=str,
)
def test_sum(x):
    same(total, x)


def test_sum_with_start():
    def f(x):
        return sum(x, 10.0)

    def g(x, start):
        return sum([x], start)

    def h(x):
        return sum([[x], [x]], [])

    for x in (np.array([1.0]), np.array([1], np.int32), np.array([1.0], np.float32), [1, 2]):
        same(f, x)
    same(g, 1, 2.0)
    same(h, 1)


def every(x):
    return all(x), any(x)


@pytest.mark.parametrize(
    "x",
    [
        np.array([True, False]),
        np.array([0.0, 2.0]),
        np.array([], np.float32),
        np.array([1, 2]),
        [1, 0.0],
        [],
        (True, 3),
    ],
    ids=str,
)
def test_any_and_all(x):
    same(every, x)


def test_any_of_rows_is_ambiguous():
    same(every, np.ones((2, 2)), fixed=True)


def length(x):
    return len(x)


@pytest.mark.parametrize(
    "x", [np.ones(3), np.ones((2, 4)), [1, 2], (1,), {"a": 1.0}, "abc", [], np.array(1.0), 3, 2.0, None], ids=str
)
def test_len(x):
    same(length, x)


def test_sorted():
    def f(x, y):
        return sorted([("b", x), ("a", y)], key=lambda p: p[0], reverse=False)

    def g():
        return sorted([3, 1, 2], reverse=True)

    same(f, 1.0, 2.0)
    same(g)


# ---------------------------------------------------------------- divmod, pow


def both(x, y):
    return divmod(x, y)


@pytest.mark.parametrize(
    "pair",
    [
        (7, 2),
        (-7, 2),
        (7, 0),
        (7.5, 2.0),
        (-7.5, 2),
        (1.0, 0.0),
        (np.int32(7), np.int32(2)),
        (np.float32(5), np.float32(2)),
        (True, 2),
    ],
    ids=repr,
)
def test_divmod(pair):
    same(both, *pair)


def test_pow():
    def f(x, y):
        return pow(x, y)

    same(f, 2.0, 3.0)
    same(f, 2, 10)
    same(f, 0.0, -1.0)


# ---------------------------------------------------------------- iterables


def test_range_arguments():
    def f(x):
        s = 0
        for i in range(x):
            s = s + i
        return s

    same(f, 4)
    same(f, True)
    same(f, np.int32(3))
    same(f, 2.0)


def test_iterables_of_structures():
    def f(xs, ys):
        pairs = [a * b for a, b in zip(xs, ys)]
        numbered = [i + x for i, x in enumerate(xs, 5)]
        back = list(reversed(xs))
        doubled = list(map(lambda v: v * 2, ys))
        some = [v for v in filter(None, [0, 1, 2])]
        return pairs, numbered, back, doubled, some, tuple(xs), list(ys), dict(zip(["a", "b"], xs)), dict(k=xs[0])

    same(f, [1.0, 2.0], (3.0, 4.0))


def test_list_of_a_short_array():
    def f(x):
        return list(x), tuple(x)

    same(f, np.array([1.0, 2.0]), fixed=True)


def test_strict_zip():
    def f(x, y):
        return [a + b for a, b in zip(x, y, strict=True)]

    same(f, [1, 2], [3, 4])


# ---------------------------------------------------------------- reflection


def test_isinstance():
    def f(x, a, k, items):
        return (
            isinstance(x, float),
            isinstance(x, int | str),
            isinstance(a, np.ndarray),
            isinstance(k, (np.floating, list)),
            isinstance(items, list),
            isinstance(items, tuple),
            isinstance(None, type(None)),
            isinstance(True, int),
        )

    same(f, 1.0, np.ones(2), np.float32(1), [1])


def test_type_and_attributes():
    def f(x, a):
        return (
            type(x) is float,
            type(a) is np.ndarray,
            hasattr(a, "shape"),
            hasattr(x, "shape"),
            getattr(x, "foo", 3),
            callable(f),
            callable(x),
            issubclass(bool, int),
        )

    same(f, 1.0, np.ones(2))


def test_static_evaluation():
    def f():
        return (
            int("12"),
            int("ff", 16),
            float("inf"),
            str(3),
            repr("a"),
            chr(65),
            ord("a"),
            hex(255),
            round(2.675, 2),
            abs(-3),
            pow(2, 5, 7),
            divmod(7, 3),
            format(3.14159, ".2f"),
        )

    def g():
        return int("x")

    same(f)
    same(g)


def test_text_of_computed_numbers():
    def f(x, n):
        return str(x), repr(n), format(x, ".2f")

    same(f, 1.25, np.int32(3))


@pytest.mark.parametrize(
    "code, fn",
    [
        ("GP331", lambda x: eval("x")),
        ("GP331", lambda x: locals()),
        ("GP331", lambda x: id(x)),
        ("GP332", lambda x: next(iter(lambda: x, 1))),
        ("GP321", lambda x: ord(x)),
    ],
)
def test_refused(code, fn):
    with pytest.raises(GraphProgramError, match=code):
        stage(fn, 1.0)
