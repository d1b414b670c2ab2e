"""A loop that reads and writes the same element of an array in every round carries that element.

    x.2 = loop(k < j) with x.1 = x:                 e.0 = take(x, j)
        a = take(x.1, k)                            e.2 = loop(k < j) with e.1 = e.0:
        e = take(x.1, j)                    to          a = take(x, k)
        y = set_index(x.1, max(e, a), j)                give again, max(e.1, a)
        give again, y                               x.2 = set_index(x, e.2, j)

`loop_slices` does so for parts of arrays.  What else is read of the array must be other elements, which are those that
the loop begins with: indices are compared as sums.  As there may be no round, the element must be there in any case,
as an element at that index has been read or written before, or by its range.  What is left is a sum or an extreme
that `vectorize` knows.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.index_facts import ACCESSES, IndexFacts
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.transform.linear import Linear
from graph_program.extract.transform.rewrite import Rewriter, defined_in, replace_values, uses_of
from graph_program.extract.types.dims import Dim


def loop_elements(program: GraphProgram) -> None:
    """Carry elements of arrays instead of the arrays, in place."""
    if any(node.op == "set_index" for node in program.graph.walk()):
        _LoopElements(program).run()


class _LoopElements(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.facts = IndexFacts(Ranges())
        self.sizes: dict[Dim, Value] = {}
        """Numbers that are sizes here."""

    def graph(self, graph: Graph) -> None:
        outside = dict(self.sizes)
        for node in graph.nodes:
            self.facts.note(node)
            if node.op == "dim":
                self.sizes.setdefault(node.inputs[0].type.shape[node.attrs["axis"]], node.outputs[0])
            elif node.op == "full":
                for size, number in zip(node.outputs[0].type.shape, node.inputs[1:], strict=True):
                    self.sizes.setdefault(size, number)
        with self.facts.scope():
            super().graph(graph)
        self.sizes = outside

    def visit(self, node: Node) -> list[Node]:
        before: list[Node] = []
        after: list[Node] = []
        for slot in range(len(node.outputs)) if node.op == "loop" else ():
            write = self._write(node.regions[0], slot)
            if write is not None and self._is_there(write):
                self._carry(node, slot, write, before, after)
        for one in (*before, *after):
            one.loc = node.loc
            self.facts.note(one)
        self.facts.note_access(node)
        return [*before, node, *after]

    def _write(self, body: Graph, slot: int) -> Node | None:
        """The write that makes the next value of what a loop carries, if its place is known before the loop."""
        result = body.outputs[slot + 1]
        write = next((node for node in body.nodes if result in node.outputs), None)
        if write is None or write.op != "set_index" or write.inputs[0] is not body.inputs[slot + 1]:
            return None
        inside = defined_in([body])
        rank, places = write.inputs[0].type.rank, write.inputs[2:]
        if uses_of(body)[result] != 1 or not inside.isdisjoint(places) or len(places) != rank:
            return None
        return write

    def _is_there(self, write: Node) -> bool:
        """Whether the element that is written is one of the array, even where the loop has no round."""
        facts = self.facts
        for index, size in zip(write.inputs[2:], write.inputs[0].type.shape, strict=True):
            form = facts.linear(index)
            is_less = facts.was_used(form, size) or facts.is_at_most(form + Linear({}, 1), size)
            if not is_less and size in self.sizes:
                is_less = facts.is_less(form, facts.linear(self.sizes[size]))
            if not is_less or not facts.is_nonnegative(form):
                return False
        return True

    def _carry(self, loop: Node, slot: int, write: Node, before: list[Node], after: list[Node]) -> None:
        """Carry the element that is written, if all that is read of the array is it, or others."""
        (body,), places = loop.regions, write.inputs[2:]
        array, whole = body.inputs[slot + 1], loop.inputs[slot + 2]
        reads = [node for node in body.walk() if array in node.inputs and node is not write]
        same = [node for node in reads if node.op in ("take", "gather_nd") and node.inputs[1:] == places]
        given = any(array in graph.outputs for graph in (body, *(r for node in body.walk() for r in node.regions)))
        others = [node for node in reads if node not in same]
        if not same or given or array in write.inputs[1:] or not all(self._is_apart(node, write) for node in others):
            return
        element = write.inputs[1].type
        if any(node.outputs[0].type.rank or node.outputs[0].type.dtype != element.dtype for node in same):
            return
        first, carried, found = (Value(self.names.fresh("element"), element) for _ in range(3))
        before.append(Node("gather_nd", [whole, *places], [first], {"axis": 0}))
        for graph in (body, *(region for node in body.walk() for region in node.regions)):
            graph.nodes = [node for node in graph.nodes if node is not write and node not in same]
        made = write.inputs[1]
        replaced = {array: whole, **dict.fromkeys((node.outputs[0] for node in same), carried)}
        body.outputs[slot + 1], body.inputs[slot + 1], loop.inputs[slot + 2] = made, carried, first
        replace_values(body, replaced)
        output, loop.outputs[slot] = loop.outputs[slot], found
        after.append(Node("set_index", [whole, found, *places], [output], write.attrs))

    def _is_apart(self, node: Node, write: Node) -> bool:
        """Whether a node reads an element that is not the one that is written, or only the size."""
        if node.op == "dim":
            return True
        if node.op not in ("take", "gather_nd") or node.inputs[0] is not write.inputs[0]:
            return False
        axis = node.attrs.get("axis", 0)
        pairs = zip(node.inputs[ACCESSES[node.op] :], write.inputs[2 + axis :], strict=False)
        return any(self._differ(index, place) for index, place in pairs)

    def _differ(self, index: Value, place: Value) -> bool:
        """Whether two indices, of which the second is at least 0, are of different elements."""
        facts = self.facts
        if index.type.rank:
            return False
        a, b = facts.linear(index), facts.linear(place)
        return facts.is_nonnegative(a) and (facts.is_less(a, b) or facts.is_less(b, a))


__all__ = ["loop_elements"]
