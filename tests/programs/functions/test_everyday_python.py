"""Small things that everyday code has: shapes in messages, partials, reduce, members of an IntEnum."""

from __future__ import annotations

import enum
import functools
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.fuzz.compare import call, difference


class Axis(enum.IntEnum):
    X = 0
    Y = 1


def shape_in_message(x: Any) -> Any:
    if x[0] > 1:
        raise ValueError(f"bad {x.shape} {[x[0], 2]}")
    return x


def partial_and_reduce(x: Any) -> Any:
    plus_two = functools.partial(np.add, 2.0)
    return functools.reduce(lambda a, b: a * b, [plus_two(x), x, x * 2], 1.0)


def members(x: Any) -> Any:
    return x[Axis.Y] * Axis.Y + Axis.X, x + Axis.Y


@pytest.mark.parametrize("fn", [shape_in_message, partial_and_reduce, members])
@pytest.mark.parametrize("x", [np.array([0.5, 2.0]), np.array([3.0, 1.0, 2.0])])
def test_same_as_python(fn: Any, x: Any) -> None:
    assert difference(call(fn, (x,)), call(graph_program(fn), (x,))) is None
