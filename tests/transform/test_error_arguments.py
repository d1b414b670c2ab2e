"""The pass that leaves out arguments of errors that have not happened: with and without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx

from graph_program import Float64, Int32, Int64, Tensor, graph_program
from tests.benchmarks.graphs.programs import viterbi
from tests.passes import without
from tests.programs.plain import Cases, check

VECTORS = (np.array([1.0, 5, -2, 4]), np.array([0.5]), np.zeros(0))
INDICES = (np.array([0, 3, -1]), np.array([1, 4]), np.array([-5, 0]), np.zeros(0, np.int64), np.array([0]))
ROWS = tuple(np.random.default_rng(n).integers(0, 4, n).astype(np.int32) for n in (0, 1, 2, 7, 12))
PAIRS = tuple((x, k) for x in VECTORS for k in INDICES)

fewer = Cases()
"""Programs whose loops carry fewer arguments, with arguments."""
as_many = Cases()
"""Near misses."""


@fewer(*PAIRS)
def behind_a_loop_that_may_fail(x: Float64[Tensor, "n"], k: Int64[Tensor, "m"]) -> Any:
    total = x[0]
    for i in k:
        total = np.sin(total) + x[i]
    place = k[0]
    for _ in range(3):
        place = k[place % len(k)] // 2
        total = np.cos(total) * place
    return total


STATES = tuple(tuple(viterbi.arguments(size, np.random.default_rng(size)).values()) for size in (5, 2))
fewer(*STATES)(viterbi.viterbi.python)


@fewer(
    *(
        (np.array(rows), np.ones((2, 2)), rounds)
        for rows in ([[1.0, 3], [2, -1]], np.zeros((2, 2)))
        for rounds in (0, 3)
    )
)
def of_a_check_that_is_decided(x: Float64[Tensor, "n m"], c: Float64[Tensor, "n m"], rounds: int) -> Any:
    """As many elements are written as there are, which nobody has to count."""
    counts = np.zeros(x.shape, np.int64)
    for k in range(rounds):
        low = np.less(abs(x), 2.0)
        counts[low] = k
        x[low] = x[low] ** 2 + c[low]
    counts[counts == rounds - 1] = 0
    return x, counts


@fewer(*((n, x) for x in ROWS for n in (len(x), max(len(x) - 1, 0))), (4, ROWS[2]))
def a_triangle(n: int, x: Int32[Tensor, "m"]) -> Any:
    """Nothing can be outside in the loop over k; of `x[i]` before it, it can."""
    table = np.zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            if i < j - 1 and j - 1 >= 0:
                table[i, j] = max(table[i, j], table[i + 1, j - 1] + x[i] * x[j])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table


@as_many(*PAIRS)
def of_what_is_carried(x: Float64[Tensor, "n"], k: Int64[Tensor, "m"]) -> Any:
    place, total = 0, np.float64(0.0)
    for _ in range(4):
        place = k[place] + place
        total = np.sin(total) + place
    return total, x


@fewer(*PAIRS)
def an_error_of_the_inner_loop(x: Float64[Tensor, "n"], places: Int64[Tensor, "m"]) -> Any:
    total = np.float64(0.0)
    for i in range(3):
        total = np.sin(total) + i
        for k in places:
            total = np.cos(total) + x[k]
    return total


@as_many(*PAIRS)
def an_error_that_is_caught(x: Float64[Tensor, "n"], places: Int64[Tensor, "m"]) -> Any:
    total, failed = np.float64(0.0), 0
    for k in places:
        try:
            total = np.sin(total) + x[k]
        except IndexError:
            failed += 1
            for _ in range(failed):
                total = np.cos(total) * x[0]
    return total, failed


def size(fn: Callable[..., Any]) -> int:
    """Values that branches and loops of a program's model give, and copies of values."""
    model = graph_program(fn).model()
    return sum(weight(node) for node in model.graph.node)


def weight(node: onnx.NodeProto) -> int:
    graphs = [attribute.g for attribute in node.attribute if attribute.HasField("g")]
    own = len(node.output) if graphs else int(node.op_type in ("Identity", "Where"))
    return own + sum(weight(inner) for graph in graphs for inner in graph.node)


@fewer.each
def test_fewer_arguments(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any) -> None:
    check(fn, *inputs)
    here = size(fn)
    without(monkeypatch, "error_arguments")
    check(fn, *inputs)
    assert here < size(fn)


@as_many.each
def test_arguments_that_are_read(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any) -> None:
    check(fn, *inputs)
    here = size(fn)
    without(monkeypatch, "error_arguments")
    assert here == size(fn)
