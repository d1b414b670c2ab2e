"""Checks that are the same in every round, before their loop; and such as must stay in it."""

from __future__ import annotations

from collections.abc import Callable
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
from tests.programs.plain import Cases
from tests.transform.sessions import compared
from tests.transform.test_passes import Builder

Matrix = Float64[Tensor, "n m"]
Other = Float64[Tensor, "k l"]

ONLY = [item for item in PASSES if item.name in ("loop_checks", "dce")]


def alone(program: GraphProgram) -> GraphProgram:
    """The program after this pass."""
    result = copy_program(program)
    run_passes(result, ONLY)
    verify_graph(result)
    return result


def check(test: Value, name: str, number: Value, other: Node, first: bool) -> tuple[Node, list[Value]]:
    """A check that ends with an error number, and does something else where it holds."""
    error, more = Value(f"{name}.error", PY_INT), Value(f"{name}.more", PY_INT)
    zero = Value(f"{name}.none", PY_INT)
    none = Node("constant", [], [zero], {"value": np.array(0)})
    undefined = Value(f"{name}.undefined", PY_INT)
    failed = Graph([], [Node("placeholder", [], [undefined])], [number, undefined])
    goes_on = Graph([], [none, other], [zero, other.outputs[0]])
    sides = [failed, goes_on] if first else [goes_on, failed]
    return Node("if", [test], [error, more], {"fails": 0 if first else 1}, sides), [error, more]


def summed(before: str = "", first: bool = True, changes: bool = False) -> GraphProgram:
    """A sum of the numbers of rounds, whose rounds fail where a flag is set; `before` stands before that."""
    b = Builder()
    n, bad = b.input(PY_INT), b.input(PY_BOOL)
    true, zero, three, nine = b.const(True), b.const(0), b.const(3), b.const(9)
    k, total, error = Value("k", PY_INT), Value("total", PY_INT), Value("error", PY_INT)
    nodes, test, extra = [], bad, total
    if before == "loop":
        i, x, inner = Value("i", PY_INT), Value("x", PY_INT), Value("inner", PY_INT)
        nodes.append(Node("loop", [n, true, total], [inner], {}, [Graph([i, x], [], [true, x])]))
        extra = inner
    if before == "check":
        other = Node("negative", [k], [Value("first.minus", PY_INT)])
        late = Value("late", PY_BOOL)
        node, (_, extra) = check(late, "first", three, other, True)
        nodes += [Node("equal", [k, zero], [late]), node]
    if changes:
        test = Value("changing", PY_BOOL)
        later = Value("later", PY_BOOL)
        nodes += [Node("greater", [k, zero], [later]), Node("bitwise_and", [bad, later], [test])]
    node, (number, more) = check(test, "second", nine, Node("add", [extra, k], [Value("sum", PY_INT)]), first)
    again = Value("again", PY_BOOL)
    body = Graph([k, total, error], [*nodes, node, Node("equal", [number, zero], [again])], [again, more, number])
    outputs = [Value("out", PY_INT), Value("number", PY_INT)]
    b.graph.nodes.append(Node("loop", [n, true, zero, zero], outputs, {}, [body]))
    safe = Value("safe", PY_INT)
    good = Value("good", PY_BOOL)
    b.graph.nodes.append(Node("equal", [outputs[1], zero], [good]))
    b.graph.nodes.append(Node("where", [good, outputs[0], zero], [safe]))
    return b.finish(outputs[1], safe)


def checks_in_loops(program: GraphProgram) -> int:
    loops = [node for node in program.graph.walk() if node.op == "loop"]
    return sum("fails" in node.attrs for loop in loops for node in loop.regions[0].walk())


@pytest.mark.parametrize("first", [True, False])
def test_a_check_that_does_not_change_is_done_once(first: bool) -> None:
    program = summed(first=first)
    assert checks_in_loops(alone(program)) == 0
    for n in (-1, 0, 1, 4):
        for bad in (True, False):
            want = run(program, [n, bad])
            assert want == [[9, 0], [0, sum(range(n))]][not (bad is first and n > 0)]
            assert run(alone(program), [n, bad]) == want == run(optimize(program), [n, bad])
            assert run(optimize(program, disabled=frozenset({"loop_checks"})), [n, bad]) == want


