"""The sign of zero, which a quotient, `np.signbit`, `np.copysign` and texts tell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program

Array = np.ndarray[Any, Any]
ZEROS = np.array([-0.0, 0.0, 1.0, -2.0])


def added(x: Array) -> Any:
    return x + 0.0, 0.0 + x, x - 0.0, x - -0.0, x + -0.0, 0.0 - x, -x + 0.0, x * 1.0 + 0, x + x.dtype.type(0)


def added_arrays(x: Array) -> Any:
    return x + np.zeros(1, x.dtype), x + np.zeros(4, x.dtype), x - np.zeros((1, 1), x.dtype)


def in_expressions(x: Array) -> Any:
    y = (-x + 0.0) * 2
    return 1 / (x + 0.0), np.copysign(3.0, y), np.signbit(x * 0.5 + 0.0), np.sqrt(np.abs(y)) - (-0.0)


def chosen(x: Array) -> Any:
    return np.where(x > 0.5, -0.0, x), np.where(x > -0.5, x, 0), np.where(x < 0, -0.0, -1.0), np.where(x < 0, 0.0, x)


def chosen_of_two_arrays(x: Array) -> Any:
    y, column, row = -x, x[:, None], -x[None]
    test = np.array([True, False, True, False])
    shapes = (test, test[:, None], test[:1], np.array(True), np.array(False), np.outer(test, test))
    pairs = ((x, y), (y, x), (column, row), (row, column), (x, row[:, :1]), (column[:1], x), (x[:1], y[:1]))
    return [np.where(c, a, b) for c in shapes for a, b in pairs]


def chosen_where_one_has_no_such_zero(x: Array) -> Any:
    test, one, size = np.array([True, False, True, False]), np.abs(x), (x * x)[:, None]
    both = [(one, x), (x, one), (size, x), (x, size), (one + x, x), (x, x * x), (x * 0.5 + one, -x), (size[:1], x[:1])]
    return [np.where(c, a, b) for c in (test, test[:, None], test[:1]) for a, b in both]


def chosen_numbers(x: Array) -> Any:
    v, w = x[0], x[1]
    return np.array(v if w <= 0 else w), np.array(v if w > 0 else w), np.array(w if v >= 0 else -w)


def spaced(x: Array) -> Any:
    return np.linspace(0, -1.0, 2), np.linspace(0, x[3], 3), np.linspace(x[0], x[2], 3)


def sums(x: Array) -> Any:
    total = x.dtype.type(0)
    for v in x[:2]:
        total += v
    return np.array(total), np.array([-0.0 + 0.0, x[0] + 0.0, 0.0 + x[0]]), np.array(x[0] + x[0])


CHOICES = [chosen, chosen_numbers, chosen_of_two_arrays, chosen_where_one_has_no_such_zero]


@pytest.mark.parametrize("function", [added, added_arrays, in_expressions, *CHOICES, spaced, sums])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_as_numpy(function: Any, dtype: Any) -> None:
    x = ZEROS.astype(dtype)
    with np.errstate(all="ignore"):
        wanted, found = function(x), graph_program(function)(x)
    for place, (want, got) in enumerate(zip(wanted, found, strict=True)):
        assert want.dtype == got.dtype and np.array_equal(want, got), place
        assert np.array_equal(np.signbit(want), np.signbit(got)), (place, want, got)


def test_as_text() -> None:
    def program(x: float) -> str:
        return f"{x + 0.0} {x - 0.0} {-x + 0.0}"

    assert graph_program(program)(-0.0) == program(-0.0) and graph_program(program)(0.0) == program(0.0)
