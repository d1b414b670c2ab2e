"""Arguments of subclasses of `int` and `float`: numbers wherever an operand is taken, of their class else."""

from __future__ import annotations

import enum
import threading
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, GraphProgramError, Tensor, graph_program
from tests.programs.plain import check

X = np.arange(1.0, 5.0)


class Count(int):
    pass


class Ratio(float):
    @property
    def percent(self) -> float:
        return self * 100


class Odd(int):
    def __mul__(self, other: Any) -> Any:
        return other * 2 + int(self)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


def operands(x: Float64[Tensor, "n"], k: int) -> Any:
    return x * k, k - x, x > k, x.sum() / k, np.maximum(x, k)


def positions(x: Float64[Tensor, "n"], k: int) -> Any:
    return x[k], x[:k], x[int(k) - 1 :], np.full(k, 2.0), np.roll(x, k)


def alone(x: Float64[Tensor, "n"], k: Any) -> Any:
    total = 0.0
    for i in range(int(k)):
        total += x[i] * k
    return k + 1, k * 2, isinstance(k, Count), total


@pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
@pytest.mark.parametrize("function", [operands, positions, alone])
@pytest.mark.parametrize("k", [3, Count(3), Count(1), Level.HIGH])
def test_ints(function: Any, k: int) -> None:
    check(function, (X, k))


@pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
def test_floats() -> None:
    def scaled(x: Float64[Tensor, "n"], k: float) -> Any:
        return x * k, x < k, k.percent * x

    check(scaled, (X, Ratio(2.5)))


def test_classes_with_operators_of_their_own_are_refused() -> None:
    with pytest.raises(GraphProgramError, match="GP520"):
        graph_program(operands)(X, Odd(3))


class Opened:
    def __init__(self) -> None:
        self.lock = threading.Lock()


@pytest.mark.parametrize("k", [Count(3), Opened()])
def test_what_stays_on_the_host_is_returned_as_it_came(k: Any) -> None:
    """Also where the program does nothing on the host; an element of the first array came."""
    assert graph_program(lambda x, k: k)(X, k) is k
    given, y = graph_program(lambda x, k: (k, x + 1))(X, k)
    assert given is k and np.array_equal(y, X + 1)
