"""A loop that reads and writes the same part of an array in every round carries that part.

    x.2 = loop(k < n) with x.1 = x:                 s.0 = slice(x, a, b)
        s = slice(x.1, a, b)                        s.2 = loop(k < n) with s.1 = s.0:
        t = add(s, f(k))                    to          t = add(s.1, f(k))
        y = set_slice(x.1, t, a, b)                     give again, t
        give again, y                               x.2 = set_slice(x, s.2, a, b)

Rounds have less to copy, and what is left is a sum that `vectorize` knows.  The bounds must come from outside the
loop.  What is written has the size of the part: a write of another size fails, so it is no write of a loop's body
itself, and what is computed from the part and others is as long as it.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.rewrite import Rewriter, defined_in, replace_values, uses_of
from graph_program.extract.types.tensors.tensor_type import TensorType

ELEMENTWISE = frozenset(["add", "subtract", "multiply", "divide", "maximum", "minimum"])
"""Operations whose result is as large as the part, if it can be written there."""


def loop_slices(program: GraphProgram) -> None:
    """Carry parts of arrays instead of the arrays, in place."""
    if any(node.op == "set_slice" for node in program.graph.walk()):
        _LoopSlices(program).run()


class _LoopSlices(Rewriter):
    def visit(self, node: Node) -> list[Node]:
        before: list[Node] = []
        after: list[Node] = []
        if node.op == "loop":
            body = node.regions[0]
            for slot in range(len(node.outputs)):
                write = self._write(body, slot)
                reads = [] if write is None else _reads(body, body.inputs[slot + 1], write)
                if write is not None and reads and self._fits(write.inputs[1], reads):
                    self._carry(node, slot, write, reads, before, after)
        return [*before, node, *after]

    def _write(self, body: Graph, slot: int) -> Node | None:
        """The write that makes the next value of what a loop carries, if its bounds are from outside."""
        result = body.outputs[slot + 1]
        write = next((node for node in body.nodes if result in node.outputs), None)
        if write is None or write.op != "set_slice" or write.inputs[0] is not body.inputs[slot + 1]:
            return None
        inside = defined_in([body])
        if uses_of(body)[result] != 1 or not inside.isdisjoint(write.inputs[2:]):
            return None
        return write

    def _fits(self, made: Value, reads: list[Node]) -> bool:
        """Whether what is written has the size and element type of the part."""
        part = reads[0].outputs[0].type
        if made.type.dtype != part.dtype or any(read.outputs[0].type.shape != part.shape for read in reads):
            return False
        if made.type.shape == part.shape:
            return True
        node = self.producer.get(made)
        return node is not None and node.op in ELEMENTWISE and any(read.outputs[0] in node.inputs for read in reads)

    def _carry(
        self, loop: Node, slot: int, write: Node, reads: list[Node], before: list[Node], after: list[Node]
    ) -> None:
        (body,) = loop.regions
        part, bounds = reads[0].outputs[0].type, write.inputs[2:]
        made = write.inputs[1]
        if made.type.shape != part.shape:
            made = self._typed(body, made, part)
        array, first = self._begin(loop.inputs[slot + 2], part, write, before)
        carried, found = self._fresh("part", part), self._fresh("part", part)
        dead = {write, *reads}
        for graph in _graphs(body):
            graph.nodes = [node for node in graph.nodes if node not in dead]
        replace_values(body, dict.fromkeys((read.outputs[0] for read in reads), carried))
        made = carried if made in {read.outputs[0] for read in reads} else made
        loop.inputs[slot + 2], body.inputs[slot + 1], body.outputs[slot + 1] = first, carried, made
        output, loop.outputs[slot] = loop.outputs[slot], found
        after.append(Node("set_slice", [array, found, *bounds], [output], write.attrs, loc=write.loc))

    def _begin(self, array: Value, part: TensorType, write: Node, before: list[Node]) -> tuple[Value, Value]:
        """The array whose part is carried, and the part that the loop begins with."""
        bounds = write.inputs[2:]
        made = self.producer.get(array)
        if made is not None and _is_same_part(made, "set_slice", write) and made.inputs[1].type.shape == part.shape:
            return made.inputs[0], made.inputs[1]
        first = self._fresh("part", part)
        before.append(Node("slice", [array, *bounds], [first], write.attrs, loc=write.loc))
        return array, first

    def _typed(self, body: Graph, made: Value, part: TensorType) -> Value:
        """The value by the type that it has where it can be written."""
        better = self._fresh(made.name, part)
        replace_values(body, {made: better})
        for node in body.nodes:
            node.outputs = [better if output is made else output for output in node.outputs]
        return better

    def _fresh(self, name: str, type_: TensorType) -> Value:
        return Value(self.names.fresh(name), TensorType(type_.dtype, type_.shape))


def _reads(body: Graph, array: Value, write: Node) -> list[Node]:
    """The reads of the part that is written; none if something else of the array is read."""
    reads = [node for node in body.walk() if array in node.inputs and node is not write]
    given = any(array in graph.outputs for graph in _graphs(body))
    if given or array in write.inputs[1:] or not all(_is_same_part(read, "slice", write) for read in reads):
        return []
    return reads


def _is_same_part(node: Node, op: str, write: Node) -> bool:
    """Whether a node reads or writes what a write does."""
    bounds = node.inputs[1:] if op == "slice" else node.inputs[2:]
    return node.op == op and bounds == write.inputs[2:] and node.attrs == write.attrs


def _graphs(body: Graph) -> list[Graph]:
    """A graph and its inner ones."""
    return [body, *(region for node in body.walk() for region in node.regions)]


__all__ = ["loop_slices"]
