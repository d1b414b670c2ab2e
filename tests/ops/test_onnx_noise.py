"""Nodes that a model does not need: copies of constants, conditions that hold for ever, the same work twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float64, Tensor, graph_program
from graph_program.backends.onnx.emit import emit, to_proto
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.types.dims import symbol
from tests.ops.onnx_run import run
from tests.ops.test_onnx_control import (
    BOOL,
    F64,
    I64,
    N,
    constant,
    op,
    power_of_two_below,
    program,
    swapping_loop,
    value,
)
from tests.programs.plain import check


def operators(graph: onnx.GraphProto) -> list[str]:
    found = []
    for node in graph.node:
        found.append(node.op_type)
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                found += operators(attribute.g)
    return found


def written(made: GraphProgram) -> list[str]:
    return operators(to_proto(emit(made)).graph)


def test_a_loop_that_always_goes_on_gives_its_condition_back() -> None:
    model = to_proto(emit(swapping_loop()))
    (body,) = (a.g for node in model.graph.node for a in node.attribute if a.name == "body")
    assert body.output[0].name == body.input[1].name
    onnx.checker.check_model(model, full_check=True)


def test_a_loop_that_may_end_does_not() -> None:
    model = to_proto(emit(power_of_two_below()))
    (body,) = (a.g for node in model.graph.node for a in node.attribute if a.name == "body")
    assert body.output[0].name != body.input[1].name


def chosen(array: Any) -> GraphProgram:
    """A constant where a test holds, else what is computed."""
    test, x = value("test", BOOL), value("x", F64, *np.shape(array))
    known, negative = constant("known", array), value("negative", F64, *np.shape(array))
    out = value("out", F64, *np.shape(array))
    sides = [Graph([], [], [known.outputs[0]]), Graph([], [op("negative", [x], negative)], [negative])]
    return program(Graph([test, x], [known, Node("if", [test], [out], regions=sides)], [out]), "out")


@pytest.mark.parametrize(
    ("array", "operator"), [(2.5, "Constant"), ([1.0, -0.0], "Constant"), (np.ones(9), "Identity")]
)
def test_a_small_constant_is_written_where_it_is_given_back(array: Any, operator: str) -> None:
    made = chosen(array)
    assert sorted(written(made)) == sorted(["If", "Neg", operator])
    for test in (True, False):
        (got,) = run(made, {"test": np.array(test), "x": np.asarray(np.array(array) * 2)})
        want = np.array(array) if test else np.array(array) * -2
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(np.signbit(got), np.signbit(want))


def sizes(shared: bool) -> GraphProgram:
    """The size of one vector or of two, asked for outside of a branch and on both of its sides."""
    x, y, test = value("x", F64, N), value("y", F64, symbol("m")), value("test", BOOL)
    here, out = value("here", I64), value("out", I64)
    sides = []
    for name in ("then", "other"):
        inner, twice = value(f"{name}.n", I64), value(f"{name}.twice", I64)
        source = x if shared else y
        nodes = [op("dim", [source], inner, axis=0), op("add", [inner, inner], twice)]
        sides.append(Graph([], nodes, [twice]))
    nodes = [op("dim", [x], here, axis=0), Node("if", [test], [out], regions=sides)]
    return program(Graph([x, y, test], nodes, [here, out]), "n", "out")


def test_what_an_outer_graph_has_computed_is_not_computed_again() -> None:
    assert written(sizes(shared=True)).count("Size") == 1
    assert written(sizes(shared=False)).count("Size") == 3  # neither side sees the other's
    for shared, want in ((True, 6), (False, 10)):
        for test in (True, False):
            got = run(sizes(shared), {"x": np.ones(3), "y": np.ones(5), "test": np.array(test)})
            assert [int(n) for n in got] == [3, want]


def test_what_a_loop_goes_on_by_may_be_what_it_carries() -> None:
    def ended(x: Float64[Tensor, "n"], limit: float) -> Any:
        total = np.float64(0)
        for number in x:
            total = total / 2 + number
            if not total < limit:
                return total, True
        return total, False

    assert "Identity" not in operators(graph_program(ended).model(include_errors=False).graph)
    check(ended, *((np.array(x), 3.0) for x in ([1.0, 2, 3, 4], [1.0, 1.0], [9.0], [np.nan, 1.0], [])))


def test_a_value_that_is_given_back_twice_is_two_values() -> None:
    x, test = value("x", F64), value("test", BOOL)
    results = [value("first", F64), value("second", F64)]
    sides = []
    for name in ("sin", "negative"):
        found: Value = value(f"{name}.x", F64)
        sides.append(Graph([], [op(name, [x], found)], [found, found]))
    made = program(Graph([x, test], [Node("if", [test], results, regions=sides)], results), "first", "second")
    assert written(made).count("Identity") == 2
    assert [float(n) for n in run(made, {"x": np.array(2.0), "test": np.array(False)})] == [-2.0, -2.0]


def halves(of_size: bool, divisor: int) -> GraphProgram:
    """A size, or any integer, divided by a number and rounded down."""
    x, k, out = value("x", F64, N), value("k", I64), value("out", I64)
    size, by = value("size", I64), constant("by", divisor)
    nodes = [by, op("dim", [x], size, axis=0)]
    nodes.append(op("floor_divide", [size if of_size else k, by.outputs[0]], out))
    return program(Graph([x, k], nodes, [out]), "out")


@pytest.mark.parametrize(("of_size", "divisor", "plain"), [(True, 3, True), (True, -3, False), (False, 3, False)])
def test_what_is_not_negative_is_divided_at_once(of_size: bool, divisor: int, plain: bool) -> None:
    made = halves(of_size, divisor)
    assert ("Cast" not in written(made)) == plain
    for n in (0, 2, 3, 7):
        for k in (-7, -3, -1, 0, 8):
            (got,) = run(made, {"x": np.ones(n), "k": np.array(k)})
            assert got == (n if of_size else k) // divisor
