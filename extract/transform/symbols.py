"""Passes that learn what the symbols in types are: the symbols of sizes, replaced from where they are first met on.

A size has a symbol where the evaluation did not know it.  What is learnt at the node that the symbol stems from holds
in what follows in that graph and its inner ones.  Symbols that inputs, branches or loops have brought in are left as
they are: what is known of them may hold on one path only.  What a loop carries has one symbol for the sizes of all
rounds, and of the result, so what is known of one round says nothing of that symbol; see `in_round`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.copies import Copies
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.types.dims import Dim, Symbol, put_in
from graph_program.extract.types.tensors.tensor_type import TensorType
from graph_program.tensor_api.opdef import OPS


class SymbolRewriter(Rewriter):
    """Replaces symbols in types; `learn` says by what."""

    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.found: dict[str, Dim] = {}
        """What symbols are."""
        self.met: set[str] = set()
        """Symbols whose first value has been seen."""
        loops = (node for node in program.graph.walk() if node.op == "loop")
        pairs = (pair for loop in loops for pair in _carried_sizes(loop))
        self.carried = {name for size, begin in pairs if size != begin for name in size.symbols}
        """Symbols of what loops carry that may stand for another size in each round."""

    def learn(self, node: Node) -> None:
        """Find what the symbols are that a node is the first to have; see `is`."""
        raise NotImplementedError

    def new(self, shape: tuple[Dim, ...]) -> list[Dim]:
        """The sizes of a shape that are symbols which nothing before has."""
        names = [(d, symbol_name(d)) for d in shape]
        return [d for d, name in names if name and name not in self.met and name not in self.carried]

    def settle(self, size: Dim, known: Dim) -> None:
        """Say what a new symbol is."""
        self.found[symbol_name(size)] = known
        self.met.add(symbol_name(size))

    def graph(self, graph: Graph) -> None:
        if graph is not self.program.graph:
            graph.inputs = [self._typed(value) for value in graph.inputs]
        self._meet(graph.inputs)
        outside = dict(self.found)
        super().graph(graph)
        self.found = outside

    def visit(self, node: Node) -> list[Node]:
        if node.op in OPS and len(node.outputs) == 1:
            self.learn(node)
        node.outputs = [self._typed(value) for value in node.outputs]
        if node.op != "placeholder":
            self._meet(node.outputs)
        return [node]

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
        self.met |= symbols_of(values)


def symbols_of(values: Sequence[Value]) -> set[str]:
    """The symbols in the sizes of values."""
    return {name for value in values for d in value.type.shape for name in d.symbols}


def _carried_sizes(loop: Node) -> Iterator[tuple[Dim, Dim]]:
    """The sizes of what a loop carries, with those of the initial values."""
    for initial, parameter in zip(loop.inputs[2:], loop.regions[0].inputs[1:], strict=True):
        yield from zip(parameter.type.shape, initial.type.shape, strict=True)


def in_round(body: Graph, values: Sequence[Value]) -> Graph:
    """The body of a loop in a round in which its parameters are these values, and have their sizes."""
    known = dict(zip(body.inputs, values, strict=True))
    pairs = [pair for old, new in known.items() for pair in zip(old.type.shape, new.type.shape, strict=True)]
    sizes = {name: size for d, size in pairs if (name := symbol_name(d)) and d != size}

    def fresh(value: Value) -> Value:
        type = value.type
        shape = tuple(put_in(d, sizes) for d in type.shape)
        return Value(value.name, TensorType(type.dtype, shape, type.kind))

    return Copies(fresh).graph(Graph([], body.nodes, body.outputs), known)


def symbol_name(d: Dim) -> str:
    """The symbol that a dim is; empty for others."""
    atoms = d.terms[0][0] if len(d.terms) == 1 and d.terms[0][1] == 1 else ()
    return atoms[0].name if len(atoms) == 1 and isinstance(atoms[0], Symbol) else ""


__all__ = ["SymbolRewriter", "in_round", "symbol_name", "symbols_of"]
