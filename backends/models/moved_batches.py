"""Products of stacks of matrices that a transpose has just put in another order: onnxruntime ends the process there.

    MatMul(Transpose(x, perm=[1, 0, 2]), w)   ->   MatMul(Sum(Transpose(x, perm=[1, 0, 2])), w)

MatmulTransposeFusion takes the two together where the transpose brings the first axis, a batch, among the last two.
Its kernel divides by the number of matrices: with none of them there is a SIGFPE (1.26 to 1.31).  With float16, and a
known matrix on the other side, a later step of the optimizer ends in a SIGSEGV (1.32).  What a sum of one array gives
is not taken together with anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import onnx_ir as ir

PASSED = frozenset(["Cast", "Identity", "Transpose"])
"""What the fusion looks through."""
FLOATS = frozenset([ir.DataType.FLOAT, ir.DataType.DOUBLE, ir.DataType.FLOAT16])
Operand = tuple[ir.Node, int]
"""A product, and a place among its inputs."""


def moved_batches(main: ir.Graph) -> list[Operand]:
    """The operands of products, in a graph and its inner graphs, that may end the process."""
    products = (node for graph in (main, *main.subgraphs()) for node in graph if _is_product(node))
    operands = ((node, place, value) for node in products for place, value in enumerate(node.inputs))
    return [(node, place) for node, place, value in operands if value is not None and _may_fail(value)]


def keep_apart(operands: Iterable[Operand]) -> None:
    """Put a sum before operands, in place."""
    for product, place in operands:
        value, graph = product.inputs[place], product.graph
        assert value is not None and isinstance(graph, ir.Graph)
        name = f"{product.name or product.outputs[0].name}.{value.name}.apart"
        made = ir.node("Sum", [value], name=name)
        made.outputs[0].name, made.outputs[0].type, made.outputs[0].shape = name, value.type, value.shape
        graph.insert_before(product, made)
        product.replace_input_with(place, made.outputs[0])


def _is_product(node: ir.Node) -> bool:
    return node.op_type == "MatMul" and not node.domain


def _may_fail(value: ir.Value) -> bool:
    if value.dtype not in FLOATS or not moves_a_batch(value):
        return False
    known = value.shape is not None and all(isinstance(size, int) and size for size in value.shape)
    return not known or has_halves(value)


def has_halves(value: ir.Value) -> bool:
    """Whether a value has 16 bits, or had before a cast that the fusion looks through."""
    return any(one.dtype == ir.DataType.FLOAT16 for one in (value, *_sources(value)))


def moves_a_batch(value: ir.Value) -> bool:
    """Whether transposes have brought the first axis, from before the stack's others, among the last two."""
    perm: Sequence[int] | None = None
    for one in (value, *_sources(value)):
        node = one.producer()
        if node is not None and node.op_type == "Transpose":
            if "perm" not in node.attributes:  # all axes backwards
                return False
            own = node.attributes["perm"].as_ints()
            perm = own if perm is None else [own[axis] for axis in perm]
    return perm is not None and len(perm) > 2 and list(perm[:-2]) == list(range(1, len(perm) - 1))


def _sources(value: ir.Value) -> Iterator[ir.Value]:
    """What a value was made of by operators that the fusion looks through, one after the other."""
    node = value.producer()
    while node is not None and node.op_type in PASSED and node.inputs[0] is not None:
        yield node.inputs[0]
        node = node.inputs[0].producer()


__all__ = ["has_halves", "keep_apart", "moved_batches", "moves_a_batch"]
