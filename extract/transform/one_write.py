"""What both sides of a branch write into one array is one write behind it.

    y = if c:                                       i, v = if c:
        give set_index(x, add(take(x, a), 1), a)        give a, 1
    else:                                   to      else:
        give set_index(x, add(take(x, b), 2), b)        give b, 2
                                                    y = set_index(x, add(take(x, i), v), i)

The branch is then one of numbers, and what rounds of a loop write is an element like any other, at a place that they
choose: votes for one of two, and what goes to one end or the other.  A side that gives what nobody reads, as behind a
check that has failed, writes where there is an element: nothing is added to it.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.rewrite import Rewriter, defined_in, uses_of
from graph_program.extract.transform.totality import Totality


def one_write(program: GraphProgram) -> None:
    """Write behind branches, in place."""
    if any(node.op == "set_index" for node in program.graph.walk()):
        _OneWrite(program).run()


@dataclass(frozen=True)
class _Write:
    """A number that one side writes into an array from outside, and what it adds to what was there, if it does."""

    array: Value
    value: Value
    indices: tuple[Value, ...]
    added: Value | None = None
    op: str = "add"
    reads: bool = False
    """Whether the side reads the array otherwise."""


class _OneWrite(Rewriter):
    is_in_branch = False
    """Whether what is visited stands in a branch, which may write on its other side; else a check stays as it is."""

    @cached_property
    def totality(self) -> Totality:
        """Asked for where a side writes nothing."""
        return Totality(self.program.graph)

    def region(self, node: Node, number: int) -> None:
        outer, self.is_in_branch = self.is_in_branch, node.op == "if"
        super().region(node, number)
        self.is_in_branch = outer

    def visit(self, node: Node) -> list[Node]:
        if node.op != "if" or ("fails" in node.attrs and not self.is_in_branch):
            return [node]
        behind: list[Node] = []
        for output, *results in list(zip(node.outputs, *(region.outputs for region in node.regions), strict=True)):
            writes = [self._write(region, value) for region, value in zip(node.regions, results, strict=True)]
            first, second = (
                self._nothing(node, other) if write is None and other is not None and self._is_unset(value) else write
                for write, other, value in zip(writes, writes[::-1], results, strict=True)
            )
            if first is not None and second is not None and _are_alike(first, second):
                behind += self._written(node, output, first, second)
        return [*([node] if node.outputs else []), *behind]

    def _write(self, region: Graph, value: Value) -> _Write | None:
        """What a side writes last, and nobody else reads there."""
        node, inside = self.producer.get(value), defined_in([region])
        if node is None or node.op != "set_index" or value not in inside or uses_of(region)[value] > 1:
            return None
        array, written, *indices = node.inputs
        if array in inside or written.type.rank or any(index.type.rank for index in indices):
            return None
        total = self.made_by(written, "add", "subtract")
        orders = [] if total is None else [total.inputs, total.inputs[::-1]][: 1 + (total.op == "add")]
        for one, other in orders:
            read = self.made_by(one, "take", "gather_nd")
            if read is not None and read.inputs == [array, *indices] and not read.attrs["axis"]:
                return _Write(array, written, tuple(indices), other, "add" if total is None else total.op)
        return _Write(array, written, tuple(indices), reads=uses_of(region)[array] > 1)

    def _is_unset(self, value: Value) -> bool:
        return self.made_by(value, "placeholder") is not None

    def _nothing(self, branch: Node, other: _Write) -> _Write | None:
        """What a side that writes nothing may write instead; None if there may be no element."""
        self.totality.look_at(branch)
        if other.reads or not all(map(self.totality.is_positive, other.array.type.shape[: len(other.indices)])):
            return None
        zero = self.constant(np.zeros((), other.value.type.dtype))
        places = tuple(self.constant(np.zeros((), index.type.dtype)) for index in other.indices)
        return _Write(other.array, zero, places, None if other.added is None else zero, other.op)

    def _written(self, node: Node, output: Value, first: _Write, second: _Write) -> list[Node]:
        """The nodes that write; the branch gives what they need instead of the array."""
        place = node.outputs.index(output)
        del node.outputs[place], node.regions[0].outputs[place], node.regions[1].outputs[place]
        pairs = zip(first.indices, second.indices, strict=True)
        indices = [self._given(node, a, b, "index") for a, b in pairs]
        made: list[Node] = []
        if first.added is None or second.added is None:
            value = self._given(node, first.value, second.value, "written")
        else:
            terms, sum_op = [first.added, second.added], first.op
            if first.op != second.op:
                sum_op, subtracted = "add", int(second.op == "subtract")
                nodes, term = node.regions[subtracted].nodes, terms[subtracted]
                terms[subtracted] = self.append(nodes, "negative", [term], term.type, "added")
            added = self._given(node, terms[0], terms[1], "added")
            op = "take" if len(indices) == 1 else "gather_nd"
            old = self.append(made, op, [first.array, *indices], first.value.type, "old", axis=0)
            value = self.append(made, sum_op, [old, added], first.value.type, "total")
        made.append(self.node("set_index", [first.array, value, *indices], output, {}, node.loc))
        for one in made:
            one.loc = node.loc
        return made

    def _given(self, node: Node, first: Value, second: Value, name: str) -> Value:
        """What a branch gives of two values; one that is known outside is not given."""
        if first is second:
            return first
        output = Value(self.names.fresh(name), first.type)
        node.outputs.append(output)
        node.regions[0].outputs.append(first)
        node.regions[1].outputs.append(second)
        return output


def _are_alike(first: _Write, second: _Write) -> bool:
    """Whether two writes are of as many indices into one array, with numbers of the same types."""
    pairs = [(first.value, second.value), *zip(first.indices, second.indices, strict=False)]
    if first.added is not None and second.added is not None:
        pairs.append((first.added, second.added))
    same_kind = all(a.type.dtype == b.type.dtype for a, b in pairs)
    return first.array is second.array and len(first.indices) == len(second.indices) and same_kind


__all__ = ["one_write"]
