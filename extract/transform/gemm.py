"""A product of matrices is one operation with the transposes of its operands and what is added to it.

    t = transpose(w, perm=(1, 0))
    p = matmul(x, t)                            to      y = gemm(x, t, b)
    y = add(p, b)

The lowering takes in the transpose.  One that something else reads, or that was taken out of a loop, stays; so do
products of float16 and integers, for which there is no kernel, and those that may have no columns to sum over.

The sum of a product may start with what is added: this pass is declared as reassociating.
"""

from __future__ import annotations

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.formulas import Formulas
from graph_program.extract.types.tensors.shape_arithmetic import ONE

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
        added = [node for node in program.graph.walk() if node.op == "add"]
        self.sums = {value: node for node in added for value in node.inputs}

    def graph(self, graph: Graph) -> None:
        self.homes.append(set(graph.nodes))
        super().graph(graph)
        self.homes.pop()

    def visit(self, node: Node) -> list[Node]:
        if node.op == "add":
            return self._sum(node) or [node]
        if node.op != "matmul" or not _fits(node) or self._is_added(node):
            return [node]
        return self._written(node, node.outputs[0], []) or [node]

    def _is_added(self, product: Node) -> bool:
        """Whether a sum takes in a product."""
        value = product.outputs[0]
        total = self.sums.get(value)
        return total is not None and total in self.homes[-1] and self._added(total, value) is not None

    def _sum(self, node: Node) -> list[Node] | None:
        for value in node.inputs:
            product = self.made(value, "matmul")
            bias = self._added(node, value) if product is not None and _fits(product) else None
            if product is not None and bias is not None and product in self.homes[-1]:
                return self._written(product, node.outputs[0], [bias])
        return None

    def _added(self, total: Node, product: Value) -> Value | None:
        """What is added to the rows or elements of a product that nothing else reads."""
        bias = total.inputs[total.inputs[0] is product]
        rows, columns = product.type.shape
        fits = bias.type.shape in ((columns,), (ONE, columns), (rows, columns))
        whole = total.outputs[0].type.shape == (rows, columns)
        return bias if fits and whole and self.uses[product] == 1 else None

    def _written(self, product: Node, output: Value, bias: list[Value]) -> list[Node] | None:
        """The operation, where it takes in something."""
        if not bias and not any(map(self._is_turned, product.inputs)):
            return None
        return [self.node("gemm", [*product.inputs, *bias], output, {}, product.loc)]

    def _is_turned(self, value: Value) -> bool:
        """Whether an operand is a transposed matrix that nothing else reads."""
        node = self.made(value, "transpose")
        return node is not None and self.uses[value] == 1 and node in self.homes[-1]


def _fits(product: Node) -> bool:
    """Whether the operation takes a product."""
    x, y = (value.type for value in product.inputs)
    return (x.rank, y.rank) == (2, 2) and x.dtype in TYPES and bool(x.shape[1].lower)


__all__ = ["gemm"]
