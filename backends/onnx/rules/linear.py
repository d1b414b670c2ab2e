"""Products of matrices."""

from __future__ import annotations

from graph_program.backends.onnx.builder import BOOL, FLOAT32, Builder, Tensor
from graph_program.backends.onnx.rules.common import Lowering, Rule, by_kind, carried, single
from graph_program.extract.ir.graph import Node


def _of_bool(rule: Rule) -> Rule:
    """Logical products and sums: counted in float32, which rounds no positive count to 0."""

    def counted(builder: Builder, node: Node, *operands: Tensor) -> Tensor:
        return rule(builder, node, *(x.cast(FLOAT32) for x in operands)).cast(BOOL)

    return counted


@carried("Einsum")
def _einsum(builder: Builder, node: Node, *operands: Tensor) -> Tensor:
    return builder.op("Einsum", *operands, equation=node.attrs["equation"].replace(" ", ""))


def _product(rule: Rule) -> Lowering:
    return Lowering("biuf", by_kind(b=_of_bool(rule), i=rule, u=rule, f=rule))


RULES: dict[str, Lowering] = {"matmul": _product(single("MatMul")), "einsum": _product(_einsum)}
