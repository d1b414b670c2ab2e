"""Lists of known length in an order that is computed: tuples and other structures, ties, elements of several kinds."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from graph_program import LimitError, graph_program
from tests.programs.plain import Cases, check

cases = Cases()

PAIRS: tuple[tuple[Any, ...], ...] = ((np.array([2.0, 1.0, 5.0]),), (np.array([1.0, 1.0, 1.0]),), (np.zeros(3),))
NUMBERS: tuple[tuple[Any, ...], ...] = ((1.0, 3), (2.5, 1), (1.0, 1))


class Point(NamedTuple):
    x: float
    y: float


@dataclass
class Option:
    name: str
    cost: float


class Plain:
    def __init__(self, value: float) -> None:
        self.value = value


def double(v: Any) -> Any:
    return v * 2


@cases(*PAIRS)
def pairs(x: Any) -> Any:
    scored = [(x[0].sum(), 0), (x[1], 1), (x[2], 2)]
    return sorted(scored), sorted(scored, reverse=True), scored


@cases(*PAIRS)
def names_at_a_tie(x: Any) -> Any:
    costs = {"b": x[0], "a": x[1], "c": float(x[2])}
    ranked = sorted(costs.items(), key=lambda item: (-item[1], item[0]))
    return ranked, ranked[0][0], sorted(zip(x.tolist(), "bac", strict=True)), sorted(costs, key=lambda k: (costs[k], k))


@cases(*PAIRS)
def parts_of_several_classes(x: Any) -> Any:
    rows = [[1, x[0]], [0, x[1]], [1, x[2]]]
    rows.sort(reverse=True)
    return rows, sorted([(x[0] > 1, 2.0), (x[1] > 1, x[2])]), sorted([(x[0], None), (x[1], None)])


@cases(*NUMBERS)
def ints_beside_floats(a: Any, b: Any) -> Any:
    return sorted([(a, "f"), (b, "i"), (True, "b")]), sorted([(b, a), (1, 2.0), (b, 0)]), min((a, 1), (b, 0))


@cases(*NUMBERS)
def tuples_of_several_lengths(a: Any, b: Any) -> Any:
    return sorted([(a,), (a, b), (b,)]), sorted([(1, a), (1,)], reverse=True), sorted([[a, 1, 2], [a], [a, 1]])


@cases(*NUMBERS)
def a_number_of_one_of_two_classes(a: Any, b: Any) -> Any:
    return sorted([(1 if a > 1 else 0.5, b), (0.75, b)], key=lambda t: t[0])


@cases(*PAIRS)
def named_tuples_and_objects(x: Any) -> Any:
    points = [Point(float(x[0]), 1.0), Point(float(x[1]), 2.0), Point(float(x[2]), 0.0)]
    options = [Option("p", float(x[0])), Option("o", float(x[1]))]
    options.sort(key=lambda o: (o.cost, o.name))
    return sorted(points), sorted(points, key=lambda p: (p.y, p.x)), [o.name for o in options]


@cases(*PAIRS)
def the_smallest(x: Any) -> Any:
    heap = [(x[0], "a"), (x[1], "b"), (x[2], "c")]
    first = heapq.nsmallest(2, heap)
    heapq.heapify(heap)
    return first, [heapq.heappop(heap)[1] for _ in range(3)]


@cases(*NUMBERS)
def functions(a: Any, b: Any) -> Any:
    chosen = sorted([lambda v: v + a, np.negative, double], key=lambda f: f(b))
    scored = [(f(b), f) for f in (double, lambda v: v - a)]
    scored.sort(key=lambda p: p[0])
    return [float(f(a)) for f in chosen], scored[0][1](a)


@cases(*NUMBERS)
def things_of_several_kinds(a: Any, b: Any) -> Any:
    things = [a, np.array([b, a]), "s", None]
    return sorted(things, key=lambda t: 0.0 if t is None else 2.0 if isinstance(t, str) else b)


@cases(*PAIRS)
def keys_that_are_lists(x: Any) -> Any:
    rows = [x[1:], x[:2]]
    return sorted(rows, key=tuple), sorted(rows, key=lambda r: r.tolist(), reverse=True)


@cases(*PAIRS, (np.array([3.0, 2.0, 1.0]),))
def arrays_behind_the_number(x: Any) -> Any:
    new = [(float(v), np.array([v, 0.0])) for v in x]
    return sorted([(x[0], x * 1), (x[1], x * 2)]), sorted(new), sorted(new, reverse=True)


@cases(*PAIRS)
def objects_behind_the_number(x: Any) -> Any:
    known = [(float(x[0]), Plain(1.0)), (float(x[1]), Plain(2.0))]
    many = [(float(v), Plain(float(v))) for v in x]
    known.sort()
    return [p.value for _, p in known], [p.value for _, p in sorted(many, reverse=True)]


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)


def test_numbers_of_parameters_stay_inputs() -> None:
    program = check(lambda a, b: sorted([(a, 0), (b, 1)]), (1.0, 2.0), (2.0, 1.0), (1.0, 1.0))
    assert len(program._shims) == 1


def test_arrays_that_may_be_one_are_not_compared() -> None:
    def program(x: Any) -> Any:
        common = x * 2
        return [a for a, _ in sorted([(float(v), common) for v in x])]

    check(program, (np.array([3.0, 1.0]),))
    with pytest.raises(LimitError, match="GP443"):
        graph_program(program)(np.ones(2))
