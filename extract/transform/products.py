"""Products with less work: no transposed matrices, no vectors made matrices, no rows one by one.

    y = matmul(transpose(a), v)             y = matmul(v, a)

    loop:                                   b = transpose(a); p = matmul(x, w)
        y = matmul(a, h)            to      loop:
        z = matmul(take(x, k), w)               y = matmul(h, b)
                                                z = take(p, k)

A product by a vector from the right is the product by it from the left, with the matrix transposed: a kernel that
takes no copy of the vector as a matrix.  Of what a loop takes rows of, one in each of its rounds, the products with
the same matrix are one product before the loop.

The sums of a product may be added in another order then: this pass is declared as reassociating, as the
kernels of a product are.
"""

from __future__ import annotations

from dataclasses import field

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.endings import ends_in_error
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.transform.linear import linear
from graph_program.extract.transform.rewrite import Rewriter, defined_in
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensors.tensor_type import TensorType

LARGEST = 1 << 16
"""Elements of a matrix that is transposed for a product by a vector: larger ones are read faster by rows."""
FEW = 8
"""So many rows may be multiplied in vain."""
SWAPPED = (1, 0)


def products(program: GraphProgram) -> None:
    """Write products so that they are less work, in place."""
    _Products(program).run()


@dataclass
class _Loop:
    """A loop around what is looked at: its values, what is to stand before it, and transposed matrices."""

    node: Node
    inside: set[Value]
    before: list[Node] = field(default_factory=list)
    transposed: dict[Value, Value] = field(default_factory=dict)


class _Products(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.ranges = Ranges()
        self.loops: list[_Loop] = []
        self.graphs: list[Graph] = []
        self.entered: dict[Graph, _Loop] = {}
        self.sides: set[Graph] = set()
        """Sides of branches of which the other one ends with an error."""

    def graph(self, graph: Graph) -> None:
        for node in graph.nodes:
            self.ranges.note(node)
            if node.op == "loop":
                (body,) = node.regions
                self.entered[body] = _Loop(node, defined_in([body]))
            elif node.op == "if" and "fails" in node.attrs:
                self.sides.add(node.regions[1 - node.attrs["fails"]])
        loop = self.entered.get(graph)
        self.loops += [loop] if loop is not None else []
        self.graphs.append(graph)
        super().graph(graph)
        self.graphs.pop()
        if loop is not None:
            self.loops.pop()

    def visit(self, node: Node) -> list[Node]:
        if node.op == "loop":
            return [*self.entered[node.regions[0]].before, node]
        if node.op != "matmul":
            return [node]
        x, y = node.inputs
        turned = self._transposed(x, node.loc) if (x.type.rank, y.type.rank) == (2, 1) else None
        if turned is not None:
            node = self.node("matmul", [y, turned], node.outputs[0], {}, node.loc)
        return self._one_by_one(node)

    def _transposed(self, x: Value, loc: Loc) -> Value | None:
        """A matrix transposed, if it is itself, or can be before a loop."""
        maker = self.producer.get(x)
        if maker is not None and maker.op == "transpose" and tuple(maker.attrs["perm"]) == SWAPPED:
            return maker.inputs[0]
        if not self.loops or x in self.loops[-1].inside or not _is_small(x):
            return None
        loop = self.loops[-1]
        if x not in loop.transposed:
            turned = Value(self.names.fresh(x.name), TensorType(x.type.dtype, x.type.shape[::-1]))
            loop.before.append(self.node("transpose", [x], turned, {"perm": SWAPPED}, loc))
            loop.transposed[x] = turned
        return loop.transposed[x]

    def _one_by_one(self, node: Node) -> list[Node]:
        """A row of a product of all rows in the place of the product of a row."""
        row, matrix = node.inputs
        taken = self.producer.get(row)
        if not self.loops or taken is None or taken.op != "take" or (row.type.rank, matrix.type.rank) != (1, 2):
            return [node]
        loop, (rows, index) = self.loops[-1], taken.inputs
        if not self._is_in_each_round(loop) or not loop.inside.isdisjoint((rows, matrix)):
            return [node]
        if row.type.shape[0] != matrix.type.shape[0] or taken.attrs["axis"] or rows.type.rank != 2:
            return [node]
        if not self._takes_all(loop.node, index, rows.type.shape[0]):
            return [node]
        type_ = TensorType(node.outputs[0].type.dtype, (rows.type.shape[0], matrix.type.shape[1]))
        product = Value(self.names.fresh(f"{node.outputs[0].name}.rows"), type_)
        loop.before.append(self.node("matmul", [rows, matrix], product, {}, node.loc))
        return [self.node("take", [product, index], node.outputs[0], taken.attrs, node.loc)]

    def _is_in_each_round(self, loop: _Loop) -> bool:
        """Whether each round of a loop comes here, unless it ends with an error."""
        here = next(graph for graph in reversed(self.graphs) if graph not in self.sides)
        return here is loop.node.regions[0]

    def _takes_all(self, loop: Node, index: Value, size: Dim) -> bool:
        """Whether almost all rows are taken, one in each round."""
        counter, again = loop.regions[0].inputs[0], loop.regions[0].outputs[0]
        if index.type.rank or abs(linear(index, self.producer.get).terms.get(counter, 0)) != 1:
            return False
        trips = self.ranges.of(loop.inputs[0])
        if trips is None or trips[0] != trips[1]:
            return False
        more = (size - trips[0]).constant
        always = [self.constant_of(value) for value in (loop.inputs[1], again)]
        begins, goes_on = (value is not None and bool(value) for value in always)
        few = more is not None and more <= FEW
        return few and begins and (goes_on or ends_in_error(self.program, loop))


def _is_small(matrix: Value) -> bool:
    sizes = [d.constant for d in matrix.type.shape]
    return None in sizes or (sizes[0] or 0) * (sizes[1] or 0) <= LARGEST


__all__ = ["products"]
