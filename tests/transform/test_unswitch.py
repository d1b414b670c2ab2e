"""The pass that asks once whether a loop does anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.passes import without
from tests.programs.plain import Cases
from tests.transform.sessions import compared

Vector = Float64[Tensor, "n"]
Matrix = Float64[Tensor, "n m"]

once = Cases()
"""Programs whose loop asks nothing any more."""
each = Cases()
"""Near misses: a branch is left in the loop."""

VECTORS = tuple(np.array(x, float) for x in ([1, -2, 3], [0.5], []))
CASES = tuple((x, p) for x in VECTORS for p in (-1, 0, 2))


def branches_in_loops(model: onnx.ModelProto) -> int:
    """The branches in loops of a model."""

    def count(graph: onnx.GraphProto, inside: bool) -> int:
        found = sum(node.op_type == "If" for node in graph.node) if inside else 0
        parts = [(node.op_type, a.g) for node in graph.node for a in node.attribute if a.HasField("g")]
        return found + sum(count(g, inside or op == "Loop") for op, g in parts)

    return count(model.graph, False)


@once(*CASES)
def recurrence(x: Vector, p: int) -> Any:
    state = np.float64(1.0)
    for v in x:
        if p > 0:
            state = state * 0.5 + (state * state - 1.0) * v
    return state


@once(*CASES)
def in_the_other_side(x: Vector, p: int) -> Any:
    state, last = np.float64(1.0), -1
    for i in range(len(x)):
        if p > 0:
            pass
        else:
            state = state * x[i] + 1.0
            last = i
    return state, last


@once(*CASES)
def in_two_loops(x: Vector, p: int) -> Any:
    y = np.zeros(len(x))
    for i in range(len(x)):
        state = np.float64(i)
        for j in range(len(x)):
            if i - p >= 0:
                state = state * 0.5 + (1.0 - state) * x[j]
        y[i] = state
    return y


@each(*CASES)
def what_each_round_notes(x: Vector, p: int) -> Any:
    state, place = np.float64(1.0), -1
    for i in range(len(x)):
        if p >= 0:
            state = state * 0.5 + x[i] * x[i]
            if state > 2.0:
                place = i
                break
    return state, place


@each(*CASES)
def asked_of_the_round(x: Vector, p: int) -> Any:
    state = np.float64(1.0)
    for i in range(len(x)):
        if i > p:
            state = (state * state - 1.0) * x[i] + np.sum(x * state)
    return state


@each(*CASES)
def two_sides(x: Vector, p: int) -> Any:
    state = np.float64(1.0)
    for v in x:
        if p > 0:
            state = (state * state - 1.0) * v + np.sum(x * state)
        else:
            state = 1.0 - state + np.max(x - state)
            state = state * v
    return state


@each(*CASES)
def something_else_in_the_round(x: Vector, p: int) -> Any:
    state, other = np.float64(1.0), np.float64(0.0)
    for v in x:
        if p > 0:
            state = (state * state - 1.0) * v + np.sum(x * state)
        other = np.sum(x * other) + v
    return state, other


@once.each
def test_what_is_asked_once(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert not branches_in_loops(compared(fn, inputs))


@each.each
def test_what_is_asked_in_each_round(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert branches_in_loops(compared(fn, inputs)) >= 1


def test_a_loop_that_goes_on_for_ever_is_left_alone() -> None:
    def program(p: int, n: int) -> Any:
        count, state = 0, np.float64(1.0)
        while count < n:
            if p > 0:
                state = state * 0.5 + (state * state - 1.0)
                count += 1 if state > 0.0 else 2
            else:
                count += 3
        return count, state

    compared(program, ((1, 5), (0, 5), (1, 0), (-1, -2)))


def test_an_exception_in_the_branch_leaves_what_was_written() -> None:
    def program(x: Matrix, y: Vector, p: int) -> int:
        for i in range(len(x)):
            for j in range(x.shape[1]):
                if p > 0:
                    y[i] = y[i] * 0.5 + x[i, j]
                    if y[i] > 3.0:
                        raise ValueError(f"{i}, {j}")
        return 1

    x = np.arange(6.0).reshape(2, 3)
    compared(program, tuple((m, np.ones(len(m)), p) for m in (x, x[:, :0], x[:0], x - 3.0) for p in (0, 1)))


def test_the_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "unswitch")
    assert branches_in_loops(compared(recurrence, CASES)) == 1


def test_rounds_in_a_branch_are_done_at_once() -> None:
    def program(x: Matrix, y: Vector, p: int) -> Any:
        total = y.copy()
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                if i - p >= 0:
                    total[i] = total[i] + x[i, j] * y[i]
        return total

    x = np.arange(12.0).reshape(3, 4)
    compared(program, tuple((m, np.ones(len(m)), p) for m in (x, x[:, :0], x[:0]) for p in (-5, 1, 9)))
    assert "is array operations" in graph_program(program).explain("optimized")
