"""The pass that gives out of loops what is read where they were left so, and no more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Int64, Tensor, graph_program
from graph_program.backends.reference.interpreter import run
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.verifier import verify_graph
from graph_program.extract.passes import run_passes
from graph_program.extract.transform import PASSES, optimize
from graph_program.extract.transform.rewrite import copy_program
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT
from tests.programs.plain import Cases, outcome
from tests.transform.sessions import compared
from tests.transform.test_passes import Builder

ONLY = [item for item in PASSES if item.name in ("exit_reads", "dce")]

at_once = Cases()
"""Programs that may fail in any round, with arguments: nothing of the error is carried."""

SIZES = tuple(
    (np.arange(float(n * m)).reshape(n, m), np.ones(r)) for n, m, r in ((3, 2, 3), (3, 2, 2), (2, 0, 1), (0, 2, 0))
)


def alone(program: GraphProgram) -> GraphProgram:
    """The program after this pass."""
    result = copy_program(program)
    run_passes(result, ONLY)
    verify_graph(result, unread=False)
    return result


def searched(flagged: bool, read_inside: bool) -> GraphProgram:
    """A loop up to a number, which gives the round that found another one, and reads that where it did, or always."""
    b = Builder()
    n, wanted = b.input(PY_INT), b.input(PY_INT)
    zero, none = b.const(0), b.const(-1)
    k, place, found, total = (
        Value(name, kind) for name, kind in (("k", PY_INT), ("place", PY_INT), ("found", PY_BOOL), ("total", PY_INT))
    )
    hit, again, given, more = (
        Value(name, kind) for name, kind in (("hit", PY_BOOL), ("again", PY_BOOL), ("given", PY_INT), ("more", PY_INT))
    )
    nodes = [
        Node("equal", [k, wanted], [hit]),
        Node("invert", [hit], [again]),
        Node("where", [hit, k, place], [given]),
        Node("add", [total, place if read_inside else k], [more]),
    ]
    body = Graph([k, place, found, total], nodes, [again, given, hit, more])
    outputs = [Value("last_place", PY_INT), Value("left", PY_BOOL), Value("sum", PY_INT)]
    b.graph.nodes.append(Node("loop", [n, b.const(True), b.const(7), b.const(False), zero], outputs, {}, [body]))
    result = b.op("where", PY_INT, outputs[1], outputs[0], none) if flagged else b.op("add", PY_INT, outputs[0], zero)
    return b.finish(result, outputs[2])


@pytest.mark.parametrize(("flagged", "read_inside"), [(True, False), (True, True), (False, False)])
def test_what_is_read_where_a_flag_says_so(flagged: bool, read_inside: bool) -> None:
    program = searched(flagged, read_inside)
    changed = alone(program)
    (loop,) = (node for node in changed.graph.walk() if node.op == "loop")
    chosen = [node for node in loop.regions[0].nodes if node.op == "where"]
    assert bool(chosen) is not (flagged and not read_inside)
    for arguments in ([5, 2], [5, 9], [0, 0], [3, 0], [1, 0]):
        want = run(program, arguments)
        assert run(changed, arguments) == want == run(optimize(program), arguments)
        assert run(optimize(program, disabled=frozenset({"exit_reads"})), arguments) == want


@at_once(*SIZES)
def index_outside_in_a_nest(a: Float64[Tensor, "n m"], s: Float64[Tensor, "r"]) -> Any:
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            s[i] += a[i, k]
    return s


@at_once(*((np.array(x, np.int64), p) for x in ([1, 2, 3], [4, 0, 5], []) for p in (1, 3, 9)))
def raises_with_arguments(x: Int64[Tensor, "n"], p: int) -> Any:
    total = 0
    for i in range(len(x)):
        for k in range(4):
            if x[i] == p and k == 2:
                raise ValueError(f"{i}: {x[i]} in {k}")
        total += i
    return total


@at_once.each
def test_errors_in_the_middle(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], tmp_path: Path) -> None:
    compared(fn, inputs)
    assert [loop.text for loop in graph_program(fn).export(tmp_path / "m.onnx").loops] == ["array operations"] * 2


@pytest.mark.parametrize("without", [(), ("exit_reads",)])
@at_once.each
def test_the_switch(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], without: tuple[str, ...]) -> None:
    program = graph_program(fn, backend="onnxruntime", without=without)
    for args in inputs:
        np.testing.assert_equal(outcome(program, args), outcome(fn, args))
