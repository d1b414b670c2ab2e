"""Captured objects of which a program writes one attribute, and looks at others of the one that it chooses."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.programs.stateful import check_calls


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


CALLS = [(np.array(x),) for x in ([1.0, 2.0], [-1.0, 0.0], [0.0, 1.5])]


@pytest.mark.parametrize(
    "name", ["chosen_in_a_loop", "by_position", "one_of_two", "by_key", "filtered_and_sorted", "compared"]
)
def test_attributes_that_are_not_written(name: str) -> None:
    check_calls(Bank, name, *CALLS)
