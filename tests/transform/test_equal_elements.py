"""The pass that computes with one element instead of equal ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Float64, Int64, Tensor, graph_program
from tests.programs.plain import Cases, check
from tests.transform.sessions import compared

NUMBERS = ((2, 3), (-1, 3), (3, 3), (-4, 3), (np.iinfo(np.int64).max, 1))
SIZES = ((4, 1.5), (1, -0.0), (0, np.nan))

one = Cases()
"""Programs without an operation on the array, with arguments."""
each = Cases()
"""Programs that keep one."""


@one(*NUMBERS)
def is_any_outside(k: int, n: int) -> Any:
    places = np.full(3, k)
    return bool(np.any((places < -n) | (places >= n)))


@one(*NUMBERS)
def the_first_one(k: int, n: int) -> Any:
    places = np.full(3, k)
    return places[np.argmax(places >= n)]


@one(*((v,) for v in (1.5, -0.0, np.nan, np.inf)))
def extremes(v: float) -> Any:
    x = np.full((2, 3), np.float64(v) * 2)
    return x.max(), -(x.min())


@each(*SIZES)
def of_any_number_of_elements(n: int, v: float) -> Any:
    return bool(np.any(np.full(n, v) > 1))


@each(*((np.arange(3.0) * k,) for k in (0, 1, -1)))
def of_other_elements(x: Float64[Tensor, "3"]) -> Any:
    return bool(np.any(x + np.full(3, 2.0) > 3))


@each(*NUMBERS)
def one_is_written(k: int, n: int) -> Any:
    places = np.full(3, k)
    places[1] = n
    return bool(np.any(places >= n))


@each(*((k, np.arange(3)) for k in (1, 5)))
def the_array_is_stretched(k: int, x: Int64[Tensor, "3"]) -> Any:
    return np.full((2, 1), k) + x


@each(*((k, i) for k in (2, -1) for i in (0, 1, -1)))
def at_any_place(k: int, i: int) -> Any:
    return np.full(3, k)[i % 3]


OPERATIONS = ("any(", "max(", "min(", "argmax(", "take(", "add(", "greater_equal(")


def on_arrays(fn: Any, without: tuple[str, ...] = ()) -> int:
    """How many operations are left in a program that read an array."""
    lines = graph_program(fn, without=without).explain("optimized").splitlines()
    return sum(operation in line for line in lines for operation in OPERATIONS)


@one.each
def test_one_element_is_enough(fn: Any, inputs: Any) -> None:
    compared(fn, inputs)
    assert on_arrays(fn) < on_arrays(fn, ("equal_elements",))
    assert "full(" not in graph_program(fn).explain("optimized")


@each.each
def test_others_stay(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)
    assert on_arrays(fn) == on_arrays(fn, ("equal_elements",)) > 0


@one.each
def test_without_the_pass(fn: Any, inputs: Any) -> None:
    program = graph_program(fn, without=("equal_elements",))
    for args in inputs:
        np.testing.assert_array_equal(program(*args), fn(*args))


BEFORE = """\
    t.5: bool [3] = less(places, t.0)
    t.6: bool [3] = greater_equal(places, n)
    t.7: bool [3] = bitwise_or(t.5, t.6)
    t.8: np.bool = any(t.7, axes=(0,), keepdims=False)
"""
AFTER = """\
    t.5_1: bool [] = less(k, t.0)
    t.6_1: bool [] = greater_equal(k, n)
    t.7_1: bool [] = bitwise_or(t.5_1, t.6_1)
"""


def test_before_and_after() -> None:
    assert BEFORE in graph_program(is_any_outside, without=("equal_elements",)).explain("optimized")
    assert AFTER in graph_program(is_any_outside).explain("optimized")
