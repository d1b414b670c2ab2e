"""Checks of what a loop carries, which rounds keep right: they are asked of what it begins with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx

from graph_program import Float64, Int64, Tensor, graph_program
from tests.programs.plain import Cases, check

Square = Float64[Tensor, "n n"]
Places = Int64[Tensor, "n"]
RNG = np.random.default_rng(3)
SQUARES = tuple((RNG.random((n, n)), k, r) for n in (3, 1, 0) for k in (0, 2, 3, -3, -4) for r in (4, 1, 0))
PLACES = tuple(
    (np.array(x, np.int64), k, r) for x in ([2, 0, 1], [5, 1, -1], [0], []) for k in (0, 2, 9) for r in (4, 0)
)

before = Cases()
"""Programs whose loop checks nothing, with arguments."""
inside = Cases()
"""Near misses."""


@before(*SQUARES)
def best_successor(table: Square, first: int, rounds: int) -> Any:
    state = np.int64(first)
    for _ in range(rounds):
        state = np.argmax(table[state] + table[0])
    return state


@before(*SQUARES)
def remainders(table: Square, first: int, rounds: int) -> Any:
    last = np.full(2, first)
    for _ in range(rounds):
        last = np.argsort(table[last].ravel(), kind="stable")[:2] % len(table)
    return last


@before(*((RNG.random((n, n)), RNG.random(t)) for n in (3, 1, 0) for t in (5, 2, 1, 0)))
def rows_that_a_loop_has_found(table: Square, times: Float64[Tensor, "t"]) -> Any:
    count, states = len(times), len(table)
    score = table[0] + times[0]
    came_from = np.zeros((count, states), np.int64)
    for t in range(1, count):
        came_from[t] = np.argmax(score[:, None] + table, axis=0)
        score = score + table[0] * times[t]
    path = np.zeros(count, np.int64)
    path[count - 1] = np.argmax(score)
    for t in range(count - 1, 0, -1):
        path[t - 1] = came_from[t, path[t]]
    return path


@inside(*PLACES)
def places_of_an_argument(x: Places, first: int, rounds: int) -> Any:
    place = np.int64(first)
    for _ in range(rounds):
        place = x[place]
    return place


@inside(*PLACES)
def one_too_many(x: Places, first: int, rounds: int) -> Any:
    place = np.int64(first)
    for _ in range(rounds):
        place = np.argmax(x + x[place]) + 1
    return place


@inside(*PLACES)
def in_one_branch_only(x: Places, first: int, rounds: int) -> Any:
    place = np.int64(first)
    for k in range(rounds):
        y = x[place]
        place = place + 1 if y > 1 else np.argmax(x * k)
    return place


@inside(*PLACES)
def in_the_middle(x: Places, first: int, rounds: int) -> Any:
    place, total = np.int64(first), np.int64(0)
    for k in range(rounds):
        total = total + x[place] * k
        place = place - k + x[0] % 3
    return total


def errors_in_loops(graph: onnx.GraphProto) -> int:
    """How many conditions of loops are not those that they begin with: the flag that a check ends them by."""
    found = 0
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                body = attribute.g
                found += node.op_type == "Loop" and body.output[0].name != body.input[1].name
                found += errors_in_loops(body)
    return found


@before.each
def test_what_rounds_keep_right_is_not_asked_in_them(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]
) -> None:
    check(fn, *inputs)
    model = graph_program(fn).model(include_errors=True)
    assert errors_in_loops(model.graph) == 0


@inside.each
def test_what_may_become_wrong_is(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
    model = graph_program(fn).model(include_errors=True)
    assert errors_in_loops(model.graph) > 0
