"""`finally` on every way out of a `try`, and `with`."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from tests.programs.plain import check


def ways_out_of_a_round(x):
    total = 0.0
    count = 0
    for i in range(x.shape[0]):
        try:
            if x[i] < 0:
                continue
            if x[i] > 100:
                break
            if x[i] == 50:
                return total, count
            total += 1 / x[i]
        finally:
            count += 1
    return total, count


def return_overrides(n):
    try:
        try:
            return 10 // n
        finally:
            if n == 0:
                return -5  # noqa: B012
    except ZeroDivisionError:
        return 3


def nested_loops(n):
    out = 0
    for i in range(n):
        for j in range(n):
            try:
                if j == 2:
                    break
                if i == 3:
                    continue
                out += 1
            finally:
                out += 10
        else:
            out += 100
    return out


def suppressed(n):
    with contextlib.suppress(ZeroDivisionError, ValueError):
        return 1 // n
    return -1


class Guard:
    def __init__(self):
        self.log = 0

    def __enter__(self):
        self.log += 1
        return self

    def __exit__(self, kind, error, trace):
        self.log += 10
        return kind is ValueError


def own_context(n):
    guard = Guard()
    with guard as g, contextlib.nullcontext(), np.errstate(all="ignore"):
        g.log += 100
        if n == 1:
            raise ValueError("x")
        if n == 2:
            raise KeyError("y")
        if n == 3:
            return -1
    return guard.log


@pytest.mark.parametrize(
    "function, inputs",
    [
        (ways_out_of_a_round, [(np.array(x),) for x in ([1.0, 2, -1, 4], [1.0, 200, -1], [1.0, 50, 3])]),
        (return_overrides, [(2,), (0,)]),
        (nested_loops, [(n,) for n in range(6)]),
        (suppressed, [(1,), (0,)]),
        (own_context, [(n,) for n in range(4)]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_like_python(function, inputs) -> None:
    check(function, *inputs)
