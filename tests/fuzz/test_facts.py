"""A few random programs about shapes; `python -m tests.fuzz --facts 2000` runs many."""

from __future__ import annotations

import numpy as np
import pytest

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.types.dims import Dim, dim, symbol
from graph_program.extract.types.tensors.tensor_type import BOOL, FLOAT64, TensorType
from tests.fuzz import facts, shape_report
from tests.fuzz.shape_programs import shape_program

KNOWN_GAPS = frozenset({"no error", "another error", "reached onnxruntime", "refused though it runs"})
"""Kinds that the long run still finds; the others must not occur."""


@pytest.mark.parametrize("seed", range(12))
def test_types_of_every_value(seed: int) -> None:
    report = shape_report.check(shape_program(seed))
    bad = [f for f in report.findings if f[0] not in shape_report.DOCUMENTED | KNOWN_GAPS]
    assert not bad
    assert report.counts["values checked"] or not report.counts["accepted"]


def added(shape: tuple[Dim, ...]) -> GraphProgram:
    """`x + 1` for `x: float64 [n, m]`, said to have a shape."""
    x = Value("x", TensorType(FLOAT64, (symbol("n"), symbol("m"))))
    one, result = Value("one", TensorType(FLOAT64)), Value("result", TensorType(FLOAT64, shape))
    nodes = [Node("constant", [], [one], {"value": np.ones(())}), Node("add", [x, one], [result])]
    return GraphProgram("added", Graph([x], nodes, [result]), ["result"])


n, m, other = symbol("n"), symbol("m"), symbol("other")


RIGHT = [(n, m), (dim(2), m), (n, n + 1), (other, m), (other, other + 1), (n * 3 // 2 - 1, m), (m - 1, n + other)]
WRONG = [(m, n), (dim(3), m), (n, n + m), (n,), (other, other), (other + 1, other + 3), (n * 3 // 2, m)]


@pytest.mark.parametrize(("shape", "right"), [*((s, True) for s in RIGHT), *((s, False) for s in WRONG)])
def test_wrong_shapes_are_noticed(shape: tuple[Dim, ...], right: bool) -> None:
    seen = facts.record(added(shape), [np.zeros((2, 3))])
    assert bool(seen.findings) is not right


def picked(condition: bool) -> GraphProgram:
    """A loop of three rounds; each picks as many elements as its number, under a name for that."""
    steps = Value("steps", TensorType(np.dtype(np.int64)))
    go, again = Value("go", TensorType(BOOL)), Value("again", TensorType(BOOL))
    i = Value("i", TensorType(np.dtype(np.int64)))
    count = Value("count", TensorType(np.dtype(np.int64), (symbol("k"),)))
    twice = Value("twice", TensorType(np.dtype(np.int64), (symbol("k") if condition else symbol("k") + 1,)))
    body = Graph([i], [Node("iota", [i], [count]), Node("add", [count, count], [twice])], [])
    body.nodes.append(Node("constant", [], [again], {"value": np.array(True)}))
    body.outputs.append(again)
    nodes = [
        Node("constant", [], [steps], {"value": np.array(3)}),
        Node("constant", [], [go], {"value": np.array(True)}),
        Node("loop", [steps, go], [], regions=[body]),
    ]
    return GraphProgram("picked", Graph([], nodes, []), [])


def test_names_mean_one_size_in_each_round() -> None:
    assert not facts.record(picked(True), []).findings
    assert facts.record(picked(False), []).findings
