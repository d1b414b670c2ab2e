"""Texts that the user's `__repr__`, `__str__` and `__format__` make."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check, outcome


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __repr__(self):
        return f"Point({self.x}, {self.y:.2f})"


class Named(Point):
    def __str__(self):
        return "Named<" + str(self.x) + ">"


class Formatted:
    def __init__(self, v):
        self.v = v

    def __format__(self, spec):
        return f"[{spec}]{self.v}"


def shown(x):
    p, q = Point(x[0], x[1]), Named(int(x[0]), x[1])
    return repr(p), str(p), f"{p}", f"{p!r}", "%s" % p, "{}".format(p), repr(q), str(q), f"{q!s}|{q!r}"  # noqa: UP031, UP032


def formatted(x):
    return f"{Formatted(int(x[0]))}", f"{Formatted(int(x[0])):ab}", format(Formatted(int(x[1])), "q")


@dataclass
class Inner:
    v: float
    hidden: int = field(default=3, repr=False)


@dataclass
class Outer:
    inner: Inner
    items: list
    table: dict
    text: str = "a'b"


@dataclass
class Written:
    a: int

    def __str__(self):
        return f"W{self.a}"


class Pair(NamedTuple):
    x: float
    y: float

    def __str__(self):
        return f"<{self.x}>"


Other = namedtuple("Other", "a b")


def records(x):
    o = Outer(Inner(x[0]), [Inner(1.0), int(x[1])], {"k": Inner(x[1]), 2: None})
    w, p, q = Written(int(x[0])), Pair(x[0], float(x[1])), Other(1, x[0])
    return repr(o), f"{o}", str(w), repr(w), str(p), repr(p), f"{q}", repr((q, p))


class Counter:
    def __init__(self):
        self.n = 0

    def __repr__(self):
        self.n += 1
        return f"Counter({self.n})"


def with_effects(x):
    c = Counter()
    c.n += int(x[0])
    return f"{c}|{c}", c.n


def raising(x):
    p = Point(x[0], x[1])
    try:
        if x[0] > 2:
            raise ValueError(p, 2)
        if x[0] < 0:
            raise KeyError(p)
        if x[1] > 3:
            raise AssertionError(p)
    except ValueError as e:
        return str(e), repr(e), float(e.args[0].y)
    return "", "", 0.0


INPUTS = [(np.array([1.0, 2.5]),), (np.array([3.0, 0.5]),), (np.array([-1.0, 0.0]),), (np.array([0.0, 4.0]),)]


@pytest.mark.parametrize("program", [shown, formatted, records, with_effects, raising])
def test_texts(program):
    check(program, *INPUTS)


def chosen_text(x):
    p = Point(x[0], x[1]) if x[0] > 1 else Named(x[0], x[1])
    return str(p), f"{[p, 1]}", str({"a": p, 2: None})


def test_objects_chosen_by_path():
    check(chosen_text, *INPUTS)


def uncaught(x):
    raise ValueError(Point(float(x[0]), x[1]), [Written(1)])


def test_an_object_in_an_exception_is_one_of_its_class():
    with pytest.raises(ValueError, match=r"\(Point\(1.0, 2.50\), \[Written\(a=1\)\]\)") as raised:
        graph_program(uncaught)(np.array([1.0, 2.5]))
    point, items = raised.value.args
    assert type(point) is Point
    assert (point.x, point.y) == (1.0, 2.5)
    assert items == [Written(1)]


class Wrong:
    def __str__(self):
        return 3


def returned_number(x):
    return str(Wrong())


def test_what_is_not_a_text():
    expected = outcome(returned_number, INPUTS[0])
    with pytest.raises(GraphProgramError, match="returned non-string") as refused:
        graph_program(returned_number)(*INPUTS[0])
    assert issubclass(type(refused.value), expected[0])
