"""Tests that are asked the way round that takes no negation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx
import onnx.parser
import onnx.printer
import onnx_ir as ir
import onnxruntime
import pytest

from graph_program import Float64, Int64, Tensor
from graph_program.backends.onnx.builder import Builder
from graph_program.backends.onnx.kernels import kernels
from graph_program.backends.onnx.negations import without_negations
from tests.programs.plain import Cases
from tests.transform.sessions import compared

Vector = Float64[Tensor, "n"]
FLOATS = [(np.array(x, float),) for x in ([1.5, -0.0, np.nan], [-2.0, 4.0, 0.0, 7.0], [0.0], [])]
INTS = [(np.array(x, np.int64),) for x in ([3, -1, 2, 2], [0], [5, 5, 5, -9], [])]

turned = Cases()
"""Programs without a negation, with arguments."""
negated = Cases()
"""Near misses."""


@turned(*INTS)
def branches_where_numbers_differ(x: Int64[Tensor, "n"]) -> Any:
    total, longest = np.float64(1.0), np.int64(0)
    for value in x:
        if value != longest:
            total = np.sin(total) * value
            longest = value
    return total


@turned(*((x, k) for (x,) in FLOATS for k in (0, 1, -3)))
def a_loop_that_has_to_begin(x: Vector, k: int) -> Any:
    last = np.float64(0.0)
    for t in range(k):
        last = np.sin(last) + x[0]
        if t + k > 3:
            break
    return last


@turned(*INTS)
def the_first_that_is_another_number(x: Int64[Tensor, "n"]) -> Any:
    for k in range(len(x)):
        if x[k] != 5:
            return k
    return -1


@turned(*FLOATS)
def the_first_that_is_not_positive(x: Vector) -> Any:
    return np.argmax(~(x > 0)) if len(x) else np.int64(-1)


@negated(*FLOATS)
def the_first_of_tests_that_are_given_back(x: Vector) -> Any:
    tests = ~(x > 0)
    return (np.argmax(tests) if len(x) else np.int64(-1)), tests


@negated(*FLOATS)
def comparisons_of_floats(x: Vector) -> Any:
    return ~(x > 1.0)


@negated(*INTS)
def opposites_that_are_given_back(x: Int64[Tensor, "n"]) -> Any:
    return x != 2


def nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    for node in graph.node:
        yield node
        for a in node.attribute:
            if a.HasField("g"):
                yield from nodes(a.g)


def operators(graph: onnx.GraphProto) -> Counter[str]:
    return Counter(node.op_type for node in nodes(graph))


@turned.each
def test_no_negation_is_left(fn: Any, inputs: Any) -> None:
    assert not operators(compared(fn, inputs).graph)["Not"]


@negated.each
def test_what_has_no_opposite_is_negated(fn: Any, inputs: Any) -> None:
    assert operators(compared(fn, inputs).graph)["Not"] == 1


MODEL = '<ir_version: 10, opset_import: ["" : 20]> f ({given}) => (double[N] y) {{ {nodes} }}'


def rewritten(nodes: str, given: str = "int64 i, int64 n, double[N] x") -> str:
    model = ir.from_proto(onnx.parser.parse_model(MODEL.format(given=given, nodes=nodes)))
    onnx_model = ir.to_proto(model)
    onnx.checker.check_model(onnx_model)
    typed = ir.from_proto(onnx.shape_inference.infer_shapes(onnx_model))
    without_negations(typed.graph, Builder(kernels(), 20))
    return onnx.printer.to_text(ir.to_proto(typed))


CHOICE = """y = If (n_t) <then_branch = a () => (double[N] p) { p = Neg (x) },
    else_branch = b () => (double[N] q) { q = Abs (x) }>"""


def test_a_branch_has_its_sides_the_other_way_round() -> None:
    found = rewritten(f"t = Equal (i, n) n_t = Not (t) {CHOICE}")
    assert "Not" not in found
    assert "If (t)" in found
    assert found.index("Abs") < found.index("Neg")


def test_what_joins_comparisons_is_its_opposite() -> None:
    """Also where the test is read as it is by a choice of integers."""
    found = rewritten(
        "a = Less (i, n) b = Less (n, i) c = Equal (i, n) d = Not (c) ab = And (a, b) t = Or (ab, d) n_t = Not (t) "
        "k = Where (t, i, n) z = CastLike (k, x) u = CastLike (n_t, x) v = Mul (z, u) y = Add (x, v)"
    )
    for line in ("a = GreaterOrEqual (i, n)", "ab = Or (a, b)", "t = And (ab, c)", "k = Where (t, n, i)"):
        assert line in found
    assert "Not" not in found
    assert "u = CastLike (t, x)" in found


@pytest.mark.parametrize("kept", ["double e, double f|Less (e, f)", "int64 e, int64 f|Equal (e, f)"])
def test_of_floats_and_of_equal_numbers_there_is_no_opposite(kept: str) -> None:
    given, test = kept.split("|")
    found = rewritten(f"t = {test} n_t = Not (t) z = CastLike (n_t, x) y = Add (x, z)", f"{given}, double[N] x")
    assert "n_t = Not (t)" in found


TRUTHS = "bool[N] a, bool[N] b, bool[N] c, double[N] x"


@pytest.mark.parametrize(("joint", "rest"), [("And", "Xor"), ("Or", "Equal")])
@pytest.mark.parametrize("order", ["n_m, b", "b, n_m"])
def test_what_is_left_of_a_truth(joint: str, rest: str, order: str) -> None:
    lines = f"m = {joint} (a, b) n_m = Not (m) t = {joint} ({order}) z = CastLike (t, x) v = CastLike (m, x) "
    nodes = f"{lines} w = Mul (z, v) y = Add (x, w)"
    found = rewritten(nodes, TRUTHS)
    assert f"t = {rest} ({order.replace('n_m', 'm')})" in found
    sessions = [
        onnxruntime.InferenceSession(onnx.parser.parse_model(text).SerializeToString())
        for text in (found, MODEL.format(given=TRUTHS, nodes=nodes))
    ]
    truths = np.array(np.meshgrid(*[[False, True]] * 3)).reshape(3, -1)
    feeds = {**dict(zip("abc", truths, strict=True)), "x": np.arange(8.0)}
    feeds = {given.name: feeds[given.name] for given in sessions[0].get_inputs()}
    np.testing.assert_array_equal(*(session.run(None, feeds)[0] for session in sessions))


@pytest.mark.parametrize(
    "line", ["m = And (a, b) n_m = Not (m) t = And (n_m, c)", "m = Or (a, b) n_m = Not (m) t = And (n_m, b)"]
)
def test_of_another_truth_there_is_no_rest(line: str) -> None:
    nodes = f"{line} z = CastLike (t, x) v = CastLike (m, x) w = Mul (z, v) y = Add (x, w)"
    assert "n_m = Not (m)" in rewritten(nodes, TRUTHS)


def test_a_choice_of_floats_keeps_its_order() -> None:
    found = rewritten("t = Equal (i, n) n_t = Not (t) z = Neg (x) y = Where (n_t, x, z)")
    assert "y = Where (n_t, x, z)" in found


def test_a_test_that_is_read_as_it_is_stays() -> None:
    found = rewritten(
        "t = Less (i, n) n_t = Not (t) z = CastLike (n_t, x) v = CastLike (t, x) w = Mul (z, v) y = Add (x, w)"
    )
    assert "t = Less (i, n)" in found
    assert "n_t = Not (t)" in found
