"""Lists and arrays that grow by rows in a loop: the Loop of a model collects the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.programs.plain import differs, outcome

pytestmark = pytest.mark.usefixtures("loops_stay")

Array = np.ndarray[Any, Any]
X = np.arange(12.0).reshape(4, 3)


def rows(x: Array, n: int) -> Any:
    found = [x[0]]
    for row in x[:n]:
        found.append(row * 2)
    return np.stack(found)


def numbers(x: Array, n: int) -> Any:
    found = []
    for row in x[:n]:
        found.append(row.sum())
        if row.max() > 5:
            break
    return found


def blocks(x: Array, n: int) -> Any:
    found, flat = np.zeros((0, 3)), np.zeros(1)
    for row in x[:n]:
        found = np.concatenate((found, np.full((2, 3), row.sum())))
        flat = np.concatenate((flat, np.full(2, row.sum())))
    return found, flat


def outer_values(x: Array, n: int) -> Any:
    found = []
    for _ in range(n):
        found.append(x)
    return np.array(found)


def nested(x: Array, n: int) -> Any:
    found = []
    for row in x[:n]:
        inner = []
        for v in row:
            inner.append(v + 1)
        found.append(np.array(inner))
    return np.array(found)


def twice(x: Array, n: int) -> Any:
    a, b = [], [1]
    for i, row in enumerate(x[:n]):
        a.append(row.sum())
        b.append(i)
    return a, b, len(a)


def looked_at(x: Array, n: int) -> Any:
    """The list is read in the rounds, so it must be carried."""
    found = [0.0]
    for row in x[:n]:
        found.append(found[-1] + row.sum())
    return found


def sometimes(x: Array, n: int) -> Any:
    """Only some rounds append."""
    found = []
    for row in x[:n]:
        if row.sum() > 2:
            found.append(row.min())
    return found


def loops(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    for node in graph.node:
        if node.op_type == "Loop":
            yield node
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from loops(attribute.g)


def collects(loop: onnx.NodeProto) -> int:
    """How many outputs of a Loop are collected."""
    return len(loop.output) - (len(loop.input) - 2)


@pytest.mark.parametrize(
    ("function", "stacks"),
    [
        (rows, 1),
        (numbers, 1),
        (blocks, 2),
        (outer_values, 1),
        (nested, 2),
        (twice, 2),
        (looked_at, 0),
        (sometimes, 0),
    ],
)
def test_what_a_loop_collects(function: Callable[..., Any], stacks: int) -> None:
    program = graph_program(function)
    for n in (4, 1, 0):
        expected, found = outcome(function, (X, n))[0], outcome(program, (X, n))[0]
        if n or function not in (nested, outer_values):  # of no elements, NumPy has no shape
            assert not differs(expected, found)
    assert sum(map(collects, loops(program.model((X, 4)).graph))) == stacks


def columns(x: Array, n: int) -> Any:
    pairs = []
    for i, row in enumerate(x[:n]):
        pairs.append((row * 2, i))
    return [a for a, _ in pairs], [i for _, i in pairs]


def backwards(x: Array, n: int) -> Any:
    found = [row.sum() for row in x[:n]]
    return [v + 1 for v in found[::-1]], [found[0] for _ in found]


def of_inner(x: Array, n: int) -> Any:
    """What is copied is made anew in each round."""
    kept = []
    for i in range(n):
        inner = [j * i for j in range(n)]
        kept.append(inner[i])
    return kept


def shorter(x: Array, n: int) -> Any:
    found = [i * 2 for i in range(n)]
    return [found[i] for i in range(n // 2)], found


def ended(x: Array, n: int) -> Any:
    found, copies = [i * 2 for i in range(n)], []
    for v in found:
        copies.append(v)
        if v == 2:
            break
    return copies, found


@pytest.mark.parametrize(("function", "count"), [(columns, 1), (backwards, 3), (of_inner, 2), (shorter, 2), (ended, 2)])
def test_loops_that_only_copy(function: Callable[..., Any], count: int) -> None:
    program = graph_program(function)
    for n in (4, 1, 0):
        assert not differs(outcome(function, (X, n)), outcome(program, (X, n)))
    assert len(list(loops(program.model((X, 4)).graph))) == count


def sums_of_groups(x: Float64[Tensor, "rows columns"], n: int) -> Any:
    """Each row has a largest element, so that there is a column, and a round."""
    best = x[:n].argmax(axis=1)
    return np.array([x[:n][best == k].sum(axis=0) for k in range(x.shape[1])])


def sums_of_rows(x: Float64[Tensor, "rows columns"], n: int) -> Any:
    best = x[:, 0] > 2
    return np.array([x[best][k:].sum(axis=0) for k in range(n)])


def behind_loops(graph: onnx.GraphProto) -> Iterator[str]:
    """The operators behind the loops of a graph and its inner ones."""
    operators = [node.op_type for node in graph.node]
    yield from operators[operators.index("Loop") + 1 :] if "Loop" in operators else []
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from behind_loops(attribute.g)


@pytest.mark.parametrize(("function", "begins"), [(sums_of_groups, True), (sums_of_rows, False)])
def test_the_shape_of_what_a_loop_without_rounds_collects(function: Callable[..., Any], begins: bool) -> None:
    program = graph_program(function)
    for n in (4, 1):
        assert not differs(outcome(function, (X, n)), outcome(program, (X, n)))
    assert ("Reshape" in behind_loops(program.model().graph)) is not begins
