"""A product of matrices is one operation with the transposes of its operands and what is added to it.

    t = transpose(w, perm=(1, 0))
    p = matmul(x, t)                            to      y = gemm(x, t, b)
    y = add(p, b)

    y = subtract(b, matmul(x, w))               to      y = gemm(x, w, b, negative=product)

    p = matmul(w, v)                                    r = expand_dims(v, axes=(0,))
    y = add(b, p)                               to      y = squeeze(gemm(r, transpose(w), b), axes=(0,))

A vector that is such a sum itself is the row that it was made of.  So `v @ w` is one where that saves an operation.

The lowering takes in the transpose.  One that something else than products reads, or that was taken out of a loop,
stays; so do products of float16 and integers, for which there is no kernel, and those that may have no columns to sum
over.

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
        products = [node for node in program.graph.walk() if node.op == "matmul"]
        self.multiplied: dict[Value, list[Node]] = {}
        for node in products:
            for value in node.inputs:
                self.multiplied.setdefault(value, []).append(node)

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
            product = self.made_by(value, "matmul")
            if product is None or product not in self.homes[-1] or not (_fits(product) or self._turns(product, node)):
                continue
            bias = self._added(node, value)
            if bias is not None:
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
        type_, at = output.type, product.loc
        is_last = product.inputs[1].type.rank == 1
        matrix, vector = product.inputs if is_last else product.inputs[::-1]
        nodes: list[Node] = []
        if is_last:
            turned = self._made("turned", type_, matrix.type.shape[::-1])
            nodes.append(self.node("transpose", [matrix], turned, {"perm": (1, 0)}, at))
            matrix = turned
        row = self._row_of(vector)
        if row is None:
            row = self._made("row", type_, (ONE, *vector.type.shape))
            nodes.append(self.node("expand_dims", [vector], row, {"axes": (0,)}, at))
        result = self._made("sum", type_, (ONE, *type_.shape))
        return [
            *nodes,
            self.node("gemm", [row, matrix, bias], result, {"negative": negative}, at),
            self.node("squeeze", [result], output, {"axes": (0,)}, at),
        ]

    def _turns(self, product: Node, total: Node) -> bool:
        """Whether the operation takes a product, to which a sum adds something, once its vector is a row."""
        x, y = product.inputs
        if x.type.rank + y.type.rank != 3 or x.type.dtype not in TYPES or not x.type.shape[-1].lower:
            return False
        return y.type.rank == 1 or self._row_of(x) is not None or self._is_row(total.outputs[0])

    def _row_of(self, vector: Value) -> Value | None:
        """The row of which a vector is made."""
        node = self.made_by(vector, "squeeze")
        return node.inputs[0] if node is not None and node.inputs[0].type.shape == (ONE, *vector.type.shape) else None

    def _is_row(self, vector: Value) -> bool:
        """Whether a vector is only multiplied, by what the operation takes once it is a row."""
        products = self.multiplied.get(vector, []) if self.uses[vector] == 1 else []
        return any(product.inputs[1] is vector and self._is_added(product) for product in products)

    def _made(self, name: str, type_: TensorType, shape: tuple[Dim, ...]) -> Value:
        return Value(self.names.fresh(name), replace(type_, shape=shape))

    def _is_turned(self, value: Value) -> bool:
        """Whether an operand is a transposed matrix that nothing reads but such products."""
        node, products = self.made_by(value, "transpose"), self.multiplied.get(value, [])
        is_here = node is not None and node in self.homes[-1] and self.homes[-1].issuperset(products)
        return is_here and self.uses[value] == len(products) and all(map(_fits, products))


def _fits(product: Node) -> bool:
    """Whether the operation takes a product."""
    x, y = (value.type for value in product.inputs)
    return (x.rank, y.rank) == (2, 2) and x.dtype in TYPES and bool(x.shape[1].lower)


__all__ = ["gemm"]
