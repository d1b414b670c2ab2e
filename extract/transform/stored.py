"""What has just been written is not read back, nor written into an array twice.

    b = set_index(a, v, i)                          b = set_index(a, v, i)
    t = take(b, i)                                  (t is v)
    s = slice(b, i, i + 1)                          s = expand_dims(v, axes=(0,))
    u = gather_nd(b, i, j)              to          u = take(v, j)
    c = set_index(b, w, i, j)                       c = set_index(a, set_index(v, w, j), i)
    d = set_index(c, y, i)                          d = set_index(a, y, i)
    e = take(b, i + 1)                              e = take(a, i + 1)
    f = slice(b, 0, i)                              f = slice(a, 0, i)

Each write copies its array; a row is less.  What fails for an index outside must still fail: only of indices that
are inside, by their ranges or since they have been used before, is this done.  (Store-to-load forwarding.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.index_facts import IndexFacts
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.transform.linear import Linear
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.transform.row_flow import READS
from graph_program.extract.transform.sizes_read import sizes_read
from graph_program.extract.types.dims import Dim, dim, provably_less_equal, put_in
from graph_program.extract.types.tensors.tensor_type import TensorType

END = np.iinfo(np.int64).max


def stored(program: GraphProgram) -> None:
    """Forward what is written, in place."""
    if any(node.op == "set_index" for node in program.graph.walk()):
        _Stored(program).run()


class _Stored(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.facts = IndexFacts(Ranges())
        self.inside: set[Node] = set()
        """Writes whose indices are inside, whatever becomes of the write."""

    def graph(self, graph: Graph) -> None:
        for node in graph.nodes:
            self.facts.note(node)
        here = self.facts.ranges.here
        with self.facts.scope():
            super().graph(graph)
        self.facts.ranges.here = here

    def visit(self, node: Node) -> list[Node]:
        nodes = self._forwarded(node)
        for made in nodes:
            self.facts.note(made)
            if made.op == "set_index" and self._is_inside(made):
                self.inside.add(made)
            self.facts.note_access(made)
            self.facts.ranges.note_positive(sizes_read(made))
        return nodes

    def _forwarded(self, node: Node) -> list[Node]:
        write = self.producer.get(node.inputs[0]) if node.inputs else None
        if write is None or write not in self.inside or node.attrs.get("axis", 0):
            return [node]
        if self._is_elsewhere(node, write):
            inputs = [write.inputs[0], *node.inputs[1:]]
            return self._forwarded(Node(node.op, inputs, node.outputs, node.attrs, loc=node.loc))
        if node.op == "slice":
            return self._cut(node, write)
        if node.op in READS and not any(index.type.rank for index in node.inputs[1:]):
            return self._read(node, write)
        return self._written(node, write) if node.op == "set_index" else [node]

    # ------------------------------------------------------------ reading

    def _read(self, node: Node, write: Node) -> list[Node]:
        at, (_, value, *written) = node.inputs[1:], write.inputs
        if not self._begins(at, written) or not _is_whole(write):
            return [node]
        rest = at[len(written) :]
        if not rest:
            self.replace(node.outputs[0], value)
            return []
        op = "take" if len(rest) == 1 else "gather_nd"
        return self._forwarded(Node(op, [value, *rest], node.outputs, {"axis": 0}, loc=node.loc))

    def _cut(self, node: Node, write: Node) -> list[Node]:
        """A slice of the one row that has been written."""
        _, value, *written = write.inputs
        is_plain = tuple(node.attrs["axes"]) == (0,) and tuple(node.attrs["steps"]) == (1,)
        if not is_plain or len(written) != 1 or not _is_whole(write) or not self._is_one(node, written[0]):
            return [node]
        row = Value(self.names.fresh("row"), TensorType(value.type.dtype, (dim(1), *value.type.shape)))
        self.replace(node.outputs[0], row)
        return [Node("expand_dims", [value], [row], {"axes": (0,)}, loc=node.loc)]

    def _is_one(self, node: Node, index: Value) -> bool:
        """Whether a slice is of the one row at an index, which is inside."""
        x, start, stop = node.inputs
        first, last, (size, *_) = self.facts.linear(start), self.facts.linear(stop), x.type.shape
        if first != self.facts.linear(index) or not self.facts.is_nonnegative(first):
            return False
        found = self.facts.range(first)
        is_last = found is not None and provably_less_equal(self._known(size), found[0] + 1)
        return last == first + Linear({}, 1) or (is_last and last == Linear({}, END))

    def _is_elsewhere(self, node: Node, write: Node) -> bool:
        """Whether what a node reads certainly does not hold what has been written."""
        facts, written = self.facts, [self.facts.linear(index) for index in write.inputs[2:]]
        if node.op in READS and not any(index.type.rank for index in node.inputs[1:]):
            at = [facts.linear(index) for index in node.inputs[1:]]
            return any(facts.differ(a, b) for a, b in zip(at, written, strict=False))
        if node.op != "slice" or tuple(node.attrs["steps"]) != (1,) or node.attrs["axes"][0] >= len(written):
            return False
        start, stop = map(facts.linear, node.inputs[1:])
        index = written[node.attrs["axes"][0]]
        is_before = facts.is_nonnegative(stop) and facts.is_less(stop, index + Linear({}, 1))
        is_behind = facts.is_nonnegative(start) and facts.is_less(index, start)
        return facts.is_nonnegative(index) and (is_before or is_behind)

    # ------------------------------------------------------------ writing

    def _written(self, node: Node, write: Node) -> list[Node]:
        _, new, *at = node.inputs
        x, value, *written = write.inputs
        if not self._begins(at, written):
            return [node]
        rest = at[len(written) :]
        if not rest:
            return [Node("set_index", [x, new, *at], node.outputs, node.attrs, loc=node.loc)]
        if not _is_whole(write):
            return [node]
        row = Value(self.names.fresh("row"), TensorType(value.type.dtype, value.type.shape))
        inner = Node("set_index", [value, new, *rest], [row], node.attrs, loc=node.loc)
        made = self._forwarded(inner)
        self.producer.update((output, one) for one in made for output in one.outputs)
        return [*made, Node("set_index", [x, row, *written], node.outputs, node.attrs, loc=node.loc)]

    # ------------------------------------------------------------ indices

    def _begins(self, at: Sequence[Value], written: Sequence[Value]) -> bool:
        """Whether indices begin with others."""
        linear = self.facts.linear
        return len(at) >= len(written) and all(
            a is b or linear(a) == linear(b) for a, b in zip(at, written, strict=False)
        )

    def _is_inside(self, write: Node) -> bool:
        pairs = zip(write.inputs[2:], write.inputs[0].type.shape, strict=False)
        return all(not index.type.rank and self._is_at(index, size) for index, size in pairs)

    def _is_at(self, index: Value, size: Dim) -> bool:
        """Whether an index is inside, on either side of 0."""
        form = self.facts.linear(index)
        if self.facts.was_used(form, size):
            return True
        found, known = self.facts.range(form), self._known(size)
        return found is not None and provably_less_equal(-known, found[0]) and provably_less_equal(found[1] + 1, known)

    def _known(self, size: Dim) -> Dim:
        """A size with what is known of sizes that are at least 1 here."""
        return put_in(size, self.facts.ranges.here.positive)


def _is_whole(write: Node) -> bool:
    """Whether what is written has the type of what is there."""
    x, value, *at = write.inputs
    return value.type.dtype == x.type.dtype and value.type.shape == x.type.shape[len(at) :]


__all__ = ["stored"]
