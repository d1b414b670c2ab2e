"""Sizes that constants decide become known, in the types of all that has them.

    y: float64 [d1] = slice(x, 0, 4)                 y: float64 [4] = slice(x, 0, 4)
    n = dim(y, axis=0)                       to      n = dim(y, axis=0)
    z: float64 [d1] = full(1.0, n)                   z: float64 [4] = full(1.0, n)

The types were found before numbers were folded and loops of one round opened.  A size has a symbol where the
evaluation did not know it; where the node that the symbol stems from gives a known size, the symbol is that
number in what follows in that graph and its inner ones.  Symbols that inputs, branches or loops have brought in are
left as they are: what is known of them may hold on one path only.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.types.dims import Dim, Symbol, dim, put_in
from graph_program.extract.types.errors import TypeRuleError
from graph_program.extract.types.number_sizes import number_size
from graph_program.extract.types.rules import infer
from graph_program.extract.types.tensor_type import INT64, TensorType
from graph_program.tensor_api.opdef import OPS


def known_sizes(program: GraphProgram) -> None:
    """Put numbers in the place of symbols in types, in place."""
    _KnownSizes(program).run()


class _KnownSizes(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.found: dict[str, Dim] = {}
        """The numbers that symbols are."""
        self.met: set[str] = set()
        """Symbols whose first value has been seen."""
        self.numbers: dict[Value, Dim] = {}
        """Integers that are sizes, or computed of sizes."""

    def graph(self, graph: Graph) -> None:
        if graph is not self.program.graph:
            graph.inputs = [self._typed(value) for value in graph.inputs]
        self._meet(graph.inputs)
        outside = dict(self.found)
        super().graph(graph)
        self.found = outside

    def visit(self, node: Node) -> list[Node]:
        if node.op in OPS and len(node.outputs) == 1:
            self._learn(node)
        if node.op == "loop":
            self._learn_of_rows(node)
        node.outputs = [self._typed(value) for value in node.outputs]
        if node.op != "placeholder":
            self._meet(node.outputs)
        number = self._number(node)
        if number is not None:
            self.numbers[node.outputs[0]] = number
        return [node]

    def _learn(self, node: Node) -> None:
        """Find what numbers the symbols are that a node is the first to have."""
        shape = node.outputs[0].type.shape
        new = [d for d in shape if (name := _name(d)) and name not in self.met]
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
                    self.found[_name(old)] = size
                    self.met.add(_name(old))

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
            name = _name(output.type.shape[0])
            if name and name not in self.met and begin.constant is not None and rows.constant is not None:
                self.found[name] = begin + rows * max(int(trips), 0)
                self.met.add(name)

    def _typed(self, value: Value) -> Value:
        """The value, or one of a better type in its place."""
        type = value.type
        if not any(d.symbols & self.found.keys() for d in type.shape):
            return value
        shape = tuple(put_in(d, self.found) for d in type.shape)
        better = Value(value.name, TensorType(type.dtype, shape, type.kind))
        self.replace(value, better)
        return better

    def _meet(self, values: list[Value]) -> None:
        for value in values:
            for d in value.type.shape:
                self.met |= d.symbols

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


def _name(d: Dim) -> str:
    """The symbol that a dim is; empty for others."""
    atoms = d.terms[0][0] if len(d.terms) == 1 and d.terms[0][1] == 1 else ()
    return atoms[0].name if len(atoms) == 1 and isinstance(atoms[0], Symbol) else ""


__all__ = ["known_sizes"]
