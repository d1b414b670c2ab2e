"""Objects that are in several places after a call: in the result, in the arguments, in both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import Cases
from tests.programs.stateful import check_calls, check_identities

case = Cases()


@dataclass
class Part:
    v: float
    tag: int = 0


@dataclass
class Shape:
    x: Any
    log: Any = 0

    def move(self, by: Any) -> None:
        self.x[0] += by


@dataclass
class Box:
    items: list[Any]
    best: Any = None


X = np.array([1.0, 3.0, 2.0])


def box() -> Box:
    return Box([Part(5.0), Part(2.0), Part(4.0)])


def shapes() -> list[Shape]:
    return [Shape(np.array([1.0, 2.0])), Shape(np.array([3.0, 4.0]))]


@case((box(), X))
def last_of_new_ones(b: Any, x: Any) -> Any:
    for v in x:
        b.items.append(Part(float(v)))
    b.best = b.items[-1]


@case((box(), X))
def chosen_by_key(b: Any, x: Any) -> Any:
    b.best = max(b.items, key=lambda p: p.v)
    return b.best


@case((box(), X))
def chosen_by_position(b: Any, x: Any) -> Any:
    b.best = b.items[int(x[0])]
    return b.items[int(x[2])], b.best


@case((box(), X))
def sorted_in_place(b: Any, x: Any) -> Any:
    b.items.sort(key=lambda p: p.v)
    return b.items[0]


@case((box(), X))
def removed_and_popped(b: Any, x: Any) -> Any:
    b.items.remove(b.items[int(x[0])])
    return b.items.pop(int(x[0]))


@case((box(), X), (box(), X + 2))
def filtered(b: Any, x: Any) -> Any:
    b.items[:] = [p for p in b.items if p.v > x[0]]
    return [p for p in b.items if p.v > x[2]]


@case((box(), X), (box(), -X))
def one_of_two(b: Any, x: Any) -> Any:
    return b.items[0] if x[0] > 0 else b.items[1]


@case((X,), (-X,))
def list_and_element(x: Any) -> Any:
    made = [Part(float(v)) for v in x if v > 0]
    return made, made[0] if len(made) > 0 else None


@case((X,), (X[:1],))
def repeated(x: Any) -> Any:
    made = []
    for v in x:
        p = Part(float(v))
        made.append(p)
        if v > 1:
            made.append(p)
    return made


@case((shapes(), X))
def arrays_in_place(items: Any, x: Any) -> Any:
    for s in items:
        s.move(x[0])
    items.append(Shape(x * 2))
    items[:] = [s for s in items if s.x[0] > 2]


@case((shapes(), X), (shapes(), -X))
def arrays_set_and_then_in_place(items: Any, x: Any) -> Any:
    for s in items:
        if x[0] > 0:
            s.x = s.x + 1
    for s in items:
        if x[1] > s.x[0] - 2:
            s.move(x[1])
    for v in x:
        items.append(Shape(x * v))


@case((shapes(), X), (shapes(), -X))
def arrays_in_place_and_then_set(items: Any, x: Any) -> Any:
    for v in x:
        for s in items:
            s.move(v)
            if s.x[0] > 4:
                s.x = s.x - 4
    return max(items, key=lambda s: s.x[1])


@case(([Shape(X * 2, [1.0]), Shape(X + 0, [2.0, 3.0])], X), ([Shape(X * 2, [1.0]), Shape(X + 0, [2.0, 3.0])], -X))
def logs(items: Any, x: Any) -> Any:
    for v in x:
        s = max(items, key=lambda s: s.x[0])
        s.log.append(float(v))
        s.move(-v)
    items.reverse()
    return items[int(abs(x[0])) - 1]


@case.each()
def test_identities(fn: Any, inputs: Any) -> None:
    check_identities(fn, *inputs)


class Pool:
    def __init__(self) -> None:
        self.items: list[Any] = []
        self.best: Any = None

    def add(self, x: Any) -> Any:
        for v in x:
            self.items.append(Part(float(v)))
        self.best = self.items[-1]

    def raise_best(self, x: Any) -> Any:
        self.add(x)
        self.best.v += 1

    def choose(self, x: Any) -> Any:
        if len(self.items) < 3:
            self.items = [Part(1.0), Part(2.0), Part(3.0)]
        self.best = self.items[int(x[0])]
        self.best.v += 1

    def keep(self, x: Any) -> Any:
        self.add(x)
        self.items = [p for p in self.items if p.v > x[0]]
        if len(self.items) > 0:
            self.best = self.items[0]


@pytest.mark.parametrize("name", ["add", "raise_best", "choose", "keep"])
def test_attributes_that_have_one_object(name: str) -> None:
    check_calls(Pool, name, (X,), (X[::-1],), (X,))


def test_a_copy_in_the_state_is_refused() -> None:
    class Registered:
        def __init__(self, v: float, owner: list[Any]):
            self.v = v
            owner.append(self)

    pool = Pool()

    def program(x: Any) -> None:
        for v in x:
            made: list[Any] = []
            Registered(float(v), made)
            pool.items.append(made[-1])
        pool.best = pool.items[0]

    with pytest.raises(GraphProgramError, match=r"GP456.*a copy of a Registered after the call"):
        graph_program(program)(X)
    assert pool.items == []
