"""Less usual ways to say what has a graph form: shifts as an array, `x.flat = v`, `x.__getitem__` as a key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.programs.plain import Cases, check

cases = Cases()


@cases((np.arange(5),), (np.arange(6).reshape(2, 3),))
def rolled(x):
    return np.roll(x, np.array([1, 2])), np.roll(x, [1, 2]), np.roll(x, np.array([3]), axis=0)


@cases((np.arange(6.0).reshape(2, 3), 3), (np.zeros((0, 2)), 1.5), (np.arange(3), 7))
def filled(x, v):
    x.flat = v
    x[:1].T.flat = v + 1
    return x


@cases((np.array([3.0, 1.0, 2.0]),), (np.zeros(0),))
def ordered(x):
    return sorted(range(len(x)), key=x.__getitem__)


@cases((np.array([3.0, 1.0, 2.0]), 1))
def items(x, i):
    rows, table = [x, x + 1], {"a": 1, "b": x}
    return x.__getitem__(i), rows.__getitem__(0), list(map(table.__getitem__, ["b", "a"])), x.__getitem__(slice(1))


@cases.each
def test_like_numpy(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)


def test_shifts_of_two_axes() -> None:
    check(lambda x, s: np.roll(x, s, axis=(0, 1)), (np.arange(6).reshape(2, 3), 1))
    check(lambda x: np.roll(x, np.array([1, -1]), axis=(0, 1)), (np.arange(6).reshape(2, 3),))
