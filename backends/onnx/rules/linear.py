"""Products of matrices."""

from __future__ import annotations

from typing import Any

from graph_program.backends.onnx import portable
from graph_program.backends.onnx.builder import BOOL, FLOAT32, Builder, Tensor
from graph_program.backends.onnx.rules.common import Lowering, Rule, by_kind, carried, is_positive
from graph_program.backends.onnx.rules.contraction import einsum, inner_product, product_by_vector
from graph_program.backends.onnx.rules.exact_sums import has_no_products, over_axes, summed
from graph_program.extract.ir.graph import Node
from graph_program.extract.types.dims import never_one


def _of_bool(rule: Rule) -> Rule:
    """Logical products and sums: counted in float32, which rounds no positive count to 0."""

    def counted(builder: Builder, node: Node, *operands: Tensor) -> Tensor:
        return rule(builder, node, *(x.cast(FLOAT32) for x in operands)).cast(BOOL)

    return counted


@carried("MatMul ReduceSum")
def _einsum(builder: Builder, node: Node, *operands: Tensor) -> Tensor:
    def total(x: Tensor, rank: int, axes: list[int]) -> Tensor:
        return x.op("ReduceSum", builder.ints(*axes), keepdims=0)

    return einsum(node.attrs["equation"], _stretched(builder, node, operands), total)


@carried("MatMul Mul")
def _einsum_of_integers(builder: Builder, node: Node, *operands: Tensor) -> Tensor:
    def total(x: Tensor, rank: int, axes: list[int]) -> Tensor:
        return over_axes(x, rank, axes, False, summed)

    return einsum(node.attrs["equation"], _stretched(builder, node, operands), total)


def _stretched(builder: Builder, node: Node, operands: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Operands whose dims of one letter have one size, where one of them may be 1."""
    terms = node.attrs["equation"].replace(" ", "").partition("->")[0].split(",")
    shapes = [value.type.shape for value in node.inputs]
    found: dict[str, list[tuple[int, int]]] = {}
    for i, term in enumerate(terms):
        for axis, letter in enumerate(term):
            found.setdefault(letter, []).append((i, axis))
    stretched = list(operands)
    for places in found.values():
        for i, axis in places:
            size = shapes[i][axis]
            others = dict.fromkeys((j, k) for j, k in places if shapes[j][k] != size and not never_one(size))
            for j, k in others:
                sizes = [builder.ints(1)] * len(terms[i])
                sizes[axis] = operands[j].shape(k, k + 1)
                stretched[i] = stretched[i].op("Expand", builder.op("Concat", *sizes, axis=0))
    return tuple(stretched)


@carried("MatMul")
def _matmul(builder: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    """A vector on the right of a matrix is made a matrix; a left one whose batch is stretched gets that first.

    Sums of no elements are wrong in MatMul otherwise; and onnxruntime forgets a transposition of the left one when it
    fuses it with a product by a vector.
    """
    shape, y_rank = node.inputs[0].type.shape, node.inputs[1].type.rank
    if has_no_products(x):
        return _product_as_sum(builder, x, y, len(shape), y_rank)
    positive = all(is_positive(size) for size in shape)
    if builder.is_portable and not positive and shape[-1] not in builder.argument_sizes:
        x, y = portable.with_one_more(x, len(shape), -1), portable.with_one_more(y, y_rank, max(y_rank - 2, 0))
    if y_rank == 1:
        return inner_product(x, y, positive) if len(shape) == 1 else product_by_vector(x, y)
    stretched = y_rank > 2 and (len(shape) == 1 or node.outputs[0].type.shape[:-2] != shape[:-2])
    if positive or not stretched:
        return x.op("MatMul", y)
    rows = x if len(shape) > 1 else x.op("Unsqueeze", builder.ints(0))
    batch = builder.op("Concat", y.shape(0, y_rank - 2), builder.ints(1, 1), axis=0)
    product = rows.op("Expand", batch).op("MatMul", y)
    return product if len(shape) > 1 else product.op("Squeeze", builder.ints(-2))


def _product_as_sum(builder: Builder, x: Tensor, y: Tensor, rank: int, y_rank: int) -> Tensor:
    """The products of rows and columns, which broadcast, and their sums."""
    if y_rank == 1:
        return (x * y).op("ReduceSum", builder.ints(-1), keepdims=0)
    columns = y if rank == 1 else y.op("Unsqueeze", builder.ints(-3))
    return (x.op("Unsqueeze", builder.ints(-1)) * columns).op("ReduceSum", builder.ints(-2), keepdims=0)


@carried("Gemm")
def _gemm(builder: Builder, node: Node, x: Tensor, y: Tensor, *added: Tensor) -> Tensor:
    """Transposes that the same graph makes are taken in, and a sign."""
    (x, turned_x), (y, turned_y) = _unturned(builder, x), _unturned(builder, y)
    attrs: dict[str, Any] = {name: 1 for name, is_turned in (("transA", turned_x), ("transB", turned_y)) if is_turned}
    if node.attrs["negative"]:
        attrs[_SIGNS[node.attrs["negative"]]] = -1.0
    return x.op("Gemm", y, *added, **attrs)


_SIGNS = {"product": "alpha", "added": "beta"}


def _unturned(builder: Builder, x: Tensor) -> tuple[Tensor, bool]:
    """What a matrix is the transpose of, or itself."""
    made = x.value.producer()
    source = made.inputs[0] if made is not None and made.op_type == "Transpose" and made in builder.nodes else None
    return (x, False) if source is None else (Tensor(builder, source, x.dtype), True)


def _product(integers: Rule, floats: Rule) -> Lowering:
    return Lowering("biuf", by_kind(b=_of_bool(floats), i=integers, u=integers, f=floats))


RULES: dict[str, Lowering] = {
    "matmul": _product(_matmul, _matmul),
    "gemm": Lowering("f", _gemm),
    "einsum": _product(_einsum_of_integers, _einsum),
}
