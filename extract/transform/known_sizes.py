"""Sizes that constants decide become known, in the types of all that has them.

    y: float64 [d1] = slice(x, 0, 4)                 y: float64 [4] = slice(x, 0, 4)
    n = dim(y, axis=0)                       to      n = dim(y, axis=0)
    z: float64 [d1] = full(1.0, n)                   z: float64 [4] = full(1.0, n)

The types were found before numbers were folded and loops of one round opened.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.symbols import SymbolRewriter
from graph_program.extract.types.dims import Dim, dim
from graph_program.extract.types.errors import TypeRuleError
from graph_program.extract.types.number_sizes import number_size
from graph_program.extract.types.rules import infer
from graph_program.extract.types.tensor_type import INT64


def known_sizes(program: GraphProgram) -> None:
    """Put numbers in the place of symbols in types, in place."""
    _KnownSizes(program).run()


class _KnownSizes(SymbolRewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.numbers: dict[Value, Dim] = {}
        """Integers that are sizes, or computed of sizes."""

    def visit(self, node: Node) -> list[Node]:
        nodes = super().visit(node)
        number = self._number(node)
        if number is not None:
            self.numbers[node.outputs[0]] = number
        return nodes

    def learn(self, node: Node) -> None:
        shape = node.outputs[0].type.shape
        new = self.new(shape)
        if not new:
            return
        sizes = [self.numbers.get(value) for value in node.inputs]
        try:
            inferred = infer(node.op, [value.type for value in node.inputs], node.attrs, sizes)
        except TypeRuleError:
            return  # it fails when it runs, if it does
        if inferred.rank == len(shape):
            for old, size in zip(shape, inferred.shape, strict=True):
                if old in new and size.constant is not None:
                    self.settle(old, size)

    def _number(self, node: Node) -> Dim | None:
        """The integer that a node gives, as a size."""
        type = node.outputs[0].type
        if type.rank or type.dtype != INT64:
            return None
        if node.op == "constant":
            return dim(int(node.attrs["value"]))
        if node.op == "dim":
            size: Dim = node.inputs[0].type.shape[node.attrs["axis"]]
            return size
        return number_size(node.op, [self.numbers.get(value) for value in node.inputs])


__all__ = ["known_sizes"]
