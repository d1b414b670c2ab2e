"""Numbers that are an int on one path and a float on another: `max(0, x)`; ints that are compared with floats."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor
from tests.programs.plain import check
from tests.transform.sessions import compared


def clipped(v: Any, lo: Any = 0, hi: Any = 1) -> Any:
    return max(lo, min(hi, v))


def test_arithmetic_goes_on_with_the_class_that_the_number_has() -> None:
    def program(x: float) -> Any:
        a = clipped(x, 0, 100)
        b = a + 1
        c = clipped(b * 2 - a, 1, 3)
        d = a + b + c + a * b * c
        return a, b, c, d, a / 2, -a, abs(b), a > 3, a is None, a == 0

    check(program, (1.5,), (-1.5,), (0.0,), (300.0,))


def test_functions_of_numbers() -> None:
    def program(x: float) -> Any:
        u = clipped(x, 0, 5)
        return round(u), int(u), float(u), bool(u), math.sqrt(u), np.exp(u), isinstance(u, int), divmod(u, 2)

    check(program, (1.5,), (-1.5,), (9.0,))


def test_it_decides_and_is_written_into_arrays() -> None:
    def program(x: float, out: Any) -> Any:
        u = clipped(x)
        out[0] = u
        out[1] += u
        out *= u
        if u:
            return u, out
        return out

    check(program, (0.5, np.ones(3)), (-0.5, np.ones(3)), (7.0, np.ones(3, np.float32)))


def test_smoothstep_with_integer_bounds() -> None:
    def program(x: float) -> Any:
        t = clipped((x - 1) / 2)
        return t * t * (3 - 2 * t)

    check(program, (0.0,), (1.5,), (9.0,))


def test_a_message_has_the_class() -> None:
    def program(x: float) -> Any:
        u = clipped(x)
        if u >= 1:
            raise ValueError(f"at the limit {u}")
        return u

    check(program, (0.5,), (1.0,), (7.0,))


def test_a_step_count_or_a_rate() -> None:
    def program(x: float) -> Any:
        rate = 1 if x < 0 else 0.5
        return rate * 3, rate / 2, rate in (1, 2), rate * np.ones(2)

    check(program, (1.0,), (-1.0,))


def test_it_enters_a_loop_as_a_float() -> None:
    def program(x: float, n: int) -> Any:
        u = clipped(x)
        for _ in range(n):
            u += 1.5
        return float(u)

    check(program, (0.5, 3), (-1.0, 2), (9.0, 0))


def test_a_loop_carries_it_as_a_float() -> None:
    def program(x: float, n: int) -> Any:
        u = max(0, x)
        if x > 1:
            u = max(1, u + n)
        for k in range(n):
            u = max(2, u - k) if k % 2 else max(0, u - 0.5)
        return u * 1.0

    check(program, (2.5, 4), (-2.5, 4), (2.5, 0))


def test_an_exception_keeps_it() -> None:
    def program(x: float, n: int) -> Any:
        try:
            u = max(0, x)
            if n == 0:
                raise ValueError(u)
            return 10 / u
        except ZeroDivisionError as error:
            return str(error)
        except ValueError as error:
            return error.args[0]

    check(program, (2.5, 4), (-2.5, 4), (2.5, 0), (-2.5, 0))


def test_a_value_of_other_kinds_is_not_taken_for_what_it_was_before_a_loop() -> None:
    def program(x: Any, n: int) -> Any:
        u = x if x[1] > 2 else x[0]
        for k in range(n):
            u = x + k
        return u

    for x in (np.ones(2), np.array([1.0, 3.0])):
        check(program, (x, 0), (x, 1), (x, 3))


INTS = [0, 1, -1, 2**53 - 1, 2**53, 2**53 + 1, -(2**53), -(2**53) - 1, 2**54 + 1, 2**54 + 3, 2**62 + 1]
INTS += [2**63 - 1, 2**63 - 512, 2**63 - 513, -(2**63), -(2**63) + 1]
FLOATS = [0.0, -0.5, 2.5, 2.0**53, 2.0**53 + 2, -(2.0**53), 2.0**54, 2.0**62, 2.0**63, -(2.0**63), 1e23, 1e300]
FLOATS += [float("inf"), -float("inf"), float("nan")]


def both(n: int, f: float) -> Any:
    return n == f, n != f, n < f, n <= f, n > f, n >= f, f == n, f != n, f < n, f <= n, f > n, f >= n


def with_known_floats(n: int) -> Any:
    limit = 9007199254740992.0
    return (
        (n == 2.5, n != 2.5, n < 2.5, n >= 2.5, n > -2.5, n <= -2.5),
        (n == limit, n != limit, n < limit, n <= limit, n > limit, limit < n),
        (n < 1e30, n > -1e30, n >= 1e30, n == 1e30, n < 9223372036854775808.0, n >= -9223372036854775808.0),
        (n == float("inf"), n < float("inf"), n > -float("inf"), n < float("nan"), n != float("nan")),
    )


def with_known_ints(f: float) -> Any:
    n = 9007199254740993
    return (
        (f == n, f != n, f < n, f <= n, f > n, f >= n, n < f, n >= f),
        (f < 10**30, f >= 10**30, f == 10**23, f != 10**23, f <= 2**63, f > -(2**63) - 1),
        (f < 10**400, f > 10**400, f == 10**400, f != -(10**400), f >= -(10**400)),
    )


def elsewhere(n: int, f: float) -> Any:
    return f in (n, n + 1), [n + 1, f].index(f), (n, 1) == (f, 1), [n, 2] < [f, 1], int(f) == f, round(f) <= f


def in_order(n: int, f: float) -> Any:
    items = [n, f, n - n // 2**62, float(n)]
    pairs = sorted([(n, 1), (f, 0), (float(n), 2)])
    return sorted(items), sorted(items, reverse=True), pairs, min(items), max(items)


def in_lists(n: int, f: float) -> Any:
    ints, floats = [n], [f]
    for k in range(2):
        ints.append(k)
        floats.append(0.5)
    both = ints + floats
    both.sort()
    return f in ints, n in floats, ints.count(f), floats.count(n), both, max(both), ints.index(f)


def of_numpy(n: int, x: np.ndarray) -> Any:
    """NumPy compares these as floats."""
    return n == x[0], n < x[0], (x >= n).sum()


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (both, [(n, f) for n in INTS for f in FLOATS]),
        (with_known_floats, [(n,) for n in INTS]),
        (with_known_ints, [(f,) for f in FLOATS]),
        (elsewhere, [(2**53 + 1, 2.0**53), (3, 3.0), (2**54 + 3, 2.0**54 + 4), (-7, -7.5)]),
        (in_order, [(n, f) for n in INTS for f in FLOATS if not math.isnan(f)]),
        (in_lists, [(n, f) for n in INTS for f in FLOATS if not math.isnan(f)]),
        (of_numpy, [(n, np.array([f, 1.0])) for n in INTS for f in FLOATS]),
    ],
)
def test_comparisons_are_pythons(function: Callable[..., Any], inputs: list[tuple[Any, ...]]) -> None:
    check(function, *inputs)


def counted(f: float) -> Any:
    n = 0
    while n < f:
        n += 1
    return n


def share(x: Float64[Tensor, "n"], f: float) -> Any:
    found = 0
    for v in x:
        if v > 1.0:
            found += 1
    return found > f


def test_what_is_counted_is_a_float() -> None:
    """Rounds do not come to an int that would be rounded: nothing is compared in parts."""
    for function, args in ((counted, (2.5,)), (share, (np.arange(3.0), 1.5))):
        assert "BitwiseAnd" not in str(compared(function, (args,)))


def merged(n: int, f: float) -> Any:
    m = n if n > 0 else f
    large = max(n, f)
    return m == f, m != f, m < f, f <= m, large > f, large == f, m > 9007199254740992.0


def merged_in_loops(n: int, f: float) -> Any:
    m = n if n > 0 else f
    count = 0
    while m > f and count < 5:
        m -= 1
        count += 1
    return count


@pytest.mark.parametrize("function", [merged, merged_in_loops])
def test_numbers_of_either_class_are_compared_exactly(function: Callable[..., Any]) -> None:
    check(function, *((n, f) for n in INTS for f in FLOATS if f == f and abs(f) != float("inf")))
