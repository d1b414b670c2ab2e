"""A product of matrices is one operation with the transposes of its operands and what is added to it.

    t = transpose(w, perm=(1, 0))
    p = matmul(x, t)                            to      y = gemm(x, t, b)
    y = add(p, b)

    y = subtract(b, matmul(x, w))               to      y = gemm(x, w, b, negative=product)

    p = matmul(w, v)                                    r = expand_dims(v, axes=(0,))
    y = add(b, p)                               to      y = squeeze(gemm(r, transpose(w), b), axes=(0,))

The lowering takes in the transpose.  One that something else reads, or that was taken out of a loop, stays; so do
products of float16 and integers, for which there is no kernel, and those that may have no columns to sum over.

The sum of a product may start with what is added: this pass is declared as reassociating.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.formulas import Formulas
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensors.shape_arithmetic import ONE
from graph_program.extract.types.tensors.tensor_type import TensorType

SUMS = ("add", "subtract")
TYPES = frozenset([np.dtype(np.float32), np.dtype(np.float64)])


def gemm(program: GraphProgram) -> None:
    """Recognise such products, in place."""
    if not program.host:  # whose steps begin before the products that do not need them
        _Gemm(program).run()


class _Gemm(Formulas):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.homes: list[set[Node]] = []
        """The nodes of the graphs around."""
        added = [node for node in program.graph.walk() if node.op in SUMS]
        self.sums = {value: node for node in added for value in node.inputs}

    def graph(self, graph: Graph) -> None:
        self.homes.append(set(graph.nodes))
        super().graph(graph)
        self.homes.pop()

    def visit(self, node: Node) -> list[Node]:
        if node.op in SUMS:
            return self._sum(node) or [node]
        if node.op != "matmul" or not _fits(node) or self._is_added(node):
            return [node]
        return [self._written(node, node.outputs[0])] if any(map(self._is_turned, node.inputs)) else [node]

    def _is_added(self, product: Node) -> bool:
        """Whether a sum takes in a product."""
        value = product.outputs[0]
        total = self.sums.get(value)
        return total is not None and total in self.homes[-1] and self._added(total, value) is not None

    def _sum(self, node: Node) -> list[Node] | None:
        for value in node.inputs:
            product = self.made(value, "matmul")
            bias = self._added(node, value) if product is not None and (_fits(product) or _turns(product)) else None
            if product is not None and bias is not None and product in self.homes[-1]:
                negative = "" if node.op == "add" else "product" if value is node.inputs[1] else "added"
                write = self._written if _fits(product) else self._of_vector
                made = write(product, node.outputs[0], bias, negative)
                return made if isinstance(made, list) else [made]
        return None

    def _added(self, total: Node, product: Value) -> Value | None:
        """What is added to the rows or elements of a product that nothing else reads."""
        bias, shape = total.inputs[total.inputs[0] is product], product.type.shape
        fits = bias.type.shape in (shape, shape[-1:], (ONE, *shape[-1:])[: len(shape)])
        return bias if fits and total.outputs[0].type.shape == shape and self.uses[product] == 1 else None

    def _written(self, product: Node, output: Value, bias: Value | None = None, negative: str = "") -> Node:
        inputs = [*product.inputs, *([] if bias is None else [bias])]
        return self.node("gemm", inputs, output, {"negative": negative}, product.loc)

    def _of_vector(self, product: Node, output: Value, bias: Value, negative: str) -> list[Node]:
        """A matrix by a vector, which is taken for the row of one that the transposed matrix is multiplied by."""
        (matrix, vector), type_ = product.inputs, output.type
        rows, columns = matrix.type.shape
        row, result = self._made("row", type_, (ONE, columns)), self._made("sum", type_, (ONE, rows))
        turned, at = self._made("turned", type_, (columns, rows)), product.loc
        return [
            self.node("expand_dims", [vector], row, {"axes": (0,)}, at),
            self.node("transpose", [matrix], turned, {"perm": (1, 0)}, at),
            self.node("gemm", [row, turned, bias], result, {"negative": negative}, at),
            self.node("squeeze", [result], output, {"axes": (0,)}, at),
        ]

    def _made(self, name: str, type_: TensorType, shape: tuple[Dim, ...]) -> Value:
        return Value(self.names.fresh(name), replace(type_, shape=shape))

    def _is_turned(self, value: Value) -> bool:
        """Whether an operand is a transposed matrix that nothing else reads."""
        node = self.made(value, "transpose")
        return node is not None and self.uses[value] == 1 and node in self.homes[-1]


def _fits(product: Node) -> bool:
    """Whether the operation takes a product."""
    x, y = (value.type for value in product.inputs)
    return (x.rank, y.rank) == (2, 2) and x.dtype in TYPES and bool(x.shape[1].lower)


def _turns(product: Node) -> bool:
    """Whether the operation takes a product once its vector is a row."""
    x, y = (value.type for value in product.inputs)
    return (x.rank, y.rank) == (2, 1) and x.dtype in TYPES and bool(x.shape[1].lower)


__all__ = ["gemm"]
