"""Functions and methods that go by the class of their first argument."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import Cases, check

Array = np.ndarray[Any, Any]
X = (np.array([1.0, 2.0]),)
Y = (np.array([-2.0, 0.5]),)

cases = Cases()


@dataclass
class Disc:
    radius: float


@dataclass
class Box:
    width: float
    height: float = 2.0


class Ring(Disc):
    pass


@functools.singledispatch
def area(shape: Any, scale: float = 1.0) -> Any:
    return -1.0 * scale


@area.register
def of_disc(shape: Disc, scale: float = 1.0) -> Any:
    return 3.0 * shape.radius**2 * scale


@area.register(Box)
def of_box(shape: Any, scale: float = 1.0) -> Any:
    return shape.width * shape.height * scale


@area.register(int)
@area.register(float)
def of_number(shape: Any, scale: float = 1.0) -> Any:
    return shape * scale


@area.register(type(None))
def of_none(shape: Any) -> Any:
    return 0.0


@area.register
def of_array(shape: np.ndarray, scale: float = 1.0) -> Any:
    return shape.sum() * scale


@area.register
def of_list(shape: list, scale: float = 1.0) -> Any:  # type: ignore[type-arg]
    return sum(area(s, scale) for s in shape)


class Vector:
    def __init__(self, x: Any) -> None:
        self.x = x

    @functools.singledispatchmethod
    def add(self, other: Any, times: int = 1) -> Any:
        return self.x + times * other.x

    @add.register
    def _(self, other: int, times: int = 1) -> Any:
        return self.x + 100 * times * other

    @add.register(float)
    def _(self, other: Any) -> Any:
        self.x = self.x + other
        return self.x

    @functools.singledispatchmethod
    @classmethod
    def made(cls, of: Any) -> Any:
        return cls(of)

    @made.register
    @classmethod
    def _(cls, of: Disc) -> Any:
        return cls(of.radius)

    @functools.singledispatchmethod
    @staticmethod
    def name(of: Any) -> Any:
        return "any"

    @name.register
    @staticmethod
    def _(of: int) -> Any:
        return "int"


class Scaled(Vector):
    def add(self, other: Any, times: int = 1) -> Any:
        return 10 * super().add(other)


CAPTURED = Vector(4.0)


@cases(X, Y)
def functions(x: Array) -> Any:
    shapes = [Disc(float(x[0])), Box(float(x[0])), Ring(float(x[1])), 3, float(x[1]), None, "none", x, (1, 2)]
    return [area(s) for s in shapes], area(shapes[1], scale=2.0), area(x[0]), area([Disc(1.0), Box(float(x[0]))])


@cases(X, Y)
def by_the_path(x: Array) -> Any:
    shape = Disc(2.0) if x[0] > 0 else Box(3.0)
    number = 1 if x[0] > 0 else 2.5
    there = None if x[0] > 0 else float(x[1])
    return area(shape), area(number), area(there)


@cases(X, Y)
def methods(x: Array) -> Any:
    v = Vector(x[0])
    return v.add(3), v.add(v), v.add(2, times=3), v.add(float(x[1])), v.x


@cases(X, Y)
def inherited(x: Array) -> Any:
    v = Scaled(float(x[0]))
    return v.add(2), v.add(1.5), v.x, [f(2) for f in (v.add, Vector(1.0).add)]


@cases(X, Y)
def of_classes(x: Array) -> Any:
    return (
        Vector.made(Disc(float(x[0]))).x,
        Scaled(1.0).made(x[1]).x,
        Vector.name(3),
        Vector(1).name("a"),
        Vector.name(x),
    )


@cases(X, Y)
def captured(x: Array) -> Any:
    return CAPTURED.add(2) * x, CAPTURED.name(2), list(map(area, [1, Box(float(x[0]))]))


@cases(X, Y)
def methods_by_the_path(x: Array) -> Any:
    v = Vector(float(x[0]))
    return v.add(2 if x[0] > 0 else 2.5), v.x


@cases.each
def test_the_function_of_the_class(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


def test_what_is_registered_later() -> None:
    @functools.singledispatch
    def twice(v: Any) -> Any:
        return 2 * v

    def run(x: Array) -> Any:
        return twice(float(x[0]))

    program = check(run, X)
    twice.register(float, lambda v: -v)
    assert program(*X) == run(*X) == -1.0


def test_no_argument() -> None:
    def run(x: Array) -> Any:
        return Vector(x[0]).add()  # type: ignore[call-arg]

    with pytest.raises(Exception) as expected:
        run(*X)
    with pytest.raises(type(expected.value)):
        graph_program(run)(*X)
