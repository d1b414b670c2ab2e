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
from graph_program.extract.types.dims.integers import number_size
from graph_program.extract.types.rules.type_rules import infer
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
from graph_program.extract.types.tensors.tensor_type import INT64


def known_sizes(program: GraphProgram) -> None:
    """Put numbers in the place of symbols in types, in place."""
    _KnownSizes(program).run()


class _KnownSizes(SymbolRewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.numbers: dict[Value, Dim] = {}
        """Integers that are sizes, or computed of sizes."""

    def visit(self, node: Node) -> list[Node]:
        if node.op == "loop":
            self._learn_of_rows(node)
        nodes = super().visit(node)
        number = self._number(node) if node.outputs else None
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

    def _learn_of_rows(self, loop: Node) -> None:
        """Find how many rows a loop puts behind others that it carries, where it has a known number of rounds."""
        body, trips = loop.regions[0], self.constant_of(loop.inputs[0])
        goes_on = [self.constant_of(value) for value in (loop.inputs[1], body.outputs[0])]
        if trips is None or not all(known is not None and bool(known) for known in goes_on):
            return
        slots = zip(loop.outputs, loop.inputs[2:], body.inputs[1:], body.outputs[1:], strict=True)
        for output, initial, parameter, result in slots:
            node = self.producer.get(result)
            if node is None or node.op != "concatenate" or node.attrs["axis"] != 0 or node.inputs[0] is not parameter:
                continue
            begin, rows = initial.type.shape[0], sum((v.type.shape[0] for v in node.inputs[1:]), dim(0))
            new = self.new(output.type.shape[:1])
            if new and begin.constant is not None and rows.constant is not None:
                self.settle(new[0], begin + rows * max(int(trips), 0))

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
