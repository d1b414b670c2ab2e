"""The functions of `math` on graph values, against Python: value, class, exception."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.stage.oracle import run, same

INF, NAN = math.inf, math.nan
FLOATS = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.5, 3.7, 1e-300, 800.0, 1e5, -1e5, INF, -INF, NAN]


def program(name, count):
    """A program that calls one function of `math`."""
    function = getattr(math, name)

    def one(x):
        return function(x)

    def two(x, y):
        return function(x, y)

    return one if count == 1 else two


ONE = [
    "sqrt",
    "log",
    "log2",
    "log10",
    "log1p",
    "acos",
    "asin",
    "atan",
    "acosh",
    "asinh",
    "atanh",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "cbrt",
    "isnan",
    "isinf",
    "isfinite",
    "degrees",
    "radians",
    "floor",
    "ceil",
    "trunc",
    "modf",
]
TWO = ["atan2", "copysign", "pow", "fmod", "remainder", "hypot", "isclose", "log"]
BIG = ("floor", "ceil", "trunc")


@pytest.mark.parametrize("name", ONE)
def test_of_one_float(name):
    for x in FLOATS:
        same(program(name, 1), x)


@pytest.mark.parametrize("name", ONE)
def test_of_other_numbers(name):
    for x in (2, 0, -3, True, np.float32(0.5), np.float64(-2.0), np.int32(1), np.bool_(True), np.array(0.5)):
        same(program(name, 1), x)


@pytest.mark.parametrize("name", TWO)
def test_of_two(name):
    for x in FLOATS:
        for y in (0.0, -0.0, 0.25, 1.0, -1.0, 2.0, 3.0, 400.0, INF, -INF, NAN):
            same(program(name, 2), x, y)


def test_remainder_is_exact():
    for x in (5.0, 7.5, -7.5, 1e300, 10.0, 2.5):
        for y in (3.0, 1.0, 2.5, -4.0, 5.0):
            same(program("remainder", 2), x, y)


@pytest.mark.parametrize(
    "n", [0, 1, 2, 3, 4, 24, 25, 26, 2**52 - 1, 2**62, 3037000499**2, 3037000499**2 - 1, 2**63 - 1, -1]
)
def test_isqrt(n):
    same(program("isqrt", 1), n)


def test_of_several():
    def f(x, y, z):
        return math.hypot(x, y, z), math.dist((x, y), (y, z)), math.prod([x, y, z]), math.prod([x, 2], start=3)

    same(f, 1.0, 2.0, 3.0)


def test_prod_of_array():
    def f(x):
        return math.prod(x)

    same(f, np.array([1.5, 2.0]))
    same(f, np.array([2, 3], np.int32))


def test_tolerances():
    def f(x, y, t):
        return math.isclose(x, y, rel_tol=0.1), math.isclose(x, y, abs_tol=t)

    same(f, 1.0, 1.05, 0.01)
    same(f, 1.0, 1.05, -0.01)


def test_static():
    def f():
        return math.gamma(5.0), math.gcd(12, 18), math.pi, math.sqrt(2), math.fsum([0.1] * 10), math.comb(5, 2)

    def g():
        return math.sqrt(-1)

    same(f)
    same(g)


def test_type_errors():
    same(program("sqrt", 1), "a")
    same(program("sqrt", 1), None)
    same(program("floor", 1), "a")
    same(program("sqrt", 1), np.ones(3))


def test_half_static():
    def f(x):
        return math.pow(x, 2), math.log(x, 10), math.atan2(1, x), math.hypot(x), math.hypot()

    same(f, 3.0)
    assert run(f, 3.0)[0] == 9.0
