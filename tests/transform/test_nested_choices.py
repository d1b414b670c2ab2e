"""Choices of arrays inside of others, which are one where they choose the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Bool, Float64, Tensor, graph_program
from tests.programs.plain import check

Mask, Vector = Bool[Tensor, "n"], Float64[Tensor, "n"]
ARGUMENTS = (
    np.array([0, 1, 0, 1], bool),
    np.array([0, 0, 1, 1], bool),
    np.array([-0.0, 1, np.nan, 2]),
    np.array([-0.0, -0.0, 4, 5]),
)


def of_one_value(a: Mask, b: Mask, x: Vector, y: Vector) -> Any:
    return np.where(a, 0.0, np.where(b, 0.0, x))


def of_one_array(a: Mask, b: Mask, x: Vector, y: Vector) -> Any:
    return np.where(a, np.where(b, x, y), y)


def by_three_tests(a: Mask, b: Mask, x: Vector, y: Vector) -> Any:
    return np.where(a, -np.inf, np.where(b, -np.inf, np.where(np.isnan(x), -np.inf, x)))


def of_other_values(a: Mask, b: Mask, x: Vector, y: Vector) -> Any:
    return np.where(a, 1.0, np.where(b, 0.0, x))


def on_the_other_side(a: Mask, b: Mask, x: Vector, y: Vector) -> Any:
    return np.where(a, x, np.where(b, y, x))


def read_twice(a: Mask, b: Mask, x: Vector, y: Vector) -> Any:
    inner = np.where(b, 0.0, x)
    return np.where(a, 0.0, inner), inner


def by_one_test_for_all(a: Mask, b: Mask, x: Vector, y: Vector) -> Any:
    return np.where(a[1:2], x, np.where(b, x, y))


@pytest.mark.parametrize("fn", [of_one_value, of_one_array, by_three_tests])
def test_one_choice(fn: Callable[..., Any]) -> None:
    check(fn, ARGUMENTS, tuple(x[:0] for x in ARGUMENTS))
    assert choices(fn) == 1


@pytest.mark.parametrize("fn", [of_other_values, on_the_other_side, read_twice, by_one_test_for_all])
def test_two_choices(fn: Callable[..., Any]) -> None:
    check(fn, ARGUMENTS)
    assert choices(fn) == 2


def choices(fn: Callable[..., Any]) -> int:
    return graph_program(fn).explain("optimized").count("= where(")
