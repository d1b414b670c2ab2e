"""Sizes that follow from those of operands, or from the same number, have one name.

    i: int64 [d1] = nonzero(m)                      i: int64 [d1] = nonzero(m)
    a: float64 [d1] = take(x, i)            to      a: float64 [d1] = take(x, i)
    b: float64 [d2] = take(y, i)                    b: float64 [d1] = take(y, i)
    c: float64 [d3, d4] = full(0.0, n, n)           c: float64 [d3, d3] = full(0.0, n, n)

The evaluation gives a size a name of its own where it cannot tell, as for each of two indices that `cse` then finds to
be the same.  With one name checks of sizes are decided.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.symbols import SymbolRewriter
from graph_program.extract.types.dims import Dim, put_in
from graph_program.extract.types.rules.type_rules import infer
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
from graph_program.extract.types.tensors.tensor_type import INT64


def same_sizes(program: GraphProgram) -> None:
    """Put one name in the place of several in types, in place."""
    _SameSizes(program).run()


class _SameSizes(SymbolRewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.numbers: dict[Value, Dim] = {}
        """Integers that are the size of an array here."""

    def graph(self, graph: Graph) -> None:
        outside = dict(self.numbers)
        super().graph(graph)
        self.numbers = outside  # an array inside an inner graph may not be there

    def learn(self, node: Node) -> None:
        shape = node.outputs[0].type.shape
        if node.op == "full":
            self._note_numbers(node.inputs[1:], shape)
        new = self.new(shape)
        if not new:
            return
        sizes = [self.numbers.get(value) for value in node.inputs]
        try:
            found = infer(node.op, [value.type for value in node.inputs], node.attrs, sizes).shape
        except TypeRuleError:
            return  # it fails when it runs, if it does
        if len(found) == len(shape):
            for old, size in zip(shape, found, strict=True):
                if old in new and size.symbols and size.symbols <= self.met:
                    self.settle(old, size)

    def _note_numbers(self, numbers: list[Value], shape: tuple[Dim, ...]) -> None:
        """Note what numbers are that an array has as its sizes; what they are not is no size that it could have."""
        for number, size in zip(numbers, shape, strict=True):
            if number not in self.numbers:
                self.numbers[number] = put_in(size, self.found)
                self.met |= size.symbols

    def visit(self, node: Node) -> list[Node]:
        nodes = super().visit(node)
        if node.op == "dim" and node.outputs[0].type.dtype == INT64:
            self.numbers[node.outputs[0]] = node.inputs[0].type.shape[node.attrs["axis"]]
        return nodes


__all__ = ["same_sizes"]
