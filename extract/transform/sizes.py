"""Sizes of computed tensors are computed from the inputs' shapes, so that what only gives a shape is dead.

    y = exp(x)                              n = dim(x, axis=0)
    n = dim(y, axis=0)          to          z = full(1.0, n)
    z = full(1.0, n)                        return z
    return z

A size that is a dim of an input is always read there, and in a loop one that an array has been made with (`full`)
is the number that it was made with; elsewhere that array, which may be too large, has to be made.  One that is an
expression in such dims is computed if that is little work, and either no more than the shape of the tensor is asked
for, or the tensor is computed in each round of a loop: before the loop once is less.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.size_values import SizeMaker
from graph_program.extract.transform.symbols import symbol_name
from graph_program.extract.types.tensors.tensor_type import INT64


def sizes(program: GraphProgram) -> None:
    """Compute sizes from the inputs' shapes, in place."""
    _Sizes(program).run()


class _Sizes(SizeMaker):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.read = _contents_read(program.graph)
        self.rounds = _made_in_loops(program.graph)

    def graph(self, graph: Graph) -> None:
        outside = dict(self.values)
        super().graph(graph)
        self.values = outside

    def visit(self, node: Node) -> list[Node]:
        if node.op == "full":
            self._note_numbers(node)
        if node.op != "dim":
            return [node]
        (x,), axis = node.inputs, node.attrs["axis"]
        size = x.type.shape[axis]
        if size in self.places:
            place, axis = self.places[size]
            return [self.node("dim", [place], node.outputs[0], {"axis": axis}, node.loc)]
        if size in self.values and self.depth:
            self.replace(node.outputs[0], self.values[size])
            return []
        if size.constant is None and not (self.is_cheap(size) and (x not in self.read or x in self.rounds)):
            return [node]
        self.made = []
        self.replace(node.outputs[0], self.value(size))
        for made in self.made:
            made.loc = node.loc
        return self.made

    def _note_numbers(self, node: Node) -> None:
        """Note with which numbers an array is made; where one is no size it is not made."""
        for number, size in zip(node.inputs[1:], node.outputs[0].type.shape, strict=True):
            if symbol_name(size) and size not in self.places and number.type.dtype == INT64:
                self.values.setdefault(size, number)


def _made_in_loops(graph: Graph) -> set[Value]:
    """The values that loops compute in their rounds."""
    bodies = (region for node in graph.walk() if node.op == "loop" for region in node.regions)
    return {value for body in bodies for inner in body.walk() for value in inner.outputs}


def _contents_read(graph: Graph) -> set[Value]:
    """The values of which more than the shape is asked for, somewhere in the program."""
    found = set(graph.outputs)
    for node in graph.walk():
        if node.op != "dim":
            found.update(node.inputs)
        for region in node.regions:
            found.update(region.outputs)
    return found
