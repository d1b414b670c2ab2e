"""A choice between integers that are equal where it is the first of them is no choice (`simplify`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Float64, Int64, Tensor, graph_program
from tests.programs.plain import Cases, check

Vector = Int64[Tensor, "n"]
VECTORS = tuple(
    (np.array(x, np.int64), np.array(y, np.int64)) for x, y in (([1, 2], [1, 2]), ([1, 2], [1, 3]), ([], []))
)
NUMBERS = ((1, 1), (1, 2), (0, -1))
FLOATS = ((0.0, -0.0), (-0.0, 0.0), (np.nan, 1.0), (2.0, 2.0))

chosen = Cases()
"""Programs without a choice, with arguments."""
kept = Cases()


@chosen(*NUMBERS)
def numbers(a: int, b: int) -> Any:
    return a if a == b else b


@chosen(*NUMBERS)
def numbers_that_differ(a: int, b: int) -> Any:
    return a if b != a else b


@chosen(*VECTORS)
def element_by_element(a: Vector, b: Vector) -> Any:
    return np.where(a == b, a, b)


@chosen(*VECTORS)
def arrays(a: Vector, b: Vector) -> Any:
    return a if np.all(a == b) else b


@chosen(*VECTORS)
def arrays_that_differ(a: Vector, b: Vector) -> Any:
    return a if np.any(a != b) else b


@chosen(*((*given, 5) for given in VECTORS))
def until_nothing_changes(a: Vector, b: Vector, most: int) -> Any:
    for _ in range(most):
        new = np.minimum(a, b) + 1
        if np.array_equal(new, a):
            break
        a = new
    return a


@kept(*((np.array([1.0, -0.0]), np.array(x)) for x in ([1.0, 0.0], [np.nan, 0.0])))
def floats_have_two_zeros(a: Float64[Tensor, "n"], b: Float64[Tensor, "n"]) -> Any:
    return a if np.all(a == b) else b


@kept(*FLOATS)
def a_float_has_two_zeros(a: float, b: float) -> Any:
    return a if a == b else b


@kept(*VECTORS)
def some_are_the_same(a: Vector, b: Vector) -> Any:
    return a if np.any(a == b) else b


@kept(*((*given, 1) for given in NUMBERS))
def others_are_chosen(a: int, b: int, c: int) -> Any:
    return a if a == b else c


def choices(fn: Any, without: tuple[str, ...] = ()) -> int:
    """How many choices are left in a program."""
    text = graph_program(fn, without=without).explain("optimized")
    return text.count("= if ") + text.count("where(")


@chosen.each
def test_there_is_no_choice(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)
    assert not choices(fn) and choices(fn, ("simplify",))


@kept.each
def test_others_stay(fn: Any, inputs: Any) -> None:
    program = check(fn, *inputs)
    assert choices(fn)
    for args in inputs:
        found, expected = (np.asarray(result, np.float64) for result in (program(*args), fn(*args)))
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
