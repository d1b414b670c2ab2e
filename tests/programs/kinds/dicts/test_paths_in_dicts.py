"""Searches that keep where each node came from in a dict, and walk back: its values are numbers, tuples, or None."""

from __future__ import annotations

import heapq

import numpy as np
import pytest

from tests.programs.plain import check

COST = np.array([[1, 9, 1], [1, 9, 1], [1, 1, 1]])
EDGES = np.array([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [1, 0, 0, 0]])


def cheapest(cost, start, goal):
    queue = [(0, start)]
    came, known = {}, {start: 0}
    while queue:
        d, here = heapq.heappop(queue)
        if here == goal:
            path = [here]
            node = here
            while node in came:
                node = came[node]
                path.append(node)
            return path[::-1], d
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            there = (here[0] + dr, here[1] + dc)
            if 0 <= there[0] < cost.shape[0] and 0 <= there[1] < cost.shape[1]:
                new = d + int(cost[there])
                if there not in known or new < known[there]:
                    known[there] = new
                    came[there] = here
                    heapq.heappush(queue, (new, there))
    return None


def first_in_breadth(edges, start, goal):
    parent = {start: None}
    todo = [start]
    while todo:
        u = todo.pop(0)
        for v in range(len(edges)):
            if edges[u, v] and v not in parent:
                parent[v] = u
                todo.append(v)
    path = []
    node = goal
    while node is not None:
        path.append(node)
        node = parent[node]
    return path[::-1]


def levels(n, start):
    level = {start: 0}
    todo = [start]
    d = -1
    while todo:
        u = todo.pop()
        d = level[u]
        if u < n:
            level[u + 1] = d + 1
            todo.append(u + 1)
    return d, level


def pairs(n):
    before = {}
    for v in range(n):
        before[v + 1, v] = (v, v - 1)
    node = (n, n - 1)
    path = [node]
    while node in before:
        node = before[node]
        path.append(node)
    return path


def test_on_a_grid():
    check(cheapest, (COST, (0, 0), (0, 2)), (COST, (1, 0), (1, 0)), (COST[:, :1], (0, 0), (0, 1)))


@pytest.mark.parametrize("goal", [0, 2, 3])
def test_in_a_graph(goal):
    check(first_in_breadth, (EDGES, 0, goal))


def test_a_node_that_was_not_reached():
    check(first_in_breadth, (EDGES, 2, 0))


def test_levels():
    check(levels, (3, 0), (0, 0), (2, 5))


def test_pairs():
    check(pairs, (4,), (0,))
