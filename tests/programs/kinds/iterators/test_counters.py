"""`itertools.count` stepped by `next`, and objects with a `__next__` of their own."""

from __future__ import annotations

import heapq
import itertools
from itertools import count
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import Cases, check

cases = Cases()

NUMBERS: tuple[tuple[Any, ...], ...] = ((3,), (0,), (1,))


class Queue:
    def __init__(self) -> None:
        self.heap: list[Any] = []
        self.counter = itertools.count()

    def push(self, cost: Any, item: Any) -> None:
        heapq.heappush(self.heap, (cost, next(self.counter), item))

    def pop(self) -> Any:
        return heapq.heappop(self.heap)[2]

    def __len__(self) -> int:
        return len(self.heap)


class Even:
    def __init__(self) -> None:
        self.last = 0

    def __next__(self) -> int:
        self.last += 2
        return self.last


@cases((np.array([1.0, 2.0, 0.5]),), (np.ones(3),), (np.zeros(0),))
def a_heap_with_a_counter(costs: Any) -> Any:
    queue = Queue()
    for cost in costs:
        queue.push(float(cost), np.array([cost, 1.0]))
    total = np.zeros(2)
    while queue:
        total = 2 * total + queue.pop()
    return total, next(queue.counter)


@cases(*NUMBERS)
def in_rounds_and_on_paths(n: Any) -> Any:
    c, total = count(n, 2), 0
    for i in range(n):
        if i % 2:
            total += next(c)
    return total, next(c), [next(c) for _ in range(n)], type(c)


@cases(*NUMBERS)
def numbers_of_names(n: Any) -> Any:
    ids = count()
    known: dict[str, int] = {}
    for name in ["a", "b", "a"]:
        if name not in known:
            known[name] = next(ids)
    return known, n


@cases(*NUMBERS)
def gone_through_once(n: Any) -> Any:
    c = count(5)
    next(c)
    return list(zip(range(n), c, strict=False)), [k * i for k, i in zip(count(n), (1, 2), strict=False)]


@cases(*NUMBERS)
def own_steps(n: Any) -> Any:
    even = Even()
    return [next(even) for _ in range(n)], next(even)


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)


def test_a_counter_that_is_returned_goes_on() -> None:
    def program(n: Any) -> Any:
        c = count(n)
        next(c)
        return c

    assert next(graph_program(program)(4)) == next(program(4)) == 5


def looped(n: Any) -> Any:
    c = count()
    for i in c:
        if i > n:
            break
    return c


def test_a_loop_leaves_what_is_left() -> None:
    check(lambda n: next(looped(n)), *NUMBERS)
    assert next(graph_program(looped)(3)) == next(looped(3)) == 5


class Pairs:
    def __init__(self, x: Any) -> None:
        self.pairs = zip(x, x, strict=True)

    def step(self) -> Any:
        return next(self.pairs)[0]


def in_each_round(x: Any) -> Any:
    pairs, total = Pairs(x), 0.0
    for _ in range(len(x)):
        total += pairs.step()
    return total


def one_after_the_other(x: Any) -> Any:
    pairs = zip(x, x, strict=True)
    return next(pairs), next(pairs)


@pytest.mark.parametrize("program", [in_each_round, one_after_the_other])
def test_a_zip_is_stepped_only_once(program: Any) -> None:
    with pytest.raises(GraphProgramError, match="GP339"):
        graph_program(program)(np.arange(3.0))
