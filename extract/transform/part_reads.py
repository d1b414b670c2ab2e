"""What is read of parts that have been put behind each other is read of the part that it is in.

    a = concatenate(b, c, axis=0)           # b has one row
    loop(k < n):                            to      loop(k < n):
        x = take(a, n - k)                              x = take(c, -1 - k)         # c has n rows

An index says which part it is in by its range.  Where nobody asks for all parts, they are not put together.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.integer_ranges import DEEPEST
from graph_program.extract.transform.linear import Linear, linear
from graph_program.extract.transform.range_rules import RULES
from graph_program.extract.transform.ranged import RangedRewriter
from graph_program.extract.transform.rewrite import uses_of
from graph_program.extract.types.dims import Dim, dim, provably_less_equal, put_in
from graph_program.extract.types.tensors.tensor_type import INT64, PY_INT, TensorType

READS = frozenset(["take", "gather_nd"])


def part_reads(program: GraphProgram) -> None:
    """Read parts instead of what is put together of them, in place."""
    reads = _PartReads(program)
    if reads.only_read:
        reads.run()


class _PartReads(RangedRewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        uses = uses_of(program.graph)
        makers = program.graph.makers()
        reads: dict[Value, int] = {}
        for node in program.graph.walk():
            made = makers.get(node.inputs[0]) if node.op in READS else None
            if made is not None and made.op == "concatenate" and not made.attrs["axis"]:
                reads[node.inputs[0]] = reads.get(node.inputs[0], 0) + 1
        self.only_read = {value for value, count in reads.items() if uses[value] == count}
        """What is put together, and only read by indices."""

    def visit(self, node: Node) -> list[Node]:
        if node.op not in READS or node.inputs[0] not in self.only_read or node.attrs["axis"]:
            return [node]
        here = self.ranges.here
        self.ranges.note_positive(node.inputs[0].type.shape[:1])  # as an element is read
        found = self._part(node)
        self.ranges.here = here
        return [node] if found is None else self._of_part(node, *found)

    def _part(self, node: Node) -> tuple[Value, int] | None:
        """The part that an access reads, and the row where it begins; None if that is not known."""
        whole, index, *_ = node.inputs
        found = self.ranges.of(index)
        if index.type.rank or index.type.dtype != np.int64 or found is None or self.constant_of(index) is not None:
            return None  # of vectors that are taken apart, `vectors` makes something
        for part, start, end in self._places(whole, self.producer[whole].inputs):
            is_inside = provably_less_equal(start, found[0]) and provably_less_equal(found[1] + 1, end)
            if is_inside and start.constant is not None:
                return part, int(start.constant)
        return None

    def _places(self, whole: Value, parts: list[Value]) -> Iterator[tuple[Value, Dim, Dim]]:
        """Where each part begins and ends; the last one ends where all do."""
        start = dim(0)
        for part in parts[:-1]:
            end = start + self._rows(part)
            yield part, start, end
            start = end
        end = self._known(whole.type.shape[0])
        yield parts[-1], end - self._rows(parts[-1]), end

    def _rows(self, part: Value) -> Dim:
        """How many rows a part has; as many as a loop has rounds, if that has collected them."""
        asked = Node("dim", [part], [Value("rows", PY_INT)], {"axis": 0})
        found = RULES["dim"](self.ranges, asked, DEEPEST)
        return self._known(part.type.shape[0] if found is None else found[0])

    def _known(self, size: Dim) -> Dim:
        """A size with what is known of those in it that are at least 1."""
        return put_in(size, self.ranges.here.positive)

    def _of_part(self, node: Node, part: Value, start: int) -> list[Node]:
        """An access to a part that begins at a row of what is put together."""
        node.inputs[0] = part
        made = self._from_the_end(node.inputs[1], part, start)
        if made is None and not start:
            return [node]
        op, operands = made or ("subtract", [node.inputs[1], self.integer(start)])
        place = Value(self.names.fresh(node.inputs[1].name), TensorType(INT64))
        found = self.node(op, operands, place, {}, node.loc)
        self.ranges.note(found)
        node.inputs[1] = place
        return [found, node]

    def _from_the_end(self, index: Value, part: Value, start: int) -> tuple[str, list[Value]] | None:
        """What counts from the end of the rows of a loop, for an index that counts down from their number."""
        loop = self.ranges.maker(part)
        if loop is None or loop.op != "loop":
            return None
        count = linear(loop.inputs[0], self.ranges.maker) + Linear({}, start)
        left = linear(index, self.ranges.maker) - count
        ((value, factor), *others) = left.terms.items() or [(index, 0)]
        if others or factor != -1 or left.constant >= 0:
            return None
        return "subtract", [self.integer(left.constant), value]


__all__ = ["part_reads"]
