"""`copy.copy` and `copy.deepcopy` of objects, lists, dicts and tuples: new ones, which are written apart."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check


@dataclass
class Filter:
    weights: np.ndarray
    gain: float = 1.0
    history: list[float] = field(default_factory=list)


class Counter:
    def __init__(self, n: int) -> None:
        self.n = n
        self.seen = {"a": [n]}

    def count(self) -> None:
        self.n += 1
        self.seen["a"].append(self.n)


class Shared:
    def __init__(self, x: Any) -> None:
        self.x = x
        self.copies = 0

    def __copy__(self) -> Shared:
        made = Shared(self.x)
        made.copies = self.copies + 1
        return made

    def __deepcopy__(self, memo: Any) -> Shared:
        return Shared(copy.deepcopy(self.x, memo))


@dataclass
class Negated:
    k: int

    def __deepcopy__(self, memo: Any) -> Negated:
        return Negated(-self.k)


class Pair(NamedTuple):
    k: int

    def __deepcopy__(self, memo: Any) -> Pair:
        return Pair(-self.k)


class Pickled:
    def __init__(self, k: int) -> None:
        self.k = k

    def __setstate__(self, state: Any) -> None:
        self.k = 100


@dataclass(frozen=True, slots=True)
class Frozen:
    k: int


START = Filter(np.ones(3), 2.0, [1.0])


def shallow(x):
    a = Filter(x * 1.0)
    b = copy.copy(a)
    b.gain = 3.0
    b.weights[0] = 7.0
    b.history.append(1.0)
    return a, b


def deep(x):
    a = Filter(x * 1.0)
    b = copy.deepcopy(a)
    b.gain = 3.0
    b.weights[0] = 7.0
    b.history.append(1.0)
    return a, b


def rollback(x):
    state = Filter(x.copy())
    for k in range(4):
        before = copy.deepcopy(state)
        state.weights *= -1.5
        state.gain += k
        if state.weights.sum() < 0:
            state = before
    return state


def structures(x):
    a = {"rows": [x.copy(), [1, 2]], "pair": (x.copy(), 3)}
    b, c = copy.copy(a), copy.deepcopy(a)
    a["rows"][1].append(3)
    a["pair"][0][0] = 9.0
    b["new"] = 1
    return a, b, c


def twice(x):
    row = x.copy()
    both = copy.deepcopy([row, row])
    both[0][0] = 5.0
    return row, both


def methods(x):
    a = Counter(len(x))
    b, c = copy.copy(a), copy.deepcopy(a)
    a.count()
    c.count()
    return a.n, b.n, c.n, a.seen, b.seen, c.seen


def own_ways(x):
    a = Shared(x.copy())
    b, c = copy.copy(a), copy.deepcopy(a)
    c.x[0] = 4.0
    return a.x, b.copies, c.x


def particles(x):
    bodies = [Filter(np.full(2, v)) for v in x]
    chosen = [copy.deepcopy(bodies[0]) for _ in x]
    for k, body in enumerate(chosen):
        body.gain += k
        body.weights[0] = 0.5
    return [b.gain for b in bodies], [b.gain for b in chosen], [b.weights for b in chosen]


def lists(x):
    numbers = [float(v) for v in x if v > 0]
    a, b = copy.copy(numbers), copy.deepcopy(numbers)
    a.append(2.0)
    return numbers, a, b


def captured(x):
    f = copy.deepcopy(START)
    f.weights[0] = x[0]
    f.history.append(2.0)
    return f


def of_a_parameter(f, x):
    g = copy.deepcopy(f)
    g.weights += x
    f.gain = 0.5
    return f, g


def nothing(x):
    best = None
    for v in x:
        if v > 1:
            best = Filter(np.full(2, v))
    return copy.deepcopy(best)


def one_by_one(x):
    items = [Negated(k) for k, _ in enumerate(x)]
    pairs = [Pair(k) for k, _ in enumerate(x)]
    return [copy.deepcopy(item) for item in items], [copy.deepcopy(pair) for pair in pairs], copy.copy(pairs)


def frozen(x):
    items = [Frozen(k) for k, _ in enumerate(x)]
    return [item.k for item in copy.deepcopy(items)], copy.deepcopy(Frozen(len(x))).k


PROGRAMS = [shallow, deep, rollback, structures, twice, methods, own_ways, particles, lists, captured, nothing]
PROGRAMS += [one_by_one, frozen]


@pytest.mark.parametrize("program", PROGRAMS)
def test_copies(program: Any) -> None:
    check(program, (np.array([1.0, -2.0, 3.0]),), (np.array([0.5]),))


def test_what_two_classes_copy_by_their_own_methods_would_be_one_copy() -> None:
    def apart(x: Any) -> Any:
        a, b = copy.deepcopy([Shared(x * 1), Shared(x * 2)])
        a.x[0] = 5.0
        return a.x, b.x

    def together(x: Any) -> Any:
        a, b = copy.deepcopy([Shared(x), Shared(x)])
        a.x[0] = 5.0
        return a.x, b.x

    check(apart, (np.arange(2.0),))
    with pytest.raises(GraphProgramError, match=r"GP321.*copied in a graph twice"):
        graph_program(together)(np.arange(2.0))


def test_a_parameter_is_left_as_it_is() -> None:
    check(of_a_parameter, (Filter(np.ones(3)), np.arange(3.0)))


def test_a_class_that_is_pickled_in_its_own_way() -> None:
    class Odd:
        def __init__(self, x: Any) -> None:
            self.x = x

        def __getstate__(self) -> Any:
            return {"x": 1}

    def program(x: Any) -> Any:
        return copy.copy(Odd(x)).x

    with pytest.raises(GraphProgramError, match="GP321"):
        graph_program(program)(np.ones(2))


@pytest.mark.parametrize("made", [Negated, Pair, Pickled, lambda k: (k, [Negated(k)]), lambda k: START])
def test_lists_of_computed_length_are_copied_by_columns_where_that_is_a_copy(made: Any) -> None:
    def program(x: Any) -> Any:
        items = [made(k) for k, _ in enumerate(x)]
        return copy.deepcopy(items)

    with pytest.raises(GraphProgramError, match=r"GP321(.|\n)*one by one"):
        graph_program(program)(np.ones(2))
