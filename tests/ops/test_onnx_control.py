"""Models with inner graphs, names, metadata and error outputs, from graphs built by hand."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program.backends.onnx.emit import emit, to_proto
from graph_program.extract.diagnostics import Loc, UnsupportedError
from graph_program.extract.ir.errors import ErrorInfo, TextArgument
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.types.dims import dim, symbol
from graph_program.extract.types.tensors.tensor_type import TensorType
from tests.ops.onnx_run import LOC, run

F64, I64, BOOL = np.dtype("float64"), np.dtype("int64"), np.dtype("bool")
N = symbol("n")


def value(name: str, dtype: np.dtype = F64, *shape: Any) -> Value:
    return Value(name, TensorType(dtype, tuple(dim(s) for s in shape)))


def op(name: str, inputs: list[Value], output: Value, **attrs: Any) -> Node:
    return Node(name, inputs, [output], attrs, loc=LOC)


def constant(name: str, array: Any) -> Node:
    array = np.asarray(array)
    return Node("constant", [], [value(name, array.dtype, *array.shape)], {"value": array})


def program(graph: Graph, *names: str, **options: Any) -> GraphProgram:
    return GraphProgram("p", graph, list(names), **options)


def power_of_two_below() -> GraphProgram:
    """x doubled `k` times, or while it stays below `limit`; both `step` and `limit` are captured."""
    x, k, limit, step = value("x"), value("k", I64), value("limit"), value("step")
    one = constant("one", 1.0)
    go = constant("go", True)
    i, x_in = value("i", I64), value("x_in")
    doubled, again = value("doubled"), value("again", BOOL)
    more = value("more")
    body = Graph(
        [i, x_in],
        [
            op("multiply", [x_in, step], doubled),
            op("add", [doubled, one.outputs[0]], more),
            op("less", [more, limit], again),
        ],
        [again, more],
    )
    out = value("out")
    loop = Node("loop", [k, go.outputs[0], x], [out], regions=[body], loc=LOC)
    return program(Graph([x, k, limit, step], [one, go, loop], [out]), "result")


@pytest.mark.parametrize("k", [-3, 0, 1, 4, 2**63 - 1])
def test_loop_with_trips_and_condition(k: int) -> None:
    x = want = 1.0
    trips = 0
    while trips < k:
        want = want * 2 + 1
        trips += 1
        if not want < 100:
            break
    arrays = {"x": np.float64(x), "k": np.int64(k), "limit": np.float64(100), "step": np.float64(2)}
    (got,) = run(power_of_two_below(), {name: np.asarray(a) for name, a in arrays.items()})
    assert got == want


def swapping_loop() -> GraphProgram:
    """a, b = b, a in a loop, and a captured value handed through: region outputs that no node makes."""
    a, b, n = value("a", F64, N), value("b", F64, N), value("n", I64)
    go = constant("go", True)
    i, a_in, b_in, c_in = value("i", I64), value("a_in", F64, N), value("b_in", F64, N), value("c_in", F64, N)
    body = Graph([i, a_in, b_in, c_in], [], [go.outputs[0], b_in, a_in, a])
    outs = [value(name, F64, N) for name in ("a_out", "b_out", "c_out")]
    loop = Node("loop", [n, go.outputs[0], a, b, b], outs, regions=[body])
    return program(Graph([a, b, n], [go, loop], [*outs, outs[0], a]), "a", "b", "c", "again", "same")


@pytest.mark.parametrize("n", [0, 1, 2])
def test_loop_that_swaps(n: int) -> None:
    a, b = np.arange(3.0), np.arange(3.0) + 10
    got = run(swapping_loop(), {"a": a, "b": b, "n": np.array(n)})
    first, second = (b, a) if n % 2 else (a, b)
    for have, want in zip(got, [first, second, a if n else b, first, a], strict=True):
        np.testing.assert_array_equal(have, want)


def test_output_names_that_inputs_have() -> None:
    model = to_proto(emit(swapping_loop()))
    assert [v.name for v in model.graph.input] == ["a", "b", "n"]
    assert [v.name for v in model.graph.output] == ["a_out", "b_out", "c", "again", "same"]


def nested() -> GraphProgram:
    """An if in a loop in an if; the innermost reads values of all levels."""
    x, n, flag = value("x", F64, N), value("n", I64), value("flag", BOOL)
    go, two = constant("go", True), constant("two", 2.0)
    scaled, i, acc = value("scaled", F64, N), value("i", I64), value("acc", F64, N)
    even, zero, rest, chosen = value("even", BOOL), constant("zero", 0), value("rest", I64), value("chosen", F64, N)
    big, small, modulus = value("big", F64, N), value("small", F64, N), constant("modulus", 2)
    inner = Node(
        "if",
        [even],
        [chosen],
        regions=[
            Graph([], [op("add", [acc, scaled], big)], [big]),
            Graph([], [op("subtract", [acc, x], small)], [small]),
        ],
    )
    body = Graph(
        [i, acc],
        [
            op("remainder", [i, modulus.outputs[0]], rest),
            op("equal", [rest, zero.outputs[0]], even),
            inner,
        ],
        [go.outputs[0], chosen],
    )
    total, out = value("total", F64, N), value("out", F64, N)
    then = Graph(
        [],
        [
            op("multiply", [x, two.outputs[0]], scaled),
            zero,
            modulus,
            Node("loop", [n, go.outputs[0], scaled], [total], regions=[body]),
        ],
        [total],
    )
    branch = Node("if", [flag], [out], regions=[then, Graph([], [], [x])])
    return program(Graph([x, n, flag], [go, two, branch], [out]), "out")


@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("n", [0, 1, 5])
def test_nested_regions(n: int, flag: bool) -> None:
    x = np.array([1.0, 2.0])
    want = x
    if flag:
        scaled = want = x * 2
        for i in range(n):
            want = want + scaled if i % 2 == 0 else want - x
    (got,) = run(nested(), {"x": x, "n": np.array(n), "flag": np.array(flag)})
    np.testing.assert_array_equal(got, want)


def every_name(graph: onnx.GraphProto) -> list[str]:
    names = [v.name for v in graph.input] + [t.name for t in graph.initializer]
    for node in graph.node:
        names += node.output
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                names += every_name(attribute.g)
    return names


@pytest.mark.parametrize("make", [nested, swapping_loop, power_of_two_below])
def test_no_name_is_given_twice(make: Any) -> None:
    names = every_name(to_proto(emit(make())).graph)
    assert sorted(names) == sorted(set(names))


def test_names_and_places() -> None:
    x, y = value("x", F64, N, 3), value("speed", F64, N, 3)
    model = to_proto(emit(program(Graph([x], [op("exp", [x], y)], [y]), "speed")))
    (node,) = model.graph.node
    assert (node.name, list(node.output)) == ("Exp_speed", ["speed"])
    assert {p.key: p.value for p in node.metadata_props} == {"source": "program.py:3:5"}
    dims = model.graph.input[0].type.tensor_type.shape.dim
    assert [d.dim_param or d.dim_value for d in dims] == ["n", 3]
    assert model.producer_name == "graph-program"


def with_error() -> GraphProgram:
    x, code, y = value("x", F64, N), value("code", I64), value("y", F64, N)
    size = value("size", I64)
    graph = Graph([x, code], [op("negative", [x], y), op("dim", [x], size, axis=0)], [y, code, size])
    error = ErrorInfo(ValueError, (TextArgument(("size ", (0, "", ""))),), Loc("dir/a.py", 7, 3, 7, 4), (size.type,))
    return program(graph, "y", errors=[error], error_args=[(2,)])


def test_error_outputs_and_table() -> None:
    model = to_proto(emit(with_error()))
    assert [v.name for v in model.graph.output] == ["y", "error", "error_arg.0"]
    table = json.loads({p.key: p.value for p in model.metadata_props}["errors"])
    assert table == [{"exception": "ValueError", "message": ["size ", 0], "source": "a.py:7:3", "arguments": [2]}]
    y, code, size = run(with_error(), {"x": np.arange(4.0), "code": np.array(1)})
    assert (y[3], code, size) == (-3, 1, 4)


def test_error_outputs_left_out() -> None:
    model = to_proto(emit(with_error(), include_errors=False))
    assert [v.name for v in model.graph.output] == ["y"]
    assert [node.op_type for node in model.graph.node] == ["Neg"]


def test_inputs_as_initializers() -> None:
    x, w, y = value("x", F64, N, 2), value("layer.w", F64, 2, 2), value("y", F64, N, 2)
    made = program(Graph([x, w], [op("matmul", [x, w], y)], [y]), "y")
    weights = np.arange(4.0).reshape(2, 2)
    model = to_proto(emit(made, initializers={"layer.w": weights}))
    assert [v.name for v in model.graph.input] == ["x"]
    assert [t.name for t in model.graph.initializer] == ["layer.w"]
    (got,) = run(made, {"x": np.ones((1, 2))}, initializers={"layer.w": weights})
    np.testing.assert_array_equal(got, np.ones((1, 2)) @ weights)


def test_equal_constants_are_one_initializer() -> None:
    x, y, z = value("x", F64, N), value("y", F64, N), value("z", F64, N)
    nodes = [constant("a", 2.0), constant("b", 2.0)]
    nodes += [op("add", [x, nodes[0].outputs[0]], y), op("multiply", [y, nodes[1].outputs[0]], z)]
    model = to_proto(emit(program(Graph([x], nodes, [z]), "z")))
    assert [t.name for t in model.graph.initializer] == ["a"]


def test_placeholder_is_small() -> None:
    x, y = value("x", F64, N, 1000), Value("y", TensorType(F64, (N, dim(1000))))
    flag, z = value("flag", BOOL), value("z", F64, N, 1000)
    branch = Node("if", [flag], [z], regions=[Graph([], [], [x]), Graph([], [], [y])])
    made = program(Graph([x, flag], [Node("placeholder", [], [y]), branch], [z]), "z")
    (branch_node,) = to_proto(emit(made)).graph.node
    (tensor,) = (a.t for given in branch_node.attribute for node in given.g.node for a in node.attribute)
    assert np.prod(tensor.dims) <= 1
    (got,) = run(made, {"x": np.ones((2, 1000)), "flag": np.array(True)})
    assert got.sum() == 2000


def test_unsupported_type_is_refused_at_its_line() -> None:
    x, y = value("x", np.dtype("complex128"), N), value("y", np.dtype("complex128"), N)
    with pytest.raises(UnsupportedError) as caught:
        emit(program(Graph([x], [op("exp", [x], y)], [y]), "y"))
    assert (caught.value.code, caught.value.loc) == ("GP601", LOC)
