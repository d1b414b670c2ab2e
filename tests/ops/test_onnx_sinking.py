"""What only one side of a branch reads is computed there, and what is asked for elsewhere stays."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx.parser
import onnx.printer
import onnx_ir as ir

from graph_program import Float64, Tensor
from graph_program.backends.onnx.sinking import sink_into_branches
from tests.programs.plain import check
from tests.transform.sessions import compared

Vector = Float64[Tensor, "n"]
SIGNED = [(np.array(x),) for x in ([1.5, -0.0, 3.0, 0.0], [-2.0, 4.0, -0.0], [0.0], [])]


def halved(x: Vector) -> Any:
    total = np.float64(-0.0)
    for value in x:
        total = np.sin(total) + value
        total = total * -0.5 if total > 1 else total
    return total


def halved_and_told(x: Vector) -> Any:
    total, seen = np.float64(-0.0), np.float64(0.0)
    for value in x:
        total = np.sin(total) + value
        half = total * -0.5
        seen += half
        total = half if total > 1 else total
    return total, seen


def sides(graph: onnx.GraphProto) -> list[list[str]]:
    """The operators of each side of each branch, those in loops included."""
    found = []
    for node in graph.node:
        for a in node.attribute:
            if a.HasField("g"):
                found += [sorted(x.op_type for x in a.g.node)] if node.op_type == "If" else []
                found += sides(a.g)
    return found


def test_what_one_side_reads_is_computed_there() -> None:
    assert sides(compared(halved, tuple(SIGNED)).graph) == [["Mul"], ["Identity"]]


def test_what_others_read_stays() -> None:
    assert sides(compared(halved_and_told, tuple(SIGNED)).graph) == [["Identity"], ["Identity"]]


BEFORE = """\
   b = Mul (x, two)
   c = Less (x, two)
   y = If (c) <then_branch: graph = then () => (double doubled) {
      doubled = Identity (b)
   }, else_branch: graph = else () => (double same) {
      same = Identity (x)
   }>
"""
AFTER = """\
   c = Less (x, two)
   y = If (c) <then_branch: graph = then () => ( b) {
      b = Mul (x, two)
   }, else_branch: graph = else () => (double same) {
      same = Identity (x)
   }>
"""


def test_before_and_after() -> None:
    text = f"<ir_version: 10, opset_import: ['': 20]>\nmain (double x, double two) => (double y)\n{{\n{BEFORE}}}"
    model = ir.from_proto(onnx.parser.parse_model(text.replace("'", '"')))
    sink_into_branches(model.graph, ())
    assert AFTER in onnx.printer.to_text(ir.to_proto(model))


def test_what_tells_of_an_error_stays() -> None:
    """In process nothing else says that a product does not fit, whose sum one side reads."""

    def summed(a: Float64[Tensor, "p q"], u: Float64[Tensor, "e"], v: Float64[Tensor, "g"], m: int) -> Any:
        total = np.float64(0.5)
        w = v[1:] * v
        for i in range(m):
            total = total + (a @ u).sum()
            if len(w) == len(a) or len(u) != len(w):
                raise KeyError(f"{m} rounds")
            total = total + w[i]
        return total

    vectors = [np.ones(n) for n in (1, 2, 3)]
    check(summed, *((np.ones((3, q)), u, v, m) for q in (1, 2, 3) for u in vectors for v in vectors for m in (0, 2)))
