"""`max` and `min` of known elements by a key that is computed, and dicts that are asked for computed keys."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check


@dataclass
class Part:
    size: float
    number: int


def nearest(a: float, b: float, c: float) -> Any:
    return max([a, b, c], key=lambda q: -abs(q))


def objects(a: float, b: float, c: float) -> Any:
    return min(Part(a, 1), Part(b, 2), Part(c, 3), key=lambda q: q.size)


def first_of_equals(a: float, b: float, c: float) -> Any:
    return max([(a, 1), (b, 2), (c, 3)], key=lambda q: q[0] < 1)


def by_several(a: float, b: float, c: float) -> Any:
    return min([a, b, c], key=lambda q: (q > 1, q))


def arrays(a: float, b: float, c: float) -> Any:
    return min([np.array([a, b]), np.array([b, c])], key=lambda v: v.sum())


def of_several_classes(a: float, b: float, c: float) -> Any:
    return max([a, 1, b], key=lambda q: q * q)


def names(a: float, b: float, c: float) -> Any:
    given = {"x": a, "y": b}
    return max(given, key=lambda k: given[k]), max(given.items(), key=lambda pair: pair[1])


@pytest.mark.parametrize("function", [nearest, objects, first_of_equals, by_several, arrays, of_several_classes, names])
def test_computed_keys(function: Any) -> None:
    check(function, (1.0, 2.0, 3.0), (3.0, -1.0, 0.5), (0.5, 0.5, -0.5))


TONES = {(697, 1209): "1", (697, 1336): "2", (770, 1209): "4", (770, 1336): "5", (941, 1336): "0"}
WEIGHTS = {(0, 0): 1.0, (0, 1): 2.0, (1, 0): 3.0, (1, 1): 4.0, "rest": 5.0, (1, 1, 1): 6.0}
STEPS = {("idle", 1): "run", ("run", 0): "idle", ("run", 2): "fault", ("fault", 3): "idle"}


def texts(x: Any) -> Any:
    low = max([697, 770, 941], key=lambda f: np.sin(f * x[0]))
    high = [1209, 1336][int(x[1])]
    return TONES.get((low, high), "?")


def numbers(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += WEIGHTS[int(x[i]), i % 2]
    return total, (int(x[0]), 1) in WEIGHTS, (int(x[0]), int(x[1]), 1) in WEIGHTS


def counts(x: Any) -> Any:
    table = {(i, j): 0 for i in range(2) for j in range(2)}
    for a, b in itertools.pairwise(x):
        table[int(a), int(b)] += 1
    return table


def states(x: Any) -> Any:
    state = "idle"
    for event in x:
        state = STEPS.get((state, int(event)), state)
    return state


@pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
@pytest.mark.parametrize("function", [texts, numbers, counts, states])
def test_tuples_as_keys(function: Any) -> None:
    given = ([1, 0], [3, 1], [1, 1, 0, 1, 1], [0, 0, 2], [1, 2])
    check(function, *((np.array(x),) for x in given))
