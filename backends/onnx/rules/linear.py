"""Products of matrices."""

from __future__ import annotations

from graph_program.backends.onnx.builder import BOOL, FLOAT32, Builder, Tensor
from graph_program.backends.onnx.rules.common import Lowering, Rule, by_kind, carried, is_positive
from graph_program.backends.onnx.rules.exact_sums import over_axes, summed
from graph_program.extract.ir.graph import Node


def _of_bool(rule: Rule) -> Rule:
    """Logical products and sums: counted in float32, which rounds no positive count to 0."""

    def counted(builder: Builder, node: Node, *operands: Tensor) -> Tensor:
        return rule(builder, node, *(x.cast(FLOAT32) for x in operands)).cast(BOOL)

    return counted


@carried("Einsum")
def _einsum(builder: Builder, node: Node, *operands: Tensor) -> Tensor:
    return builder.op("Einsum", *operands, equation=node.attrs["equation"].replace(" ", ""))


@carried("Einsum")
def _einsum_of_integers(builder: Builder, node: Node, *operands: Tensor) -> Tensor:
    """Letters of one operand alone are summed first, exactly; Einsum would use its inexact ReduceSum."""
    sources, target = node.attrs["equation"].replace(" ", "").split("->")
    terms = sources.split(",")
    reduced = [_without_lonely(x, i, terms, target) for i, x in enumerate(operands)]
    equation = ",".join(term for term, _ in reduced) + "->" + target
    return builder.op("Einsum", *(x for _, x in reduced), equation=equation)


def _without_lonely(x: Tensor, index: int, terms: list[str], target: str) -> tuple[str, Tensor]:
    """An operand and its letters, less the letters that occur nowhere else."""
    term, elsewhere = terms[index], target + "".join(terms[:index] + terms[index + 1 :])
    axes = [axis for axis, letter in enumerate(term) if letter not in elsewhere]
    kept = "".join(letter for letter in term if letter in elsewhere)
    return kept, over_axes(x, len(term), axes, False, summed)


@carried("MatMul")
def _matmul(builder: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    """A vector on the right is made a matrix where there may be no elements, which MatMul gets wrong."""
    shape, y_rank = node.inputs[0].type.shape, node.inputs[1].type.rank
    if y_rank > 1 or all(is_positive(size) for size in shape):
        return x.op("MatMul", y)
    return x.op("MatMul", y.op("Unsqueeze", builder.ints(1))).op("Squeeze", builder.ints(-1))


def _product(integers: Rule, floats: Rule) -> Lowering:
    return Lowering("biuf", by_kind(b=_of_bool(floats), i=integers, u=integers, f=floats))


RULES: dict[str, Lowering] = {
    "matmul": _product(_matmul, _matmul),
    "einsum": _product(_einsum_of_integers, _einsum),
}
