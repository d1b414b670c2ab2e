"""`copy.deepcopy` of what holds enum members, functions, methods, element types, and things that are in themselves."""

from __future__ import annotations

import copy
import enum
import functools
import math
import operator
from collections import Counter, OrderedDict
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import Cases, check

Array = np.ndarray[Any, Any]
X = (np.array([1.0, 2.0]),)
Y = (np.array([2.0, 0.0]),)
cases = Cases()


class State(enum.Enum):
    ON = 1
    OFF = 2


class Own(enum.Enum):
    A = 1

    def __deepcopy__(self, memo: Any) -> Any:
        return 5


class Fit(NamedTuple):
    slope: float
    offset: Any = None


@dataclass
class Holder:
    value: float
    held: Any = None


class Meter:
    def __init__(self, value: Any) -> None:
        self.value = value
        self.read = self.twice
        self.sum = functools.partial(self.plus, [1.0])

    def twice(self) -> Any:
        return 2 * self.value

    def plus(self, seen: Any) -> Any:
        seen[0] += 1
        return self.value + seen[0]


class Child:
    def __init__(self, parent: Any) -> None:
        self.parent = parent


class Node:
    def __init__(self, value: Any) -> None:
        self.value = value
        self.itself = self
        self.children = [Child(self)]


class Items(list):  # type: ignore[type-arg]
    """A list of the user's own."""


FIT = Fit(1.0, [2])
ORDERED = OrderedDict(b=1, a=2)
COUNTED = Counter("aab")
ITEMS = Items([1, 2])
KNOWN = {1, 2}


@cases(X, Y)
def atoms(x: Array) -> Any:
    kept = [State.ON, math.sin, np.dtype("f4"), ..., NotImplemented, np.float32, None, operator.itemgetter(0), State]
    found = copy.deepcopy(Holder(1.0, kept)).held
    made = found[0], found[1](x[0]), x.astype(found[2]), x[found[3]], found[4] is NotImplemented, found[7](x)
    return made, found[8].OFF, copy.deepcopy(Fraction(1, 3)) * 2, copy.deepcopy(np.add)(x, 1)


@cases(X, Y)
def atoms_by_the_path(x: Array) -> Any:
    state = State.ON if x[0] > 1 else State.OFF
    found = copy.deepcopy({"state": state, "f": math.sin if x[0] > 1 else math.cos, "text": "a" if x[0] > 1 else None})
    return found["state"], found["f"](x[0]), found["text"], copy.copy(state) is state


@cases(X, Y)
def of_a_class_that_says_how(x: Array) -> Any:
    return copy.deepcopy(Own.A), copy.copy(Own.A), copy.deepcopy([Own.A])


@cases(X, Y)
def methods(x: Array) -> Any:
    meter = Meter(float(x[0]))
    deep, shallow = copy.deepcopy(meter), copy.copy(meter)
    deep.value = shallow.value = 10.0
    return deep.read(), shallow.read(), meter.read(), deep.sum(), deep.sum(), shallow.sum(), meter.sum()


@cases(X, Y)
def in_themselves(x: Array) -> Any:
    node = Node(float(x[0]))
    found = copy.deepcopy(node)
    found.value = 7.0
    parent = found.children[0].parent
    return found.itself.value, node.value, found.itself is found, parent.value, parent is node, parent is found


@cases(X, Y)
def captured(x: Array) -> Any:
    known = copy.deepcopy(KNOWN)
    known.add(int(x[0]) + 5)
    classes = copy.deepcopy(FIT), copy.copy(ORDERED), copy.deepcopy(COUNTED), copy.deepcopy(ITEMS)
    return classes, sorted(known), sorted(KNOWN), copy.deepcopy(Holder(float(x[0]), {3, 4}))


@cases.each
def test_copies(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


def test_an_iterator_is_refused() -> None:
    def run(x: Array) -> Any:
        return list(copy.copy(zip(x, x, strict=False)))

    with pytest.raises(GraphProgramError, match=r"GP321.*zip cannot be copied in a graph"):
        graph_program(run)(*X)
