"""The pass that takes sizes, and what is asked of them, out of branches in loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.passes import without
from tests.programs.plain import Cases, check
from tests.transform.sessions import compared

Vector = Float64[Tensor, "n"]
Other = Float64[Tensor, "m"]

before = Cases()
"""Programs whose branches ask for no size."""
kept = Cases()
"""Near misses: what the branches ask for stays in them."""

X = np.array([1.0, -2.0, 3.0])
INPUTS = tuple((x, y, p) for x in (X, X[:0]) for y in (-X, -X[:2], -X[:1], -X[:0]) for p in (0.0, 9.0))


def sizes_in_branches(model: onnx.ModelProto) -> int:
    """How many sizes are read in branches in loops."""

    def walk(graph: onnx.GraphProto, loop: bool, branch: bool) -> Iterator[bool]:
        for node in graph.node:
            yield node.op_type in ("Shape", "Size") and loop and branch
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    yield from walk(
                        attribute.g, loop or node.op_type == "Loop", branch or (loop and node.op_type == "If")
                    )

    return sum(walk(model.graph, False, False))


@before(*INPUTS)
def numbers_of_sizes(x: Vector, y: Other, p: float) -> Any:
    total = np.zeros(len(y))
    for v in x:
        if v > p:
            total = total * v + y * len(y) + np.sum(total)
    return total


@before(*INPUTS)
def sizes_that_must_be_the_same(x: Vector, y: Other, p: float) -> Any:
    """The error is told in the round that asks, and only there."""
    total = np.zeros(3)
    for v in x:
        if v > p:
            total = total * v + y + np.sum(total)
    return total


@before(*INPUTS)
def in_two_loops(x: Vector, y: Other, p: float) -> Any:
    total = np.zeros(3)
    for i in range(len(x)):
        for v in x:
            if v > p + i:
                total = total * v + y + np.sum(total)
    return total


@before(*INPUTS)
def written_before_the_error(x: Vector, y: Other, p: float) -> Any:
    for i in range(len(x)):
        if x[i] > p:
            x[i] = np.sum(x) - p
            y[i] = y[i] + len(y) * np.sum(y)
    return x


@kept(*INPUTS)
def sizes_of_the_round(x: Vector, y: Other, p: float) -> Any:
    total = np.float64(0.0)
    for v in x:
        if v > p:
            some = y[y > total]
            total = total * 0.5 + len(some) + np.sum(some * total)
    return total


@before.each
def test_before_the_loop(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
    assert not sizes_in_branches(graph_program(fn).model())


@kept.each
def test_in_the_branch(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert sizes_in_branches(compared(fn, inputs))


@before.each
def test_without(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "branch_invariants")
    check(fn, *inputs)
