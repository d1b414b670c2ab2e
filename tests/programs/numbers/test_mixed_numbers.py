"""Numbers that are an int on one path and a float on another: `max(0, x)`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.programs.plain import check


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
