"""Functions of lists and arrays whose length only the run tells, and slices of ranges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import LimitError, graph_program
from tests.programs.plain import Cases, check

cases = Cases()
XP, FP = np.array([190.0, -190, 350, -350]), np.array([5.0, 10, 3, 4])
BOUNDS = (None, 0, 1, 3, -1, -2, 9, -9)


@cases((np.array([-180.0, -170, -185, 185, -10, 400]), 360), (np.array([1.0, np.nan]), -90.5), (np.float64(7.0), 12.0))
def periodic(x, period):
    return np.interp(x, XP, FP, period=period, left=7.0)


@cases((np.array([1.0, 2.0]), np.zeros(0), np.zeros(0)), (np.zeros(1), np.ones(3), np.ones(2)))
def periodic_errors(x, xp, fp):
    return np.interp(x, xp, fp, period=2.0)


@cases((np.zeros(1),))
def no_period(x):
    return np.interp(x, XP, FP, period=0)


@cases(
    (np.array([1.0, -2.0, 3.0]), np.array([[1.0, 2.0]])),
    (np.array([1, 2]), np.array([3, 4])),
    (np.array([1, 2]), 2.5),
    (np.array([1, 2], np.int8), 3),
    (np.array([2.0]), np.arange(3)),
    (np.array([1j, 2.0]), np.arange(3.0)),
    (np.zeros(0), np.arange(3.0)),
    (np.array([True, True]), np.array([True, False])),
)
def polynomial(p, x):
    return np.polyval(p, x)


@cases((np.array([1.0, -2.0, 3.0]), 2), (np.array([1.0, 4.0]), np.float32(0.5)))
def chosen_coefficients(p, x):
    return np.polyval(p[p > 0], x), np.polyval(list(p), x)


@cases((0,), (1,), (4,), (5,))
def every_slice(n):
    found = []
    for a in BOUNDS:
        for b in BOUNDS:
            found.append((sum(range(n)[a:b:2]), len(range(n)[a:b]), list(range(2, n)[a:b:-1])))
    return found


@cases((4,), (0,))
def sliced(n):
    back = [2 * i for i in range(n)[::-1]]
    total = 0
    for i in range(n)[::2]:
        total += i
    return back, total, list(range(3, 3 * n, 3)[1:])


@cases((5, 1, -1), (3, -9, 9), (0, 0, 0))
def computed_bounds(n, a, b):
    return list(range(n)[a:b]), list(range(n)[b:a:-2])


@cases.each
def test_like_python(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)


def test_no_coefficients() -> None:
    with pytest.raises(LimitError, match="GP592"):
        graph_program(polynomial)(np.zeros(0), np.arange(3))


def test_a_number_that_is_there_for_certain_decides_the_type() -> None:
    def companion(x):
        return np.diag([1] * (x.shape[1] - 1) + [np.sign(x[0, 0])]), np.sum([0.5] + [2] * len(x))

    def appended(x):
        weights = [1] * len(x)
        weights.append(0.5)
        return np.mean(weights)

    check(companion, (np.ones((2, 3)),), (np.ones((1, 1)),))
    check(appended, (np.ones((2, 3)),), (np.ones((0, 3)),))


def test_a_number_that_was_replaced_decides_nothing() -> None:
    def replaced(x):
        weights = [1] * len(x) + [0.5]
        weights[-1] = 2
        return np.array(weights)

    def removed(x):
        weights = [1] * len(x) + [0.5]
        weights.pop()
        return np.array(weights), np.array(weights[:-1])

    check(replaced, (np.ones(2),))
    check(removed, (np.ones(2),))
    with pytest.raises(TypeError, match="GP444"):
        graph_program(lambda x: np.diag(([1] * len(x) + [0.5])[:-1]))(np.ones(2))
