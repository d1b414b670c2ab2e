"""Heaps of tuples with something behind the number: arrays, objects, paths of any length; comparisons of these."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.programs.plain import Cases, check

cases = Cases()

COSTS: tuple[tuple[Any, ...], ...] = ((np.array([1.0, 2.0, 0.5]),), (np.ones(3),), (np.zeros(0),))
WEIGHTS = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 1.0], [5.0, 1.0, 0.0]])


class Box:
    def __init__(self, low: Any, high: Any) -> None:
        self.low, self.high = low, high


@cases((np.array([1.0, 2.0, 0.5]), 4), (np.zeros(3), 3), (np.ones(3), 0))
def branch_and_bound(c: Any, steps: Any) -> Any:
    queue, number, bound = [(0.0, 0, Box(np.zeros(3), np.ones(3)))], 0, -1.0
    for _ in range(steps):
        bound, _, box = heapq.heappop(queue)
        middle = 0.5 * (box.low[0] + box.high[0])
        low, high = box.low.copy(), box.high.copy()
        low[0] = high[0] = middle
        for part in (Box(box.low, high), Box(low, box.high)):
            number += 1
            heapq.heappush(queue, (float((c * part.low).sum()), number, part))
    return bound, len(queue), queue[0][2].low


@cases((np.array([1.0, 2.0, 0.5]),), (np.ones(3),))
def objects_that_may_be_compared(c: Any) -> Any:
    queue: list[Any] = []
    for v in c:
        heapq.heappush(queue, (float(v), Box(v, v)))
    return heapq.heappop(queue)[1].low


@cases((WEIGHTS, 2), (WEIGHTS, 0), (WEIGHTS * 0, 1))
def shortest_path(w: Any, goal: Any) -> Any:
    queue: list[Any] = [(0.0, 0, ())]
    seen = np.zeros(len(w), bool)
    while queue:
        cost, u, path = heapq.heappop(queue)
        if seen[u]:
            continue
        seen[u] = True
        path = (*path, u)
        if u == goal:
            return cost, path
        for v in range(len(w)):
            if not seen[v]:
                heapq.heappush(queue, (cost + float(w[u, v]), v, path))
    return -1.0, ()


@cases(*COSTS)
def paths_that_decide(c: Any) -> Any:
    queue = []
    for i, v in enumerate(c):
        heapq.heappush(queue, (float(v), [i]))
    found = []
    while queue:
        cost, path = heapq.heappop(queue)
        if len(path) < 3:
            heapq.heappush(queue, (cost, [*path, path[0]]))
        else:
            found.append(path)
    return found


@cases((np.array([1.0, 2.0]),), (np.array([2.0, 1.0]),))
def functions_in_a_heap(x: Any) -> Any:
    waiting: list[tuple[Any, Callable[[Any], Any]]] = [(x[0], np.sin), (x[1], np.negative)]
    heapq.heapify(waiting)
    return heapq.heappop(waiting)[1](x)


@cases((np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0])), (np.ones(2), np.ones(2)), (np.ones(0), np.ones(1)))
def order_of_computed_lengths(x: Any, y: Any) -> Any:
    a, b = x.tolist(), [float(v) for v in y]
    return a < b, a <= b, a > b, a >= b, tuple(a) < (1.0, 5.0), b > [1.0], sorted([a, b]), min(a, b)


@cases((np.array([1.0, np.nan]),))
def one_object_is_equal_to_itself(x: Any) -> Any:
    v = x[1]
    return (1, x) == (1, x), (v, 1) == (v, 1), (v, 1) < (v, 2), [x, 2] < [x, 3], {"a": x} == {"a": x}


@cases(*((np.zeros(2), np.array([k, 0])) for k in (0, 1, -2, 2, -3)))
def written_at_a_position_of_a_list(x: Any, i: Any) -> Any:
    rows = [x + 1, x + 2]
    for k in i:
        rows[int(k)][0] += 5
    return rows


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
