"""Objects of the user's classes, and members with methods of their own, where Python asks for a number."""

from __future__ import annotations

import enum
import math
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import Cases, check

Array = np.ndarray[Any, Any]
X = (np.array([1.0, 2.0]),)
Y = (np.array([2.0, 0.0]),)
cases = Cases()


class Given:
    """Gives what it holds wherever a number is asked for."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def given(self) -> Any:
        return self.held

    __float__ = __int__ = __len__ = __complex__ = given


class Position:
    def __init__(self, at: Any) -> None:
        self.at = at

    def __index__(self) -> int:
        return int(self.at)


class Angle:
    def __init__(self, degrees: Any) -> None:
        self.degrees = degrees

    def __float__(self) -> float:
        return float(self.degrees)


class Parts(Angle):
    def __floor__(self) -> Any:
        return "floor", self.degrees

    def __ceil__(self) -> Any:
        return "ceil"

    def __trunc__(self) -> Any:
        return -7


class Gain(float):
    def __abs__(self) -> Any:
        return 1

    def __round__(self, digits: Any = None) -> Any:
        return 2, digits

    def __divmod__(self, other: Any) -> Any:
        return 3

    def __rdivmod__(self, other: Any) -> Any:
        return 4

    def __float__(self) -> float:
        return 5.0

    def __int__(self) -> int:
        return 6

    def __floor__(self) -> Any:
        return 7

    def __complex__(self) -> complex:
        return 9j


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2

    def __abs__(self) -> Any:
        return -1

    def __round__(self, digits: Any = None) -> Any:
        return self.value + 2

    def __divmod__(self, other: Any) -> Any:
        return 3

    def __float__(self) -> float:
        return self.value + 4.0

    def __trunc__(self) -> Any:
        return 6

    def __index__(self) -> int:
        return 0


class Axis(enum.Enum):
    ROWS = 0
    COLUMNS = 1

    def __index__(self) -> int:
        return int(self.value)


GAIN = Gain(1.5)
ANGLE = Angle(90.0)
POSITION = Position(1)


@cases(X, Y)
def as_python_numbers(x: Array) -> Any:
    given = float(Given(x[0])), int(Given(bool(x[0] > 1))), len(Given(np.int64(x[0]))), complex(Given(1j * float(x[1])))
    return given, float(Given(float(x[0]))), int(Given(int(x[0])))


@cases(X, Y)
def by_index(x: Array) -> Any:
    p = Position(x[0])
    taken = round(float(x[1]), Position(1)), hex(p), [0] * p, p * "ab"
    return int(p), float(p), complex(p), math.sqrt(p), math.floor(p), taken


@cases(X, Y)
def by_float(x: Array) -> Any:
    a = Angle(x[0])
    return complex(a), complex(a, Angle(x[1])), math.floor(a), math.ceil(a), math.sin(a)


@cases(X, Y)
def parts(x: Array) -> Any:
    p = Parts(x[0])
    return math.floor(p), math.ceil(p), math.trunc(p), float(p), math.floor(Parts(None))


@cases(X, Y)
def captured(x: Array) -> Any:
    return float(ANGLE) * x, x[POSITION], [1, 2, 3][POSITION], math.sin(ANGLE), list(range(POSITION)), "abc"[POSITION]


@cases(X, Y)
def a_float(x: Array) -> Any:
    asked = abs(GAIN), round(GAIN), round(GAIN, 1), divmod(GAIN, 2.0), divmod(2.0, GAIN), float(GAIN), int(GAIN)
    return asked, math.floor(GAIN), complex(GAIN), math.trunc(GAIN), math.sqrt(GAIN), x[0] * GAIN, divmod(x[0], GAIN)


@cases(X, Y)
def members(x: Array) -> Any:
    asked = abs(Level.LOW), round(Level.LOW), divmod(Level.LOW, 2), float(Level.HIGH), int(Level.HIGH)
    taken = math.trunc(Level.LOW), math.floor(Level.LOW), math.sqrt(Level.LOW), x[Level.LOW], list(range(Level.HIGH))
    return asked, taken, Level.LOW + 1, x * Level.HIGH


@cases(X, Y)
def members_by_the_path(x: Array) -> Any:
    v = Level.LOW if x[0] > 1 else Level.HIGH
    return abs(v), round(v), divmod(v, 2), float(v), int(v), math.trunc(v), math.floor(v), math.sqrt(v), x[v - 1]


@cases(X, Y)
def positions(x: Array) -> Any:
    made = np.zeros((Axis.COLUMNS, 2)), x.reshape(Axis.COLUMNS, -1), [0] * Axis.COLUMNS, round(x[0], Axis.COLUMNS)  # type: ignore[operator]
    return (
        made,
        x[Axis.COLUMNS],
        [1, 2][Axis.COLUMNS],
        x[Axis.ROWS : Axis.COLUMNS],
        x.sum(axis=Axis.ROWS),
        "ab"[Axis.ROWS],
    )


@cases(X, Y)
def positions_by_the_path(x: Array) -> Any:
    axis = Axis.COLUMNS if x[0] > 1 else Axis.ROWS
    return x[axis], [1, 2][axis], x[axis:], (3, 4)[axis]


@cases(X, Y)
def positions_written(x: Array) -> Any:
    items = [1, 2, 3, 4]
    axis = Axis.COLUMNS if x[0] > 1 else Axis.ROWS
    x[Axis.COLUMNS] = 5
    items[Axis.COLUMNS] = 8
    items[axis] = 7
    del items[Axis.ROWS]
    items.insert(Axis.COLUMNS, 9)
    return x, items, items.pop(Axis.COLUMNS)


@cases.each
def test_what_is_asked(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


def float_of_int(x: Array) -> Any:
    return float(Given(int(x[0])))


def int_of_numpy(x: Array) -> Any:
    return int(Given(np.int64(x[0])))


def len_of_float(x: Array) -> Any:
    return len(Given(x[0]))


def trunc_of_float(x: Array) -> Any:
    return math.trunc(Angle(x[0]))


@pytest.mark.parametrize("function", [float_of_int, int_of_numpy, len_of_float, trunc_of_float])
def test_what_is_not_taken_is_refused_in_pythons_words(function: Any) -> None:
    with pytest.raises(TypeError) as expected:
        function(*X)
    with pytest.raises(GraphProgramError) as found:
        graph_program(function)(*X)
    assert str(expected.value) in str(found.value)
    assert found.value.code == "GP302"


def test_a_negative_length() -> None:
    def length(x: Array) -> Any:
        return len(Given(int(x[0])))

    check(length, X, (-X[0],))
