"""Visits the loops of a program, inner ones first, with what is known of integers and sizes there."""

from __future__ import annotations

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.ranged import RangedRewriter
from graph_program.extract.transform.sizes_read import INDICES, sizes_read
from graph_program.extract.transform.totality import Totality
from graph_program.extract.transform.vectorize.maker import Numbers
from graph_program.extract.transform.vectorize.rejoined import rejoined
from graph_program.extract.types.dims import Dim


class LoopRewriter(RangedRewriter):
    """Rewrites loops: `loop` says what stands in the place of one."""

    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.numbers = Numbers(self)
        self._may_be_unset = Totality(program.graph).may_be_unset
        self.there: list[Value] = []
        """What has been made before what is visited, there and around it."""
        self._read: list[Value] = []
        """Arrays that have been read by an index before it, there and around it."""

    def graph(self, graph: Graph) -> None:
        positive, before, read, known = self.numbers.positive, len(self.there), len(self._read), self.ranges.here
        self.there += graph.inputs
        super().graph(graph)
        self.numbers.positive, self.ranges.here = positive, known
        del self.there[before:], self._read[read:]

    def region(self, node: Node, number: int) -> None:
        positive = self.numbers.positive
        if node.op == "loop":
            self.numbers.note_rounds(node)
        super().region(node, number)
        self.numbers.positive = positive

    def visit(self, node: Node) -> list[Node]:
        other = rejoined(self, self.numbers, node) if self.depth else None
        if isinstance(other, Value):
            self.replace(node.outputs[0], other)
            return []
        node = other or node
        if node.op == "full":
            self._note_sizes(node)
            self.ranges.say_made(node)
        self.numbers.positive += sizes_read(node)
        nodes = self.loop(node) if node.op == "loop" else [node]
        self.there += node.outputs
        if node.op in INDICES:
            self._read.append(node.inputs[0])
        return nodes

    def is_unset(self, value: Value) -> bool:
        """Whether a value may be what stands for one that is not there, of which no element has been read so far."""
        return self._may_be_unset(value) and value not in self._read

    def loop(self, node: Node) -> list[Node]:
        """The nodes that stand in for a loop, in order."""
        raise NotImplementedError

    def _note_sizes(self, node: Node) -> None:
        """Numbers of which an array has been made are its sizes from there on."""
        shape = node.outputs[0].type.shape
        for value, size in zip(node.inputs[1:], shape, strict=True):
            if value in self.producer or self.numbers.of(value) is not None or not _is_one_term(size):
                continue
            self.numbers.known[value] = size


def _is_one_term(size: Dim) -> bool:
    """Whether a size is a symbol, or something else that is computed of symbols without a sum."""
    return bool(size.symbols) and len(size.terms) == 1 and size.terms[0][1] == 1


__all__ = ["LoopRewriter"]
