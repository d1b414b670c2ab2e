"""Captured objects of which a program writes one attribute, and looks at others of the one that it chooses."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.stateful import check_calls

CALLS = [(np.array(x),) for x in ([1.0, 2.0], [-1.0, 0.0], [0.0, 1.5])]


class Gain:
    bonus = 100.0

    def __init__(self, v: float, bonus: float):
        self.v = v
        self.bonus = bonus
        self.uses = 0


@dataclass
class Pair:
    a: float
    b: float
    uses: int = 0


class Bank:
    def __init__(self) -> None:
        self.gains = [Gain(1.0, 5.0), Gain(2.0, 6.0)]
        self.first, self.second = self.gains
        self.pairs = [Pair(1.0, 2.0), Pair(1.0, 3.0)]

    def use_all(self) -> None:
        for g in self.gains:
            g.uses += 1

    def chosen_in_a_loop(self, x: Any) -> Any:
        self.use_all()
        best = self.gains[0]
        for g in self.gains:
            if g.v > x[0]:
                best = g
        return best.bonus + best.uses

    def by_position(self, x: Any) -> Any:
        self.use_all()
        return self.gains[int(x[0])].bonus

    def one_of_two(self, x: Any) -> Any:
        self.first.uses += 1
        self.second.uses += 2
        g = self.first if x[0] > 0 else self.second
        g.uses += 5
        return g.bonus, g.uses

    def by_key(self, x: Any) -> Any:
        self.use_all()
        return max(self.gains, key=lambda g: g.v * x[0]).bonus

    def filtered_and_sorted(self, x: Any) -> Any:
        self.use_all()
        total = 0.0
        for g in [g for g in self.gains if g.v > x[0]]:
            total += g.bonus
        return total, sorted(self.gains, key=lambda g: -g.v * x[0])[0].bonus

    def compared(self, x: Any) -> Any:
        self.pairs[0].uses = int(x[0])
        p, q = self.pairs
        return p == q, p == Pair(1.0, 2.0, int(x[0])), q == Pair(1.0, 3.0), copy.copy(p) == p


@dataclass
class Body:
    x: Any
    v: Any
    mass: float


class World:
    def __init__(self) -> None:
        self.bodies = [Body(np.array([float(k), 0.0]), np.zeros(2), 1.0 + k) for k in range(4)]
        self.merged: list[float] = []

    def step(self, dt: float) -> int:
        for b in self.bodies:
            b.v += dt * (2.0 - b.x)
            b.x += dt * b.v
        return len(self.bodies)

    def merge(self, least: float) -> int:
        self.step(0.5)
        kept = []
        for b in self.bodies:
            hit = None
            for other in kept:
                if abs(other.x[0] - b.x[0]) < least:
                    hit = other
            if hit is None:
                kept.append(b)
            else:
                hit.v = (hit.v * hit.mass + b.v * b.mass) / (hit.mass + b.mass)
                hit.mass += b.mass
                self.merged.append(hit.mass)
        self.bodies = kept
        return len(kept)


def test_bodies_that_merge() -> None:
    check_calls(World, "merge", (0.1,), (0.7,), (0.2,), (5.0,))


class Part:
    def __init__(self, i: int) -> None:
        self.i, self.n = i, 0
        self.log: list[float] = []


class Parts:
    def __init__(self) -> None:
        self.all = [Part(0), Part(1), Part(2)]
        self.some = [self.all[1]]
        self.now = self.all[0]
        self.kept: list[Part] = []
        self.log: Any = None

    def remove(self, x: Any) -> Any:
        for p in self.all:
            p.n += 1
        p = min(self.all, key=lambda p: abs(p.i - x[0]))
        self.all.remove(p)
        return len(self.all)

    def tell(self, x: Any) -> Any:
        self.now.n += 1
        return self.now is self.some[0], self.now is self.all[0], self.all[1] in self.some, self.now in self.some

    def drop(self, x: Any) -> Any:
        self.all = [p for p in self.all if p is not self.now]
        self.now = self.all[0]
        return len(self.all)

    def pairs(self, x: Any) -> Any:
        found = 0
        for p in self.all:
            p.n += 1
            for q in self.all:
                if q is not p:
                    found += q.i
        return found

    def keep(self, x: Any) -> Any:
        p = self.all[int(abs(x[0]))]
        p.n += 1
        if p.n > 0:
            self.kept.append(p)
        return self.all.index(p)

    def filter(self, x: Any) -> Any:
        self.kept = [p for p in self.all if p.i > x[0]]
        for p in self.kept:
            p.n += 1


@pytest.mark.parametrize("name", ["remove", "tell", "drop", "pairs", "keep", "filter"])
def test_identity_in_the_state(name: str) -> None:
    check_calls(Parts, name, *CALLS[:2])


def test_a_list_kept_in_two_places_is_refused() -> None:
    parts = Parts()

    def program(x: Any) -> None:
        for p in parts.all:
            p.log.append(1.0)
            if p.i > x[0]:
                parts.log = p.log

    with pytest.raises(GraphProgramError, match=r"GP456.*'parts.log'"):
        graph_program(program)(np.ones(2))


CHOSEN = Pair(1.0, 2.0)


def test_whether_an_argument_is_a_captured_object_is_up_to_each_call() -> None:
    with pytest.raises(GraphProgramError, match="GP325"):
        graph_program(lambda p: p is CHOSEN)(CHOSEN)
    assert graph_program(lambda p: p == CHOSEN)(Pair(1.0, 2.0)) is True


@pytest.mark.parametrize(
    "name", ["chosen_in_a_loop", "by_position", "one_of_two", "by_key", "filtered_and_sorted", "compared"]
)
def test_attributes_that_are_not_written(name: str) -> None:
    check_calls(Bank, name, *CALLS)
