"""Queues, heaps and binary search of the standard library."""
# ruff: noqa: F841, RUF059, E741, FURB, C413, C414, C417, PERF, PLR, RET

from __future__ import annotations

import bisect
import heapq
from collections import deque
from heapq import heappop, heappush
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import Cases, check

N = np.array([3.0, -1.0, 2.0, 5.0, -4.0, 8.0])
I = np.array([3, 1, 2, 5, 4, 8])
E = np.zeros(0)
case = Cases()


@case((N,))
def heapq1(x: Any) -> Any:
    h = []
    for v in x:
        heapq.heappush(h, float(v))
    out = []
    while h:
        out.append(heapq.heappop(h))
    return out


@case((N,))
def heapq2(x: Any) -> Any:
    h = [(float(v), i) for i, v in enumerate(x)]
    heapq.heapify(h)
    a = heapq.heappop(h)
    b = heapq.heapreplace(h, (1.0, 99))
    return a, b, h, heapq.nsmallest(2, h)


@case((N,))
def dq1(x: Any) -> Any:
    q = deque()
    for v in x:
        q.append(float(v))
    q.appendleft(0.0)
    a = q.popleft()
    b = q.pop()
    return a, b, len(q), q[0], q[-1], list(q)


@case((N,))
def dq2(x: Any) -> Any:
    q = deque(maxlen=3)
    out = []
    for v in x:
        q.append(float(v))
        out.append(sum(q) / len(q))
    return out


@case((N,))
def dq3(x: Any) -> Any:
    q = deque([0])
    seen = [False] * 10
    order = []
    while q:
        u = q.popleft()
        if seen[u]:
            continue
        seen[u] = True
        order.append(u)
        for v in (2 * u + 1, 2 * u + 2):
            if v < 10:
                q.append(v)
    return order


@case((N,), (E,))
def d1(x: Any) -> Any:
    q = deque(float(v) for v in x)
    q.rotate(2)
    q.extendleft([1.0, 2.0])
    q.extend([7.0])
    q.reverse()
    return q, isinstance(q, deque), 7.0 in q, q.count(1.0), q.index(7.0), q == deque(q), bool(q), q.copy()


@case((N, 3), (N, 1), (E, 2), (np.array([1.0, np.nan]), 2))
def d2(x: Any, k: Any) -> Any:
    q = deque(maxlen=k)
    out = []
    for v in x:
        q.append(v)
        out.append(np.mean(q))
    return out, q


@case((N,))
def d3(x: Any) -> Any:
    q = deque([0.0] * 4, maxlen=4)
    for v in x:
        q.appendleft(float(v))
    return list(q), np.array(q), sum(q), max(q), sorted(q), q.maxlen


@case((E,), (N,))
def d4(x: Any) -> Any:
    q = deque(float(v) for v in x)
    return q.popleft()


@case((N, 2), (N, 9), (N, -1))
def d5(x: Any, i: Any) -> Any:
    q = deque(float(v) for v in x)
    q[i] += 1
    del q[0]
    return q[i], q


@case((N,))
def d6(x: Any) -> Any:
    q = deque([(0, 0.0)])
    seen = set()
    order = []
    while q:
        i, d = q.popleft()
        if i >= len(x):
            continue
        order.append((i, d))
        q.append((2 * i + 1, d + float(x[i])))
        q.append((2 * i + 2, d - float(x[i])))
    return order


@case((N,))
def sliding_max(x: Any) -> Any:
    dq = deque()
    out = []
    for i in range(len(x)):
        while dq and x[dq[-1]] <= x[i]:
            dq.pop()
        dq.append(i)
        if dq[0] <= i - 3:
            dq.popleft()
        if i >= 2:
            out.append(x[dq[0]])
    return np.array(out)


@case((np.array([[0, 4, 1, 0], [4, 0, 2, 5], [1, 2, 0, 8], [0, 5, 8, 0]]), 0))
def dijkstra(w: Any, s: Any) -> Any:
    n = w.shape[0]
    dist = [float("inf")] * n
    dist[s] = 0.0
    h = [(0.0, s)]
    while h:
        d, u = heappop(h)
        if d > dist[u]:
            continue
        for v in range(n):
            if w[u, v] > 0:
                nd = d + float(w[u, v])
                if nd < dist[v]:
                    dist[v] = nd
                    heappush(h, (nd, v))
    return dist


@case((N,))
def h1(x: Any) -> Any:
    h = [float(v) for v in x]
    heapq.heapify(h)
    a = heapq.heappushpop(h, 2.5)
    return h, a, heapq.nlargest(2, h), heapq.nsmallest(3, h, key=lambda v: -v)


@case((E,), (N,))
def h2(x: Any) -> Any:
    h = [float(v) for v in x]
    heapq.heapify(h)
    return heapq.heappop(h), h


@case((N,))
def b1(x: Any) -> Any:
    s = sorted(float(v) for v in x)
    i = bisect.bisect(s, 2.5)
    bisect.insort(s, 2.5)
    return s, i, bisect.bisect_left(s, 3.0), bisect.bisect_right([1, 2, 2, 3], 2)


@case((N,))
def b2(x: Any) -> Any:
    tails = []
    for v in x:
        i = bisect.bisect_left(tails, v)
        if i == len(tails):
            tails.append(v)
        else:
            tails[i] = v
    return len(tails), tails


@case((np.sort(N),))
def b3(x: Any) -> Any:
    return bisect.bisect_left(x, 2.0), bisect.bisect(x, 100)


@case((N,))
def d8(x: Any) -> Any:
    q = deque([1.0, 2.0])
    r = q
    r.append(3.0)
    a, b, c = q
    return a, q, len(r), [v * 2 for v in q], list(enumerate(q)), list(reversed(q))


@case.each
def test_the_same_as_in_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)


def refused(fn: Any, code: str, *args: Any) -> None:
    with pytest.raises(GraphProgramError) as caught:
        graph_program(fn)(*args)
    assert caught.value.code == code


def changed_while_iterated(x: Any) -> Any:
    q = deque([1.0, 2.0])
    for v in q:
        q.append(v)
    return q


def test_a_queue_that_changes_while_it_is_iterated() -> None:
    refused(changed_while_iterated, "GP319", N)
