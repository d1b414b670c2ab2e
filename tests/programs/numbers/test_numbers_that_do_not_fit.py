"""Python numbers that meet NumPy numbers at joins and in loops, where NumPy's type cannot hold them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import check, differs, outcome

NARROW = (np.uint8, np.int8, np.int16)
INTEGERS = (*NARROW, np.int32, np.uint64)


def python_numbers(value: Any) -> Any:
    """A result with NumPy's scalars as Python numbers: where they are equal, the class may be either."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple | list):
        return type(value)(map(python_numbers, value))
    if isinstance(value, dict):
        return {k: python_numbers(v) for k, v in value.items()}
    return python_numbers(vars(value)) if hasattr(value, "__dataclass_fields__") else value


def check_values(function: Callable[..., Any], *inputs: tuple[Any, ...]) -> None:
    """Assert that plain Python and the graph find the same numbers."""
    program = graph_program(function)
    for args in inputs:
        expected, found = (python_numbers(outcome(f, args)) for f in (function, program))
        assert not differs(expected, found), f"{args!r}: {expected!r} in Python, {found!r} as a graph"


def vectors(dtype: Any) -> list[tuple[Any, ...]]:
    """One argument for each kind of run: several elements, one, and none that passes a test of being above 2."""
    return [(np.array(v).astype(dtype),) for v in ([1, 2, 3, 4], [1], [5, 1, 2], [0, 0])]


def found(x: Any) -> Any:
    last = -1
    for v in x:
        if v > 2:
            last = v
    return last < 0, last == -1, int(last), last + 1, f"last {last}"


def lowest(x: Any) -> Any:
    best = 100000
    for v in x:
        if v < best:
            best = v
    return best


def extremes(x: Any) -> Any:
    return max(300, x[0]), min(x[0], -300), max(x[0], 0.1)


def first_above(x: Any, limit: int) -> Any:
    for v in x:
        if v > limit:
            return v
    return -1


def helper(x: Any) -> Any:
    a, b = first_above(x, 2), first_above(x, 100)
    return a, b, a + 1, float(b), b is None


def written(x: Any) -> Any:
    out = np.zeros(len(x), np.int32)
    for i, v in enumerate(x):
        out[i] = v if v > 2 else -1
    return out


def in_containers(x: Any) -> Any:
    d, q = {"a": -1}, [-1, 1000, -5]
    for i, v in enumerate(x):
        if v > 2:
            d["a"] = v
            q[i % 3] = v
    return d, q, d["a"] * 2, q[0] + q[1]


def hysteresis(x: Any) -> Any:
    level = 1000
    for v in x:
        if v > 3:
            level = v
        elif v > 1:
            level = 1000
        elif v > 0:
            level = level // 2
    return level


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64])
@pytest.mark.parametrize("program", [found, helper, written, in_containers])
def test_a_sentinel_below_the_range(program: Callable[..., Any], dtype: Any) -> None:
    check_values(program, *vectors(dtype))


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("program", [lowest, extremes, hysteresis])
def test_a_limit_above_the_range(program: Callable[..., Any], dtype: Any) -> None:
    check_values(program, *vectors(dtype))


@dataclass
class Range:
    low: float = math.inf
    high: float = -math.inf
    count: int = 0


@pytest.mark.parametrize("dtype", INTEGERS)
def test_infinity_as_the_first_best_of_integers(dtype: Any) -> None:
    def program(x: Any) -> Any:
        best, where = math.inf, -1
        for i, v in enumerate(x):
            if v < best:
                best, where = v, i
        low = math.inf
        for v in x:
            low = min(low, v)
        return best, where, low

    def fields(x: Any) -> Any:
        r = Range()
        for v in x:
            if v < r.low:
                r.low = v
            r.high = max(r.high, v)
            r.count += 1
        return r, r.high - r.low

    for one in (program, fields):
        check_values(one, *vectors(dtype), (np.zeros(0, dtype),))


def test_infinity_over_rows() -> None:
    def program(m: Any) -> Any:
        lows = []
        for row in m:
            best = math.inf
            for v in row:
                if v < best:
                    best = v
            lows.append(best)
        return lows

    check(program, (np.array([[3, 1], [4, 5]]),), (np.zeros((2, 0), np.int16),), (np.zeros((0, 2), np.int16),))


