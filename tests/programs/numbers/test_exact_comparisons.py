"""Comparisons of Python's ints with its floats: exact, also where the int is no float."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor
from tests.programs.plain import check
from tests.transform.sessions import compared

INTS = [0, 1, -1, 2**53 - 1, 2**53, 2**53 + 1, -(2**53), -(2**53) - 1, 2**54 + 1, 2**54 + 3, 2**62 + 1]
INTS += [2**63 - 1, 2**63 - 512, 2**63 - 513, -(2**63), -(2**63) + 1]
FLOATS = [0.0, -0.5, 2.5, 2.0**53, 2.0**53 + 2, -(2.0**53), 2.0**54, 2.0**62, 2.0**63, -(2.0**63), 1e23, 1e300]
FLOATS += [float("inf"), -float("inf"), float("nan")]


def both(n: int, f: float) -> Any:
    return n == f, n != f, n < f, n <= f, n > f, n >= f, f == n, f != n, f < n, f <= n, f > n, f >= n


def with_known_floats(n: int) -> Any:
    limit = 9007199254740992.0
    return (
        (n == 2.5, n != 2.5, n < 2.5, n >= 2.5, n > -2.5, n <= -2.5),
        (n == limit, n != limit, n < limit, n <= limit, n > limit, limit < n),
        (n < 1e30, n > -1e30, n >= 1e30, n == 1e30, n < 9223372036854775808.0, n >= -9223372036854775808.0),
        (n == float("inf"), n < float("inf"), n > -float("inf"), n < float("nan"), n != float("nan")),
    )


def with_known_ints(f: float) -> Any:
    n = 9007199254740993
    return (
        (f == n, f != n, f < n, f <= n, f > n, f >= n, n < f, n >= f),
        (f < 10**30, f >= 10**30, f == 10**23, f != 10**23, f <= 2**63, f > -(2**63) - 1),
        (f < 10**400, f > 10**400, f == 10**400, f != -(10**400), f >= -(10**400)),
    )


def elsewhere(n: int, f: float) -> Any:
    return f in (n, n + 1), [n + 1, f].index(f), (n, 1) == (f, 1), [n, 2] < [f, 1], int(f) == f, round(f) <= f


def of_numpy(n: int, x: np.ndarray) -> Any:
    """NumPy compares these as floats."""
    return n == x[0], n < x[0], (x >= n).sum()


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (both, [(n, f) for n in INTS for f in FLOATS]),
        (with_known_floats, [(n,) for n in INTS]),
        (with_known_ints, [(f,) for f in FLOATS]),
        (elsewhere, [(2**53 + 1, 2.0**53), (3, 3.0), (2**54 + 3, 2.0**54 + 4), (-7, -7.5)]),
        (of_numpy, [(n, np.array([f, 1.0])) for n in INTS for f in FLOATS]),
    ],
)
def test_comparisons_are_pythons(function: Callable[..., Any], inputs: list[tuple[Any, ...]]) -> None:
    check(function, *inputs)


def counted(f: float) -> Any:
    n = 0
    while n < f:
        n += 1
    return n


def share(x: Float64[Tensor, "n"], f: float) -> Any:
    found = 0
    for v in x:
        if v > 1.0:
            found += 1
    return found > f


def test_what_is_counted_is_a_float() -> None:
    """Rounds do not come to an int that would be rounded: nothing is compared in parts."""
    for function, args in ((counted, (2.5,)), (share, (np.arange(3.0), 1.5))):
        assert "BitwiseAnd" not in str(compared(function, (args,)))
