"""Programs whose ways end early: by a jump, by an exception behind it, by tests that are known only later."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

X = np.array([0.5, -1.0, -2.5, 4.0])


def raised_among_functions_of_a_comprehension(n: int, k: int) -> Any:
    try:
        n -= sum([(lambda a, b=2: a * b)(n // k) for _ in range(3)])
    except ZeroDivisionError:
        n = 2
    total = 0
    for i in range(n):
        total += i
    return total


def recursion_among_functions_of_a_comprehension(n: int, d: int) -> Any:
    if d <= 0:
        return 1
    return sum([(lambda a: a + n)(recursion_among_functions_of_a_comprehension(n, d - 1)) for _ in range(2)])


def three_deep(n: int) -> Any:
    return recursion_among_functions_of_a_comprehension(n, 3)


def test_functions_of_a_comprehension() -> None:
    check(raised_among_functions_of_a_comprehension, (3, 1), (3, 0), (-9, 1))
    check(three_deep, (3,), (0,))


def a_list_returned_from_try(n: int, values: list[float], s: float) -> Any:
    for k in range(n % 4):
        try:
            s = math.sqrt(s)
            return values, k, n
        except IndexError:
            pass
    if s < 0.5:
        values.sort()
    return None


def a_list_returned_through_finally(n: int, values: list[float], s: float) -> Any:
    if n > 3:
        try:
            s = math.sqrt(s)
            return values, n
        finally:
            s = s + 1
    if s < 0.5:
        values.sort()
    return values, s


def test_lists_that_leave_a_block() -> None:
    for program in (a_list_returned_from_try, a_list_returned_through_finally):
        check(program, (7, [-2.0, -3.0], 1.5), (0, [-2.0, -3.0], 0.25), (0, [-2.0, -3.0], 1.5))


def a_round_that_always_raises(x: Any) -> Any:
    rest = [v + 1 for v in x]
    s = rest.pop()
    for _ in range(2):
        s += math.sqrt(-2.0)
    return 0.0 + s


def used_behind_a_test_of_constants(x: Any, k: int) -> Any:
    y = x[k]
    if np.array([1, 2, 3]).sum() > 50:
        return y
    return np.float64(0.0)


def used_in_rounds_behind_a_test_of_constants(x: Any, k: int) -> Any:
    y, z = x[k], np.float64(0.0)
    for _ in range(2):
        if np.array([3.0])[0] > 4:
            z = z + y
    return z


def written_before_what_always_raises(x: Any, n: int, k: int) -> Any:
    for i in range(2):
        x[k] -= i
    largest = max(n for _ in range(n % 4) if bool(np.all(np.array([False, True]))))
    return x * largest


def chosen_by_constants(x: Any, k: int) -> Any:
    y = x[k]
    return np.where(np.array([1.0, 2.0]).sum() > 5, y, 0.5) + 1


@pytest.mark.filterwarnings("ignore")
def test_an_index_outside_comes_before_what_ends_the_program() -> None:
    check(a_round_that_always_raises, (X,), (np.zeros(0),))
    for program in (used_behind_a_test_of_constants, used_in_rounds_behind_a_test_of_constants, chosen_by_constants):
        check(program, (X, 1), (X, -4), (X, 4))
    check(written_before_what_always_raises, (X, 3, 1), (X, 3, 4), (X, 4, 0))


def a_round_that_always_returns(x: Any, k: int) -> Any:
    for i in range(3):
        for j in range(4):
            x = x + j
            break
        return x[k] + i
    return None


def test_loops_left_in_their_first_round() -> None:
    check(a_round_that_always_returns, (X, 1), (X, 7))
