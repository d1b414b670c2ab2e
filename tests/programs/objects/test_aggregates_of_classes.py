"""Dataclasses, named tuples, dicts and classes with operators of their own, against plain Python."""

from __future__ import annotations

import dataclasses
import enum
from collections import namedtuple
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest

from tests.programs.plain import check


@dataclass
class Point:
    x: Any
    y: Any = 2.0
    tags: list[Any] = field(default_factory=list)


@dataclass
class Derived:
    a: Any
    scale: InitVar[float] = 2.0
    c: Any = field(init=False)
    d: ClassVar[int] = 7

    def __post_init__(self, scale):
        self.c = self.a * scale


class Pair(NamedTuple):
    a: Any
    b: Any = 1.0


Triple = namedtuple("Triple", "x y z", defaults=[0.0])


class Vector:
    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y

    def __iter__(self):
        return iter((self.x, self.y))


class Rows:
    def __init__(self, w: Any) -> None:
        self.w = w

    def __iter__(self):
        return iter(self.w)


class Doubled:
    """A descriptor."""

    def __get__(self, obj, owner):
        return obj.kept * 2

    def __set__(self, obj, value):
        obj.kept = value


class Described:
    value = Doubled()

    def __init__(self, value: Any) -> None:
        self.value = value


class Forgiving:
    def __init__(self, **values: Any) -> None:
        for name, value in values.items():
            setattr(self, name, value)

    def __getattr__(self, name):
        return 7.0


class Mode(enum.Enum):
    IDLE = 1
    RUN = 2


RATES = {"run": 2.0, "walk": 1.0, "stop": 0.0}
GAINS = {Mode.IDLE: 0.5, Mode.RUN: 3.0}


def as_dict(x):
    return dataclasses.asdict(Point(x, 1.0, [Point(x * 2), (Point(3.0),)]))


def as_tuple(x):
    return dataclasses.astuple(Point(x, 1.0, [Point(x * 2)]))


def field_values(v):
    return [getattr(Point(v), f.name) for f in dataclasses.fields(Point)][:2], dataclasses.is_dataclass(Point(v))


def init_only(v):
    d = Derived(v, 3.0)
    return d.c, d.d, Derived(v).c


def named_tuples(v):
    made = Pair._make([v, v * 2])
    a, *rest = Triple(v, 2.0)
    return made, made._replace(a=1.0), made._asdict(), Triple._make((v, v, v)), a, rest, Pair._fields


def goes_over(v):
    a, b = Vector(v, 1.0)
    return a - b, [x * 2 for x in Vector(v, 3.0)], sum(Vector(v, v))


def goes_over_rows(x):
    total = np.float64(0)
    for row in Rows(x):
        total += row
    return total


def described(v):
    d = Described(v)
    d.value = d.value + 1
    return d.value, d.kept


def forgiving(v):
    f = Forgiving(a=v)
    return f.a + f.b


def own_class(v):
    p = Vector(v, v)
    return v if p.__class__ is Vector and type(p) is Vector else -v


def removed(v):
    p = Vector(v, v)
    del p.x
    return hasattr(p, "x"), p.y


def keys_on_some_paths(v):
    d = {"a": v}
    if v > 0:
        d["b"] = v * 2
    return d.get("b", -1.0), "b" in d, "a" in d, "c" in d


def key_error_on_some_paths(v):
    d = {"a": v}
    if v > 0:
        d["b"] = v * 2
    return d["b"]


def chosen_string(v):
    pace = "run" if v > 1 else "walk" if v > 0 else "stop"
    if pace == "run":
        return RATES[pace] * v
    return -RATES[pace], pace != "stop", pace in ("walk", "stop")


def chosen_member(v):
    mode = Mode.RUN if v > 0 else Mode.IDLE
    if mode is Mode.RUN and v > 1:
        v = v * 2
    return v * GAINS[mode], mode == Mode.IDLE


def returned_member(v):
    mode = Mode.IDLE
    if v > 0:
        mode = Mode.RUN
    return [mode, mode]


def by_name(v):
    return Mode["RUN"].value * v


@pytest.mark.parametrize("program", [as_dict, as_tuple])
def test_copies(program: Callable[..., Any]) -> None:
    x = np.array([1.0, 2.0])
    check(program, (x,))


@pytest.mark.parametrize(
    "program",
    [
        field_values,
        init_only,
        named_tuples,
        goes_over,
        described,
        forgiving,
        own_class,
        removed,
        keys_on_some_paths,
        key_error_on_some_paths,
        chosen_string,
        chosen_member,
        returned_member,
        by_name,
    ],
)
def test_numbers(program: Callable[..., Any]) -> None:
    check(program, (3.0,), (0.5,), (-1.0,))


def test_rows() -> None:
    check(goes_over_rows, (np.array([1.0, 2.0]),), (np.zeros(0),))


def grow(items, d):
    items.append(items[0] * 2)
    items.insert(0, 1.0)
    del d["a"]
    d["c"] = 5.0
    return len(items)


def shrink(items, d):
    items.pop()
    d.clear()


@pytest.mark.parametrize("program", [grow, shrink])
def test_containers_of_the_caller_change_their_length(program: Callable[..., Any]) -> None:
    check(program, ([1.0, 2.0], {"a": 1.0, "b": 2.0}))


def shared(x):
    part = [x * 2]
    found = {"a": part, "b": part}
    return found, part, found["a"][0]


def test_one_object_stays_one_object() -> None:
    from graph_program import graph_program

    for x in (np.ones(2), np.arange(3)):
        found, part, array = graph_program(shared)(x)
        assert found["a"] is found["b"] is part
        assert array is part[0]
