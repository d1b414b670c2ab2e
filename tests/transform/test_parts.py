"""The pass that makes operations on parts of an array operations on the array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Int64, Tensor, graph_program
from tests.programs.plain import Cases, check

Eight = Float64[Tensor, "8"]
ARRAYS = (
    (np.array([1.0, -2, np.nan, 0, -0.0, np.inf, -np.inf, 1e300]), 2.0),
    (np.arange(8.0), -1.0),
)

joined = Cases()
"""Programs that have `exp` once, with arguments."""
apart = Cases()
"""Near misses, which have it twice."""


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


@joined(*ARRAYS)
def gates(x: Eight, a: float) -> Any:
    return sigmoid(x[:2]) * a, x[2:4] * a, sigmoid(x[4:])


@joined(*ARRAYS)
def with_numbers(x: Eight, a: float) -> Any:
    return np.exp(x[4:8] / a), np.exp(x[0:4] / a)


@joined(*ARRAYS)
def in_a_loop(x: Eight, a: float) -> Any:
    total = np.zeros(4)
    for k in range(3):
        y = x * k
        total = total * np.exp(y[:4]) + np.exp(y[4:]) * (a > 0)
    return total


@joined((np.arange(12.0).reshape(2, 6),), (np.zeros((2, 6)),))
def along_another_axis(x: Float64[Tensor, "2 6"]) -> Any:
    return np.exp(x[:, :3]) + np.exp(x[:, 3:])


@apart(*ARRAYS)
def one_in_a_branch(x: Eight, a: float) -> Any:
    y, z = x[:4], x[4:]
    if a > 0:
        z = np.exp(z)
    return np.exp(y), z


@apart(*ARRAYS)
def overlapping(x: Eight, a: float) -> Any:
    return np.exp(x[:5]), np.exp(x[3:])


@apart(*ARRAYS)
def few_elements(x: Eight, a: float) -> Any:
    return np.exp(x[:1]), np.exp(x[6:8])


@apart(*ARRAYS)
def other_numbers(x: Eight, a: float) -> Any:
    return np.exp(x[:4] * a), np.exp(x[4:] * 2)


@apart(*ARRAYS)
def strides(x: Eight, a: float) -> Any:
    return np.exp(x[::2]), np.exp(x[1::2])


@apart(*(((np.arange(n, dtype=float)),) for n in (8, 3, 0)))
def of_unknown_size(x: Float64[Tensor, "n"]) -> Any:
    return np.exp(x[:4]), np.exp(x[4:])


def exponentials(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> int:
    check(fn, *inputs)
    nodes = graph_program(fn).explain("optimized")
    return nodes.count("= exp(")


@joined.each
def test_parts_are_computed_at_once(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert exponentials(fn, inputs) == 1


@apart.each
def test_parts_that_are_not_most_of_an_array_stay(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert exponentials(fn, inputs) == 2


@pytest.mark.parametrize("exponent", [3, -1])
def test_integers_stay(exponent: int) -> None:
    def program(x: Int64[Tensor, "4"], k: int) -> Any:
        return x[:2] ** k, x[2:] // k if k > 0 else x[2:]

    check(program, (np.array([1, 2, 3, -4]), exponent))
