"""Fractions and decimals that are known: numbers for `float`, `math` and the other functions of numbers."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from tests.programs.plain import Cases, check

pytestmark = pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
HALF, QUARTER = Fraction(1, 2), Decimal("0.25")
X = np.array([1.0, 2.0])
cases = Cases()


@cases((X,))
def as_floats(x):
    return float(Fraction(1, 2)) * x, float(QUARTER) * x, float(Decimal("0.5")) + x, np.array([float(HALF)] * 2)


@cases((X,))
def in_math(x):
    both = math.pow(HALF, x[0]), math.hypot(HALF, x[1]), math.fsum([HALF, x[0]])
    return math.sqrt(Fraction(1, 4)) * x, math.floor(Fraction(7, 2)), math.ceil(QUARTER), math.trunc(-HALF), both


@cases((X,))
def in_functions_of_numbers(x):
    rounded = round(Fraction(7, 2)), round(QUARTER, 1), divmod(Fraction(7, 2), 1)
    return int(Fraction(7, 2)), abs(-HALF), complex(HALF), complex(HALF, x[0]), bool(Fraction(0)), rounded


@cases((X,))
def negative(x):
    try:
        return math.sqrt(-HALF)
    except ValueError as error:
        return str(error), HALF.numerator * x


@cases((X,))
def operators(x):
    scaled = HALF * x  # an array of objects
    return [float(v) for v in scaled], float(x[0]) * HALF, x[0] > HALF, x[0] == HALF, HALF + 1, Fraction(1, 3) == HALF


@cases.each
def test_known_fractions_and_decimals(fn, inputs):
    check(fn, *inputs)
