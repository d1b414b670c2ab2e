"""A loop that reads and writes the same element of an array in every round carries that element.

    x.2 = loop(k < j) with x.1 = x:                 e.0 = take(x, j)
        a = take(x.1, k)                            e.2 = loop(k < j) with e.1 = e.0:
        e = take(x.1, j)                    to          a = take(x, k)
        y = set_index(x.1, max(e, a), j)                give again, max(e.1, a)
        give again, y                               x.2 = set_index(x, e.2, j)

`loop_slices` does so for parts of arrays.  What else is read or written of the array must be other elements: indices
are compared as sums.  Where some are written, as in `f[i] += g; f[j] -= g`, the array is carried, too.  As there may be
no round, the element must be there in any case, as an element at that index has been read or written before, or by its
range.  What is left is a sum or an extreme that `vectorize` knows.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.index_facts import ACCESSES, IndexFacts
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.transform.linear import Linear
from graph_program.extract.transform.rewrite import Rewriter, defined_in, replace_values
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
            chain = _chain(node.regions[0], slot)
            if self._is_of_elements(node.regions[0], slot, chain):
                for write in chain:
                    if self._is_carried(node.regions[0], slot, write, chain):
                        self._carry(node, slot, write, chain, before, after)
                        break
        for one in (*before, *after):
            one.loc = node.loc
            self.facts.note(one)
        self.facts.note_access(node)
        return [*before, node, *after]

    def _is_of_elements(self, body: Graph, slot: int, chain: list[Node]) -> bool:
        """Whether all that a body does with an array, and with what its writes make of it, is to write and read."""
        known = {body.inputs[slot + 1], *(write.outputs[0] for write in chain)}
        given = [value for graph in _graphs(body) for value in graph.outputs if value in known]
        written = (value for write in chain for value in write.inputs[1:])
        return bool(chain) and len(given) == 1 and known.isdisjoint(written)

    def _is_carried(self, body: Graph, slot: int, write: Node, chain: list[Node]) -> bool:
        """Whether a write is to the same element in every round, which all else that is done is about, or is not."""
        places = write.inputs[2:]
        if len(places) != write.inputs[0].type.rank or not defined_in([body]).isdisjoint(places):
            return False
        same, others = _reads(body, slot, write, chain)
        element = write.inputs[1].type
        if not same or any(node.outputs[0].type.rank or node.outputs[0].type.dtype != element.dtype for node in same):
            return False
        if any(node.op == "set_index" for node in others):  # what it makes is read, beside the chain
            return False
        others += [other for other in chain if other is not write]
        return self._is_there(write) and all(self._is_apart(node, write) for node in others)

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

    def _carry(
        self, loop: Node, slot: int, write: Node, chain: list[Node], before: list[Node], after: list[Node]
    ) -> None:
        """Carry the element that is written: instead of the array, or beside it where other ones are written."""
        (body,), places, made = loop.regions, write.inputs[2:], write.inputs[1]
        array, whole, output = body.inputs[slot + 1], loop.inputs[slot + 2], loop.outputs[slot]
        same, _ = _reads(body, slot, write, chain)
        behind = {other.outputs[0] for other in chain[chain.index(write) :]}
        first, carried, found = (Value(self.names.fresh("element"), made.type) for _ in range(3))
        before.append(Node("gather_nd", [whole, *places], [first], {"axis": 0}))
        replaced = {node.outputs[0]: made if node.inputs[0] in behind else carried for node in same}
        made = replaced.get(made, made)
        replaced = {read: replaced.get(value, value) for read, value in replaced.items()}
        for graph in _graphs(body):
            graph.nodes = [node for node in graph.nodes if node is not write and node not in same]
        if len(chain) == 1:
            replaced |= {array: whole, write.outputs[0]: whole}
            body.inputs[slot + 1], body.outputs[slot + 1] = carried, made
            loop.inputs[slot + 2], loop.outputs[slot] = first, found
        else:
            replaced[write.outputs[0]] = write.inputs[0]
            whole = loop.outputs[slot] = Value(self.names.fresh(array.name), output.type)
            body.inputs, body.outputs = [*body.inputs, carried], [*body.outputs, made]
            loop.inputs, loop.outputs = [*loop.inputs, first], [*loop.outputs, found]
        replace_values(body, replaced)
        after.append(Node("set_index", [whole, found, *places], [output], write.attrs))

    def _is_apart(self, node: Node, write: Node) -> bool:
        """Whether a node reads or writes an element that is not the one that is written, or only the size."""
        if node.op == "dim":
            return True
        if node.op not in ("take", "gather_nd", "set_index"):
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


def _graphs(body: Graph) -> list[Graph]:
    """A graph and all its inner ones."""
    return [body, *(region for node in body.walk() for region in node.regions)]


def _chain(body: Graph, slot: int) -> list[Node]:
    """The writes of a round that make the next value of what a loop carries, in order; none if it is something else."""
    made_by = {value: node for node in body.nodes for value in node.outputs}
    found: list[Node] = []
    value = body.outputs[slot + 1]
    while value is not body.inputs[slot + 1]:
        node = made_by.get(value)
        if node is None or node.op != "set_index":
            return []
        found.insert(0, node)
        value = node.inputs[0]
    return found


def _reads(body: Graph, slot: int, write: Node, chain: list[Node]) -> tuple[list[Node], list[Node]]:
    """What reads the element of a write, and what else is done with the array but to write it."""
    known = {body.inputs[slot + 1], *(other.outputs[0] for other in chain)}
    reads = [node for node in body.walk() if node not in chain and not known.isdisjoint(node.inputs)]
    same = [node for node in reads if node.op in ("take", "gather_nd") and node.inputs[1:] == write.inputs[2:]]
    return same, [node for node in reads if node not in same]


__all__ = ["loop_elements"]
