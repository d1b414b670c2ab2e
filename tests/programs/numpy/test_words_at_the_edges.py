"""What NumPy's functions give of the least integer, of no elements, of no parts, and which error comes first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

UNSIGNED = [np.uint8, np.uint16, np.uint64]


@pytest.mark.parametrize("dtype", [*UNSIGNED, np.int16, np.bool_])
def test_ones_everywhere_are_what_and_begins_with(dtype: Any) -> None:
    def reduced(x: Any) -> Any:
        return np.bitwise_and.reduce(x), np.bitwise_or.reduce(x)

    check(reduced, (np.array([12, 10, 14]).astype(dtype),), (np.zeros(0, dtype),))


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_divisors_of_the_least_integer(dtype: Any) -> None:
    def divisors(a: Any, b: Any) -> Any:
        return np.gcd(a, b), np.lcm(a, b)

    least = np.iinfo(dtype).min
    check(divisors, (np.array([5, 0, least, 6, least], dtype), np.array([least, least, least, 4, 3], dtype)))


def filled(n: int, value: int) -> Any:
    return np.full(n, value, np.uint8)


def filled_like(n: int, value: int) -> Any:
    return np.full_like(np.zeros(3, np.uint8), value, shape=n)


@pytest.mark.parametrize("function", [filled, filled_like])
def test_an_array_is_made_before_it_is_filled(function: Callable[..., Any]) -> None:
    check(function, (2, 3), (-1, 300), (2, 300), (-1, 3), (0, 3))


def test_no_parts() -> None:
    def parts(x: Any, k: int) -> Any:
        try:
            return np.split(x, 0)[0]
        except ZeroDivisionError as error:
            return x * k, str(error)

    check(parts, (np.ones(4), 3))
