"""Of three matrices the two are multiplied first whose product is asked for anyway.

    t = matmul(h, p)                            q = matmul(p, c)
    s = matmul(t, c)                    to      s = matmul(h, q)
    q = matmul(p, c)

That is `H @ P @ H.T` beside `P @ H.T`, as in every Kalman filter.  Products are associative but for rounding, so the
pass is declared as reassociating.  It is done where sizes are known and nothing else reads the product that goes.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.rewrite import Rewriter, uses_of
from graph_program.extract.types.tensors.tensor_type import TensorType

Factors = tuple[Value, Value]


def shared_products(program: GraphProgram) -> None:
    """Multiply in an order in which products are shared, in place."""
    if sum(node.op == "matmul" for node in program.graph.walk()) > 2:
        _SharedProducts(program).run()


class _SharedProducts(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.uses = uses_of(program.graph)
        self.later: list[set[Factors]] = []
        """The products that each of the graphs around has."""
        self.made: dict[Factors, Value] = {}
        """Those that are there by now."""
        self.here: set[Value] = set()
        """Products of the graph that is gone through, which are not outside of a loop."""

    def graph(self, graph: Graph) -> None:
        before, here, self.here = dict(self.made), self.here, set()
        self.later.append({_factors(node) for node in graph.nodes if _is_product(node)})
        super().graph(graph)
        self.later.pop()
        self.made, self.here = before, here

    def visit(self, node: Node) -> list[Node]:
        if not _is_product(node):
            return [node]
        made = self.made.get(_factors(node))
        if made is not None:
            self.replace(node.outputs[0], made)
            return []
        nodes = self._left(node) or self._right(node) or [node]
        for product in nodes:
            self.made[_factors(product)] = product.outputs[0]
            self.here.add(product.outputs[0])
        return nodes

    def _left(self, node: Node) -> list[Node] | None:
        """`(a @ b) @ c` as `a @ (b @ c)`."""
        inner = self._inner(node.inputs[0])
        if inner is None:
            return None
        (a, b), c = inner.inputs, node.inputs[1]
        return self._multiplied(node, a, (b, c), None) if self._is_less(inner, node, (b, c)) else None

    def _right(self, node: Node) -> list[Node] | None:
        """`a @ (b @ c)` as `(a @ b) @ c`."""
        inner = self._inner(node.inputs[1])
        if inner is None:
            return None
        a, (b, c) = node.inputs[0], inner.inputs
        return self._multiplied(node, None, (a, b), c) if self._is_less(inner, node, (a, b)) else None

    def _inner(self, value: Value) -> Node | None:
        """The product that a factor is, if nothing else reads it."""
        node = self.producer.get(value)
        return node if node is not None and value in self.here and self.uses[value] == 1 else None

    def _is_less(self, inner: Node, outer: Node, shared: Factors) -> bool:
        """Whether a product that is there anyway saves more than it takes to multiply it."""
        if shared == _factors(inner) or (shared not in self.later[-1] and shared not in self.made):
            return False
        rows, columns = (d.constant or 0 for d in outer.outputs[0].type.shape)
        between = (shared[0].type.shape[0] if shared[0] in inner.inputs else shared[1].type.shape[1]).constant or 0
        return rows * columns * between <= _work(inner) + _work(outer)

    def _multiplied(self, node: Node, left: Value | None, shared: Factors, right: Value | None) -> list[Node]:
        nodes: list[Node] = []
        product = self.made.get(shared)
        if product is None:
            type_ = TensorType(node.outputs[0].type.dtype, (shared[0].type.shape[0], shared[1].type.shape[1]))
            product = Value(self.names.fresh("product"), type_)
            nodes.append(self.node("matmul", shared, product, {}, node.loc))
        factors = [factor for factor in (left, product, right) if factor is not None]
        return [*nodes, self.node("matmul", factors, node.outputs[0], {}, node.loc)]


def _is_product(node: Node) -> bool:
    """Whether a node multiplies matrices of floats whose sizes are known."""
    if node.op != "matmul" or node.outputs[0].type.dtype.kind != "f":
        return False
    return all(x.type.rank == 2 and None not in [d.constant for d in x.type.shape] for x in node.inputs)


def _factors(node: Node) -> Factors:
    return node.inputs[0], node.inputs[1]


def _work(product: Node) -> int:
    """How many numbers are multiplied."""
    (rows, inner), (_, columns) = ([d.constant or 0 for d in x.type.shape] for x in product.inputs)
    return rows * inner * columns


__all__ = ["shared_products"]