def test_floats_and_large_ints_beside_float32() -> None:
    def program(x: Any) -> Any:
        t, u, w = 0.1, 1700000001, 0.5
        for v in x:
            if v > 2:
                t, u, w = v, v, v
        return float(t), int(u), t == 0.1, t * x, float(w)

    check_values(program, *vectors(np.float32))


def test_bools_ints_and_floats_in_turn() -> None:
    def program(x: Any) -> Any:
        f = 0
        for v in x:
            if v > 2:
                f = True
            elif v > 1:
                f = 0.5
        return f, f + 1

    def flags(x: Any) -> Any:
        n = 0
        seen = False
        for v in x:
            seen = bool(v > 2) or seen
            n += seen
        return seen, n

    def harmonic(n: int) -> Any:
        total = 0
        for i in range(n):
            total += 1.0 / (i + 1)
        return total

    def grown(limit: float) -> Any:
        k = 1
        while k < limit:
            k = k * 1.5
        return k

    for one in (program, flags):
        check(one, *vectors(np.int64))
    check(harmonic, (0,), (1,), (4,))
    check(grown, (0.5,), (4.5,))


def test_a_scale_chosen_by_path_overflows_as_in_numpy() -> None:
    def program(x: Any, wide: bool) -> Any:
        scale = 1000 if wide else x[0]
        return x * scale

    check(program, (np.array([2, 3], np.uint8), True), (np.array([2, 3], np.uint8), False))


def test_a_position_that_is_an_int_or_an_element() -> None:
    def program(x: Any, positions: Any) -> Any:
        best = -1
        for p in positions:
            if x[p] > 2:
                best = p
        x[best] = 0
        return x[best:], x, [10, 20, 30, 40][best]

    for positions in ([0], [3, 0], [1, 2]):
        check(program, (np.array([1, 2, 3, 4]), np.array(positions, np.uint8)))


def test_a_guard_raises_with_the_number_that_it_is() -> None:
    def program(x: Any) -> Any:
        best = 300
        for v in x:
            if v > 2:
                best = v
        if best > 255:
            raise ValueError(f"nothing above 2: {best}")
        return best

    check(program, *vectors(np.uint8))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.float32, np.int64])
def test_lists_of_computed_length_keep_the_classes(dtype: Any) -> None:
    def appended(x: Any) -> Any:
        out = [1000]
        for v in x:
            if v > 2:
                out.append(v)
            else:
                out.append(0.25)
        return out, out[0] + out[-1], sum(out), len(out)

    def arrays(x: Any) -> Any:
        chosen = [v if v > 2 else -7.1 for v in x]
        pair = [v if v > 2 else 1000.1 for v in (x[0], x[-1])]
        return np.array(chosen), np.array(pair), np.array(chosen, np.float64), np.asarray(pair)

    def stack(x: Any) -> Any:
        held = [-0.1]
        for v in x:
            while held and held[-1] > v:
                held.pop()
            held.append(v)
        return held

    for one in (appended, arrays, stack):
        check_values(one, *vectors(dtype))


def test_lists_of_integers_are_sorted_and_searched() -> None:
    def program(x: Any) -> Any:
        ys = [-1 - int(v) if v > 2 else v for v in x]
        return sorted(ys), sorted(ys, reverse=True), 1 in ys, ys.count(-4), ys

    check(program, *vectors(np.uint8))


def test_an_element_type_that_python_ints_do_not_fit() -> None:
    def program(x: Any) -> Any:
        return np.array([v if v > 2 else 300 for v in x], np.uint8)

    check(program, *vectors(np.uint8), (np.array([7, 8], np.uint8),))


def test_comparisons_with_ints_that_uint64_does_not_have() -> None:
    def program(x: Any, k: int) -> Any:
        return x < k, k < x, x == k, x != -1, x > -1, x <= -1, x <= 10**30, x[0] > k, k >= x[0], x[0] == -5

    for k in (-1, 0, 3):
        check(program, (np.array([1, 3, 2**64 - 1], np.uint64), k))
