"""An operand that may be a view waits while a later operand of the same expression writes to what it is a view of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check


def write(q: Any) -> Any:
    q[0] = 9
    return q


def write_or_not(q: Any, n: int) -> Any:
    if n > 3:
        return q * 2
    q[0] = 9
    return q.reshape(4)


def difference(x, y, n):
    return x.ravel() - write(x)


def call(x, y, n):
    return np.subtract(x.ravel(), write_or_not(x, n), out=x)


def stacked(x, y, n):
    return np.stack([x.ravel(), write(x)])


def kept(x, y, n):
    return (x.T.ravel(), write(x))[0], {"a": y.ravel(), "b": write(y)}["a"]


def function(x, y, n):
    return (lambda a, b: a - b)(np.ravel(x), write(x))


def chosen(x, y, n):
    return (x if n > 0 else y) - write(x), ((x if n > 0 else y) * 2) @ write(y)


def in_rounds(x, y, n):
    for k in range(n):
        x[:2] += np.ravel(y)[:2] + write(y)[2:] - k
    return [x.ravel().sum() + write(x)[0] for _ in range(n)]


def in_largest(x, y, n):
    return max(x.ravel(), write(x), key=lambda v: v[0])


PROGRAMS = [difference, call, stacked, kept, function, chosen, in_rounds, in_largest]


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_python(program: Any) -> None:
    base = np.arange(12.0).reshape(3, 4)
    check(program, (base[1], base[2], 0), (base[1], base[2], 2), (base[1], base[2], 5))
    apart = np.arange(12.0).reshape(4, 3)
    check(program, (apart[:, 0].copy(), apart[:, 1].copy(), 2))
