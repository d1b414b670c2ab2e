"""What NumPy says of outputs and operands that do not fit, what it gives at the edges, and forms in several steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

Array = np.ndarray[Any, Any]
X = np.arange(24.0).reshape(4, 6)


def test_an_output_of_round_has_as_many_elements() -> None:
    def rounded(x: Array, out: Array) -> Any:
        return np.round(x, 0, out)

    check(rounded, (X / 3, np.zeros((4, 6))), (X, np.zeros((2, 6))), (X[0], np.zeros(5)))


def test_operands_of_an_iterator() -> None:
    def pairs(x: Array, y: Array) -> Any:
        found = []
        for a, b in np.nditer((x, y)):
            found.append(a.item() - b.item())
        return found

    fortran = np.asfortranarray(X)
    check(pairs, (X, X[0]), (X[0], X[0, :2]), (fortran, fortran), (X.T, X.T))


def test_windows_over_one_axis_twice() -> None:
    def windows(x: Array) -> Any:
        return np.lib.stride_tricks.sliding_window_view(x, (2, 3, 2), (0, 1, 0))

    check(windows, (X,), (X[:2],))


def test_keywords_that_are_an_int_or_a_float() -> None:
    def steps(x: float) -> Any:
        return np.arange(7, step=max(1, abs(x)))

    check(steps, (0.5,), (5.5,), (-3.0,))


def test_shapes_of_texts() -> None:
    def told(x: Any) -> Any:
        return np.shape(x), np.size(x), np.ndim(x)

    check(told, ("text",), (X,), ([1.0, 2.0],), (3,))


def test_a_value_with_more_axes_than_the_place_it_goes_to() -> None:
    """Leading axes of one element are dropped, and are not in what NumPy says of the rest."""

    def column(x: Array, y: Array) -> Any:
        x[:, 0] = y
        return x

    def filled(x: Array, y: Array) -> Any:
        return np.full(x.shape[:1], y), np.full_like(x, y, shape=(4,)), np.full((4,), [[1, 2, 3, 4]])

    def number(x: Array, y: Array) -> Any:
        return np.full((), y)

    shapes = [(1, 4), (1, 1, 1), (1, 5), (1, 1, 5), (1, 2, 4), (2, 4), (2, 1, 5), (0, 4), (1, 0)]
    for function in (column, filled, number):
        check(function, *((X, np.ones(shape)) for shape in shapes))


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
