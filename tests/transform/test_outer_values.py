"""Values that branches and loops give though they are known outside, and such as are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from graph_program.backends.reference.interpreter import run
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.verifier import verify_graph
from graph_program.extract.passes import run_passes
from graph_program.extract.transform import PASSES, optimize
from graph_program.extract.transform.rewrite import copy_program
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT
from tests.transform.test_passes import Builder

ONLY = [item for item in PASSES if item.name in ("outer_values", "dce")]


def alone(program: GraphProgram) -> GraphProgram:
    """The program after this pass."""
    result = copy_program(program)
    run_passes(result, ONLY)
    verify_graph(result, unread=False)
    return result


def side(*outputs: Value, nodes: Sequence[Node] = ()) -> Graph:
    return Graph([], list(nodes), list(outputs))


def branch(sides: Callable[[Builder, Value, Value], tuple[Graph, Graph]]) -> GraphProgram:
    """A program that gives what a branch gives, from two integers."""
    b = Builder()
    test, x, y = b.input(PY_BOOL), b.input(PY_INT), b.input(PY_INT)
    then, other = sides(b, x, y)
    return b.finish(b.add("if", PY_INT, [test], {}, [then, other]))


def undefined(b: Builder) -> Value:
    return b.op("placeholder", PY_INT)


def computed(name: str, x: Value) -> tuple[Value, Node]:
    value = Value(name, PY_INT)
    return value, Node("negative", [x], [value])


def known(b: Builder, x: Value, y: Value) -> tuple[Graph, Graph]:
    return side(x), side(x)


def known_where_read(b: Builder, x: Value, y: Value) -> tuple[Graph, Graph]:
    return side(x), side(undefined(b))


def nowhere_read(b: Builder, x: Value, y: Value) -> tuple[Graph, Graph]:
    return side(undefined(b)), side(undefined(b))


def two_values(b: Builder, x: Value, y: Value) -> tuple[Graph, Graph]:
    return side(x), side(y)


def computed_inside(b: Builder, x: Value, y: Value) -> tuple[Graph, Graph]:
    value, node = computed("inside", x)
    return side(value, nodes=[node]), side(undefined(b))


@pytest.mark.parametrize("sides", [known, known_where_read, nowhere_read])
def test_what_a_branch_gives_is_read_outside(sides: Any) -> None:
    program = branch(sides)
    assert "if" not in [node.op for node in alone(program).graph.walk()]
    if sides is not nowhere_read:
        assert run(alone(program), [True, 5, 7]) == [5]


@pytest.mark.parametrize("sides", [two_values, computed_inside])
def test_what_only_a_branch_knows_stays(sides: Any) -> None:
    program = branch(sides)
    assert "if" in [node.op for node in alone(program).graph.walk()]
    assert run(alone(program), [True, 5, 7]) == run(program, [True, 5, 7])


def loop(defined: bool, same: bool) -> GraphProgram:
    """A loop that carries a number, which may be set before the first round, and may be the same after each."""
    b = Builder()
    n, x = b.input(PY_INT), b.input(PY_INT)
    k, carried = Value("k", PY_INT), Value("carried", PY_INT)
    result, node = computed("result", k)
    body = Graph([k, carried], [] if same else [node], [b.const(True), x if same else result])
    initial = b.const(3) if defined else undefined(b)
    return b.finish(b.add("loop", PY_INT, [n, b.const(True), initial], {}, [body]))


def test_what_no_round_changes_is_read_outside() -> None:
    program = loop(defined=False, same=True)
    assert "loop" not in [node.op for node in alone(program).graph.walk()]
    assert run(alone(program), [2, 9]) == [9]


@pytest.mark.parametrize(("defined", "same"), [(True, True), (True, False), (False, False)])
def test_what_rounds_change_stays(defined: bool, same: bool) -> None:
    program = loop(defined, same)
    assert "loop" in [node.op for node in alone(program).graph.walk()]
    for n in (0, 1, 4) if defined else (1, 4):
        assert run(alone(program), [n, 9]) == run(program, [n, 9])


def last_of(trips: int, reads: bool) -> GraphProgram:
    """A loop that carries a number which each round sets to the same one, beside a sum that may read it."""
    b = Builder()
    x, y = b.input(PY_INT), b.input(PY_INT)
    k, carried, total, more = (Value(name, PY_INT) for name in ("k", "carried", "total", "more"))
    body = Graph([k, carried, total], [Node("add", [total, carried if reads else k], [more])], [b.const(True), x, more])
    outputs = [Value("last", PY_INT), Value("sum", PY_INT)]
    b.graph.nodes.append(Node("loop", [b.const(trips), b.const(True), y, b.const(0)], outputs, {}, [body]))
    return b.finish(*outputs)


@pytest.mark.parametrize(("trips", "reads", "carried"), [(3, False, 1), (3, True, 2), (0, False, 2)])
def test_loops_that_certainly_have_a_round(trips: int, reads: bool, carried: int) -> None:
    program = last_of(trips, reads)
    (loop,) = (node for node in alone(program).graph.walk() if node.op == "loop")
    assert len(loop.outputs) == carried
    assert run(alone(program), [5, 7]) == run(program, [5, 7]) == run(optimize(program), [5, 7])


def flagged(start: bool, inverted: bool) -> GraphProgram:
    """A loop up to a number that tells with a flag whether it has gone on to its end; inside, the flag is read."""
    b = Builder()
    n, limit = b.input(PY_INT), b.input(PY_INT)
    zero, one = b.const(0), b.const(1)
    k, flag, count = Value("k", PY_INT), Value("flag", PY_BOOL), Value("count", PY_INT)
    ended, again, more = Value("ended", PY_BOOL), Value("again", PY_BOOL), Value("more", PY_INT)
    step = Value("step", PY_INT)
    compare = "equal" if inverted else "less"
    test = [Node(compare, [k, limit], [ended if inverted else again])]
    test += [Node("invert", [ended], [again])] if inverted else []
    nodes = [Node("where", [flag, one, zero], [step]), Node("add", [count, step], [more]), *test]
    body = Graph([k, flag, count], nodes, [again, again, more])
    outputs = [Value("finished", PY_BOOL), Value("rounds", PY_INT)]
    b.graph.nodes.append(Node("loop", [n, b.const(True), b.const(start), zero], outputs, {}, [body]))
    return b.finish(*outputs)


@pytest.mark.parametrize("start", [True, False])
@pytest.mark.parametrize("inverted", [True, False])
def test_flags_of_loops(start: bool, inverted: bool) -> None:
    program = flagged(start, inverted)
    changed = [node.op for node in alone(program).graph.nodes if node.op == "invert"]
    assert bool(changed) == (start and inverted)
    for arguments in ([0, 2], [2, 5], [5, 2], [3, 2], [4, 0]):
        want = run(program, arguments)
        assert run(alone(program), arguments) == want == run(optimize(program), arguments)
        assert run(optimize(program, disabled=frozenset({"outer_values"})), arguments) == want
