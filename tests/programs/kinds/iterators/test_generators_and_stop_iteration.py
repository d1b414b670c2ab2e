"""What leaves a generator expression is no StopIteration (PEP 479)."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs.plain import check

X = np.array([1.0, 2.0, 3.0])


def pick(v, k):
    if v[k] > 2:
        raise StopIteration(k)
    return v[k]


def summed(x, n: int):
    return sum(pick(x, k) for k in range(n))


def quantified(x, n: int):
    return any(pick(x, k) > 5 for k in range(n))


def filtered(x, n: int):
    return sum(1 for k in range(n) if pick(x, k) > 1)


def first(x, n: int):
    return next((pick(x, k) for k in range(n) if x[k] > 2.5), x[0])


def caught(x, n: int):
    try:
        return sum(pick(x, k) for k in range(n))
    except StopIteration:
        return -1.0
    except RuntimeError as error:
        return str(error)


def caught_inside(x, n: int):
    def safe(k):
        try:
            return pick(x, k)
        except StopIteration:
            return 0.0

    return sum(safe(k) for k in range(n))


def in_a_list(x, n: int):
    return [pick(x, k) for k in range(n)]


@pytest.mark.parametrize(
    "function", [summed, quantified, filtered, first, caught, caught_inside, in_a_list], ids=lambda f: f.__name__
)
def test_generator_expressions(function):
    check(function, (X, 2), (X, 3))
