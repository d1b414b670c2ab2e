"""The pass that tabulates choices of numbers and truths: before and after, and programs with and without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program
from graph_program.extract.ir.graph import Graph, GraphProgram, Value
from graph_program.extract.ir.verifier import verify_graph
from graph_program.extract.transform.cases import cases
from graph_program.extract.transform.dce import dce
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT
from tests.passes import without
from tests.programs.plain import Cases, check
from tests.transform.test_passes import Builder

Vector = Float64[Tensor, "n"]
VECTORS = tuple((np.array(x, float),) for x in ([1, 5, -2, 4], [3, 0.5], [-7, 1], [2], [], [1] * 5, [9] * 3))
Choice = Callable[[Builder, Value, Value], Value]


def where(b: Builder, test: Value, x: Any, y: Any) -> Value:
    numbers = [number if isinstance(number, Value) else b.const(number) for number in (x, y)]
    return b.op("where", PY_INT, test, *numbers)


def equal(b: Builder, x: Value, number: int) -> Value:
    return b.op("equal", PY_BOOL, x, b.const(number))


def either(b: Builder, x: Value, y: Value) -> Value:
    return b.op("bitwise_or", PY_BOOL, x, y)


def left_by_a_way(b: Builder, test: Value, other: Value) -> Value:
    way = where(b, test, 1, where(b, other, 3, 4))
    here = where(b, equal(b, way, 4), 6, way)
    return where(b, either(b, equal(b, here, 6), equal(b, here, 3)), 0, 1)


def always(b: Builder, test: Value, other: Value) -> Value:
    way = where(b, test, 1, where(b, other, 3, 4))
    return either(b, equal(b, way, 1), either(b, equal(b, way, 3), equal(b, way, 4)))


def a_truth_again(b: Builder, test: Value, other: Value) -> Value:
    way = where(b, other, where(b, test, 1, 2), 3)
    return either(b, equal(b, way, 1), equal(b, way, 2))


def an_opposite(b: Builder, test: Value, other: Value) -> Value:
    return equal(b, where(b, test, 1, where(b, other, 3, 4)), 1)


def chosen_by_a_branch(b: Builder, test: Value, other: Value) -> Value:
    inner = Builder()
    inner.count = 50
    way = where(inner, other, 3, 4)
    sides = [Graph([], [], [b.const(1)]), Graph([], inner.graph.nodes, [way])]
    return where(b, equal(b, b.add("if", PY_INT, [test], {}, sides), 1), 7, 0)


def of_three_ways(b: Builder, test: Value, other: Value) -> Value:
    return where(b, test, 1, where(b, other, 3, 4))


def of_any_number(b: Builder, test: Value, other: Value) -> Value:
    return equal(b, where(b, test, 1, b.input(PY_INT)), 1)


def of_what_may_be_the_same(b: Builder, test: Value, other: Value) -> Value:
    way = where(b, test, 1, b.input(PY_INT))
    return either(b, equal(b, way, 1), test)


def of_one_unknown_number(b: Builder, test: Value, other: Value) -> Value:
    way = where(b, test, b.input(PY_INT), 5)
    return where(b, test, 2, where(b, other, 2, way))


def chosen_by_an_unknown_side(b: Builder, test: Value, other: Value) -> Value:
    sides = [Graph([], [], [b.const(2)]), Graph([], [], [b.input(PY_INT)])]
    return where(b, test, b.add("if", PY_INT, [test], {}, sides), 0)


def of_large_numbers(b: Builder, test: Value, other: Value) -> Value:
    return where(b, test, 2**62, where(b, other, b.input(PY_INT), 2**62 + 1))


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (left_by_a_way, "invert(in0); where(v14, 0, 1)"),
        (always, "True"),
        (a_truth_again, "in1"),
        (an_opposite, "in0"),
        (chosen_by_a_branch, "where(in0, 7, 0)"),
        (of_three_ways, "where(in1, 3, 4); where(in0, 1, v3)"),
        (of_any_number, "where(in0, 1, in2); equal(v2, 1)"),
        (of_what_may_be_the_same, "where(in0, 1, in2); equal(v2, 1); bitwise_or(v4, in0)"),
        (of_one_unknown_number, "where(in0, in2, 5); where(in1, 2, v2); where(in0, 2, v4)"),
        (chosen_by_an_unknown_side, "where(in0, 2, 0)"),
        (of_large_numbers, "where(in1, in2, 4611686018427387905); where(in0, 4611686018427387904, v2)"),
    ],
)
def test_what_is_the_same_in_every_case(choice: Choice, expected: str) -> None:
    b = Builder()
    test, other = b.input(PY_BOOL), b.input(PY_BOOL)
    program = b.finish(choice(b, test, other))
    cases(program)
    dce(program)
    verify_graph(program)
    assert written(program) == expected


def written(program: GraphProgram) -> str:
    """The operations of a program, with constants where they are read; what it gives where there are none."""
    names = {v: str(n.attrs["value"]) for n in program.graph.nodes if n.op == "constant" for v in n.outputs}
    operations = [
        f"{node.op}({', '.join(names.get(value, value.name) for value in node.inputs)})"
        for node in program.graph.nodes
        if node.op != "constant"
    ]
    (output,) = program.graph.outputs
    return "; ".join(operations) or names.get(output, output.name)


def failing(x: Any) -> None:
    """A failure, whose end of the program is one of the ways out."""
    if len(x) > 4:
        raise ValueError("too many")


fewer = Cases()
"""Programs that ask less often which way they went, with arguments."""
as_many = Cases()
"""Near misses."""


@fewer(*VECTORS)
def left_or_failed(x: Vector) -> Any:
    failing(x)
    total = np.float64(0.0)
    for v in x:
        total = np.sin(total * 2) + v
        if total < -3:
            break
        if total > 8:
            return -total
    return total


@fewer(*VECTORS)
def two_loops(x: Vector) -> Any:
    failing(x)
    y = np.float64(1.0)
    for v in x:
        y = np.cos(y * v) + y
        if y > 4:
            return y * 2
    for v in x:
        y = np.sin(y + v) * v
        if y < -1:
            raise ValueError("low")
    return y


@as_many(*VECTORS)
def one_way(x: Vector) -> Any:
    y = np.float64(1.0)
    for v in x:
        y = np.cos(y * v) + y
    return y


def asked(fn: Callable[..., Any]) -> int:
    """How often the model of a program chooses or compares numbers."""
    return sum(graph_program(fn).explain("optimized").count(f"= {op}(") for op in ("where", "equal", "not_equal"))


@fewer.each
def test_less_is_asked(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any) -> None:
    check(fn, *inputs)
    here = asked(fn)
    without(monkeypatch, "cases")
    check(fn, *inputs)
    assert here < asked(fn)


@as_many.each
def test_where_there_is_nothing_to_ask(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any
) -> None:
    check(fn, *inputs)
    here = asked(fn)
    without(monkeypatch, "cases")
    assert here == asked(fn)
