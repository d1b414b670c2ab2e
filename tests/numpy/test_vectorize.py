"""`np.vectorize` in a program: a loop over the elements of what is broadcast."""

from __future__ import annotations

import math

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check, check_shown

X, NONE = np.array([1.0, 2.0, 3.0, -1.0]), np.zeros(0)
I = np.array([[1, 2, 3], [4, 5, 6]])  # noqa: E741


def clipped(v, lo, hi=1.0):
    if v < lo:
        return lo
    return min(v, hi)


def branches(x):
    h = np.vectorize(lambda v: v * 2 if v > 1 else 0.5)
    return h(x), np.vectorize(clipped)(x, 1.5), np.vectorize(clipped, otypes=[np.float32])(x, 1.5, hi=2.0)


def excluded(x):
    return np.vectorize(lambda k, t: sum(t) * k, excluded=[1])(x, [1.0, 2.0, 3])


def several_exits(x):
    def sign(v):
        if v > 0:
            return 1
        if v < 0:
            return -1
        return 0

    return np.vectorize(sign)(x)


def given_types(x):
    return np.vectorize(lambda v: 0 if v < 0 else v, otypes=[float])(x), np.vectorize(abs, otypes="f")(x)


def broadcast(x, y):
    return np.vectorize(lambda a, b: a - b if a > b else a + b)(x[:, None], y)


def of_rank_0(v: float):
    return np.vectorize(lambda a: a + 1.0)(v)


def of_builtins(n):
    return np.vectorize(math.gcd)(n, 12), np.vectorize(math.sqrt)(n)


def raises(n):
    return np.vectorize(lambda v: 1 / v)(n)


def told(x):
    def two(v):
        print("at", v)
        return int(v), v / 2

    return np.vectorize(two)(x)


def told_once(x):
    def large(v):
        print("at", v)
        return v > 1

    return np.vectorize(large, cache=True)(x)


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (branches, [(X,)]),
        (excluded, [(X,)]),
        (several_exits, [(X,), (I,)]),
        (given_types, [(X,), (NONE,)]),
        (broadcast, [(X, X), (I[0], I[1])]),
        (of_rank_0, [(1.5,)]),
        (of_builtins, [(I,)]),
        (raises, [(I,), (np.array([1, 0]),)]),
    ],
)
def test_values(function, calls):
    check(function, *calls)


@pytest.mark.parametrize("function", [told, told_once])
@pytest.mark.parametrize("x", [X, NONE], ids=["elements", "none"])
def test_calls(function, x, capsys):
    check_shown(function, (x,), capsys)


def test_a_type_that_depends_on_the_elements_is_refused():
    def positive(x):
        return np.vectorize(lambda v: 0 if v < 0 else v)(x)

    with pytest.raises(GraphProgramError, match=r"GP321.*depends on the elements(.|\n)*otypes=\[float\]"):
        graph_program(positive)(X)


def test_signatures_are_refused():
    def norms(x):
        return np.vectorize(lambda r: (r * r).sum(), signature="(n)->()")(x)

    with pytest.raises(GraphProgramError, match=r"GP321.*signature"):
        graph_program(norms)(X)