@pytest.mark.parametrize("program", [summed("loop"), summed("check"), summed(changes=True)])
def test_a_check_behind_what_may_fail_or_not_end_stays(program: GraphProgram) -> None:
    assert checks_in_loops(alone(program)) == checks_in_loops(program)
    for n in (0, 1, 3):
        for bad in (True, False):
            assert run(optimize(program), [n, bad]) == run(program, [n, bad])


def test_a_check_in_a_loop_in_a_loop_stands_before_both() -> None:
    b = Builder()
    n, m, bad = b.input(PY_INT), b.input(PY_INT), b.input(PY_BOOL)
    true, zero, nine = b.const(True), b.const(0), b.const(9)
    k, j, total, part = (Value(name, PY_INT) for name in ("k", "j", "total", "part"))
    node, (number, more) = check(bad, "inner", nine, Node("add", [part, j], [Value("sum", PY_INT)]), True)
    error, found = Value("error", PY_INT), [Value("found", PY_INT), Value("found.error", PY_INT)]
    again, good = Value("again", PY_BOOL), Value("good", PY_BOOL)
    inner = Graph([j, part, error], [node, Node("equal", [number, zero], [again])], [again, more, number])
    loop = Node("loop", [m, true, total, zero], found, {}, [inner])
    outer_error = Value("outer.error", PY_INT)
    body = Graph([k, total, outer_error], [loop, Node("equal", [found[1], zero], [good])], [good, *found])
    outputs = [Value("out", PY_INT), Value("number", PY_INT)]
    b.graph.nodes.append(Node("loop", [n, true, zero, zero], outputs, {}, [body]))
    program = b.finish(outputs[1])
    hoisted = optimize(program)
    assert checks_in_loops(alone(program)) == 0
    for arguments in ([0, 2, True], [2, 0, True], [2, 3, True], [2, 3, False]):
        assert run(hoisted, arguments) == run(program, arguments) == run(alone(program), arguments)


# ---------------------------------------------------------------- in process, where indices are not checked

moved = Cases()
"""Programs whose check of sizes stands behind a sum that has one of its own."""
kept = Cases()
"""Near misses, which read by an index that may be outside before the check."""

PAIRS = tuple(
    (np.arange(n * m, dtype=float).reshape(n, m) - 2, np.arange(k * j, dtype=float).reshape(k, j) * 0.5)
    for n, m in ((3, 3), (3, 1), (3, 2), (2, 4), (0, 0), (1, 0))
    for k, j in ((3, 2), (3, 0), (1, 2), (4, 1), (0, 3))
)


@moved(*PAIRS)
def products_of_rows(c: Matrix, a: Other) -> Any:
    for i in range(a.shape[0]):
        c[i, : i + 1] *= 2.0
        for k in range(a.shape[1]):
            c[i, : i + 1] += a[i, k] * a[: i + 1, k]
    return c


@moved(*PAIRS)
def sums_of_columns(c: Matrix, a: Other) -> Any:
    total = c[:, 0] * 1.0
    for k in range(a.shape[1]):
        total += c[:, 1:2].sum(axis=1) + a[:, k]
    return total


@kept(*((*pair, np.array(at)) for pair in PAIRS for at in ([0, 1, 5, 0], [1, 0, 0, -9], [0, 0, 0, 0])))
def by_given_rows(c: Matrix, a: Other, at: Int64[Tensor, "p"]) -> Any:
    total = c[0] * 1.0
    for k in range(a.shape[1]):
        total += c[at[k]] * a[0, k] + a[:, k]
    return total


@moved.each
def test_what_fails_first_is_told(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    compared(fn, inputs)


@kept.each
def test_an_index_outside_is_told_before_sizes(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    compared(fn, inputs)


def test_a_check_behind_a_sum_is_done_once() -> None:
    text = graph_program(products_of_rows).explain("optimized")
    assert "test_loop_checks.py" in text and " is array operations" in text
