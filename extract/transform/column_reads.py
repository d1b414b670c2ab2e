"""Columns that the rounds of a loop read one after the other of an array from outside are rows of it.

    loop(k < n):                                    u = transpose(slice(x, 0, n + 1), (1, 0))
        a = take(x, k, axis=1)              to      loop(k < n):
        b = take(x, k + 1, axis=1)                      a = take(u, k, axis=0)
                                                        b = take(u, k + 1, axis=0)

    t = transpose(y, (1, 0))                to      c = take(y, i, axis=0)
    c = take(t, i, axis=1)

A column's elements are taken one by one from all over the array, which takes twice as long as to transpose what is read
with all others, and a row is taken at once.  Requires that each round reads another column, in its order or backwards,
from a known one that is inside: then no more is transposed than is read, and where an index is outside it stays so.
"""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.linear import Linear, linear
from graph_program.extract.transform.rewrite import Rewriter, defined_in
from graph_program.extract.types.dims import product, symbol
from graph_program.extract.types.tensors.tensor_type import PY_INT, TensorType

FEWEST, MOST = 4, 2**31
"""Loops of fewer rounds read columns as they are; of more there are no columns."""
SMALL = 32
"""Columns of fewer elements, too."""
FURTHEST = 8
"""So many columns before the first one that is read are transposed with it."""


def column_reads(program: GraphProgram) -> None:
    """Read rows instead of columns, in place."""
    if any(node.op == "take" and node.attrs["axis"] for node in program.graph.walk()):
        _ColumnReads(program).run()


class _ColumnReads(Rewriter):
    def visit(self, node: Node) -> list[Node]:
        if node.op == "take" and _is_column(node):
            turned = self.made_by(node.inputs[0], "transpose")
            if turned is not None and tuple(turned.attrs["perm"]) == _last_last(node.inputs[0].type.rank):
                return [_of_rows(node, turned.inputs[0])]
        return [*self._before(node), node] if node.op == "loop" else [node]

    def _before(self, loop: Node) -> list[Node]:
        """What is transposed before a loop, whose reads become those of rows."""
        (body,) = loop.regions
        rounds, inside = self.integer_of(loop.inputs[0]), defined_in([body])
        if body.outputs[0] in inside or (rounds is not None and not FEWEST <= rounds <= MOST):
            return []
        reads: dict[Value, list[Node]] = {}
        for node in body.nodes:
            if node.op == "take" and _is_column(node) and node.inputs[0] not in inside:
                reads.setdefault(node.inputs[0], []).append(node)
        before: list[Node] = []
        for array, nodes in reads.items():
            end = self._end(loop, nodes, before) if _is_large(array) else None
            if end is not None:
                rows = self._rows(array, end, before)
                made = {node: _of_rows(node, rows) for node in nodes}
                body.nodes = [made.get(node, node) for node in body.nodes]
        return before

    # ------------------------------------------------------------ which

    def _end(self, loop: Node, reads: Sequence[Node], before: list[Node]) -> Value | None:
        """The column behind the last one that is read; None if that is not known, or where the first one is."""
        counter, rounds = loop.regions[0].inputs[0], linear(loop.inputs[0], self.producer.get)
        forms = [linear(read.inputs[1], self.producer.get) for read in reads]
        steps = {form.terms.get(counter, 0) for form in forms}
        starts = [form.without(counter) for form in forms]
        if steps == {1}:
            if any(start.terms or not 0 <= start.constant <= FURTHEST for start in starts):
                return None
            last = max(start.constant for start in starts)
            return self._sum(loop.inputs[0], last, before)
        if steps != {-1}:
            return None
        first = [start - rounds + Linear({}, 1) for start in starts]
        if any(form.terms or not 0 <= form.constant <= FURTHEST for form in first):
            return None
        greatest = reads[max(range(len(reads)), key=lambda i: first[i].constant)]
        made = self.made_by(greatest.inputs[1], "subtract")
        inside = defined_in(loop.regions)
        if made is None or made.inputs[1] is not counter or made.inputs[0] in inside:
            return None
        return self._sum(made.inputs[0], 1, before)

    # ------------------------------------------------------------ how

    def _sum(self, number: Value, more: int, before: list[Node]) -> Value:
        return self.append(before, "add", [number, self.integer(more)], PY_INT, "end") if more else number

    def _rows(self, array: Value, end: Value, before: list[Node]) -> Value:
        """The first columns of an array as rows."""
        *shape, _ = array.type.shape
        size, rank, name = symbol("?" + self.names.fresh("columns")), array.type.rank, array.name
        part = TensorType(array.type.dtype, (*shape, size))
        where = {"axes": (rank - 1,), "steps": (1,)}
        cut = self.append(before, "slice", [array, self.integer(0), end], part, name, **where)
        turned = TensorType(array.type.dtype, (size, *shape))
        return self.append(before, "transpose", [cut], turned, name, perm=(rank - 1, *range(rank - 1)))


def _is_column(node: Node) -> bool:
    """Whether a node takes what stands at one place of the last axis."""
    rank = node.inputs[0].type.rank
    return rank > 1 and node.attrs["axis"] == rank - 1 and not node.inputs[1].type.rank


def _is_large(array: Value) -> bool:
    """Whether a column may have elements enough."""
    size = product(array.type.shape[:-1]).constant
    return size is None or size >= SMALL


def _last_last(rank: int) -> tuple[int, ...]:
    """The order of axes that puts the first one last."""
    return (*range(1, rank), 0)


def _of_rows(read: Node, rows: Value) -> Node:
    return Node("take", [rows, read.inputs[1]], read.outputs, {"axis": 0}, loc=read.loc)


__all__ = ["column_reads"]
