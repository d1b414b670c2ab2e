"""The same operations on parts of an array are made on the array at once, which is then cut.

    i = slice(g, 0, 4); o = slice(g, 4, 8)          e = exp(negative(g))
    a = exp(negative(i))                    to      a = slice(e, 0, 4)
    b = exp(negative(o))                            b = slice(e, 4, 8)

That is done for elementwise operations on floats, which give the same for each element whatever stands beside it,
where the parts have at least half of the elements: gates of a recurrent cell are parts of one vector.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from dataclasses import field

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.types.tensors.tensor_type import TensorType
from graph_program.tensor_api.opdef import OPS

ELEMENTWISE = frozenset({"elementwise", "predicate"})


def parts(program: GraphProgram) -> None:
    """Make operations on parts of arrays operations on arrays, in place."""
    _Parts(program).run()


@dataclass(frozen=True)
class _Part:
    """The elements from `start` to `stop` along an axis of what `whole` says how to compute."""

    whole: Hashable
    axis: int
    start: int
    stop: int
    size: int


@dataclass
class _Group:
    """The parts that are computed of one array, and that array once it is."""

    ranges: set[tuple[int, int]] = field(default_factory=set)
    whole: Value | None = None


class _Parts(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.parts: dict[Value, _Part] = {}
        self.groups: dict[Hashable, _Group] = {}
        self.bounds: dict[Value, tuple[Value, Value]] = {}
        """The start and the stop of a part, as numbers."""
        self.numbers: dict[Value, int] = {}

    def graph(self, graph: Graph) -> None:
        for node in graph.nodes:
            self._look_at(node, graph)
        super().graph(graph)

    # ------------------------------------------------------------ which

    def _look_at(self, node: Node, graph: Graph) -> None:
        if node.op == "constant" and node.outputs[0].type.rank == 0 and node.attrs["value"].dtype.kind == "i":
            self.numbers[node.outputs[0]] = int(node.attrs["value"])
        part = self._cut(node, graph) if node.op == "slice" else self._computed(node, graph)
        if part is not None:
            self.parts[node.outputs[0]] = part
            self.groups.setdefault(part.whole, _Group()).ranges.add((part.start, part.stop))

    def _cut(self, node: Node, graph: Graph) -> _Part | None:
        """A slice of known bounds along one axis."""
        x, axes = node.inputs[0], node.attrs["axes"]
        if len(axes) != 1 or node.attrs["steps"] != (1,) or x.type.dtype.kind != "f":
            return None
        start, stop = (self.numbers.get(value) for value in node.inputs[1:])
        size = x.type.shape[axes[0]].constant
        if start is None or stop is None or size is None:
            return None
        start, stop, _ = slice(start, stop).indices(size)
        if start >= stop:
            return None
        self.bounds[node.outputs[0]] = (node.inputs[1], node.inputs[2])
        return _Part((graph, x), axes[0], start, stop, size)

    def _computed(self, node: Node, graph: Graph) -> _Part | None:
        """An elementwise operation on a part, and on numbers."""
        if node.op not in OPS or OPS[node.op].family not in ELEMENTWISE:
            return None
        of = [value for value in node.inputs if value in self.parts]
        if len(of) != 1 or any(value.type.dtype.kind != "f" for value in node.inputs):
            return None
        if any(value.type.rank for value in node.inputs if value is not of[0]):
            return None
        part = self.parts[of[0]]
        operands = tuple(part.whole if value is of[0] else value for value in node.inputs)
        attrs = tuple(sorted((name, repr(value)) for name, value in node.attrs.items()))
        self.bounds[node.outputs[0]] = self.bounds[of[0]]
        return _Part((graph, node.op, operands, attrs), part.axis, part.start, part.stop, part.size)

    # ------------------------------------------------------------ how

    def visit(self, node: Node) -> list[Node]:
        part = self.parts.get(node.outputs[0]) if node.op != "slice" and node.outputs else None
        if part is None or not self._worth(part) or not all(map(self._is_cut, node.inputs)):
            return [node]
        made: list[Node] = []
        whole = self._whole(node, made)
        attrs = {"axes": (part.axis,), "steps": (1,)}
        made.append(self.node("slice", [whole, *self.bounds[node.outputs[0]]], node.outputs[0], attrs, node.loc))
        return made

    def _worth(self, part: _Part) -> bool:
        """Whether there are several parts, one after the other, that have half of the elements."""
        ranges = sorted(self.groups[part.whole].ranges)
        apart = all(a[1] <= b[0] for a, b in itertools.pairwise(ranges))
        return len(ranges) > 1 and apart and 2 * sum(stop - start for start, stop in ranges) >= part.size

    def _whole(self, node: Node, made: list[Node]) -> Value:
        """The array that a node computes a part of."""
        part = self.parts[node.outputs[0]]
        group = self.groups[part.whole]
        if group.whole is None:
            cut = next(value for value in node.inputs if value in self.parts)
            array = self.producer[cut].inputs[0]
            inputs = [array if value is cut else value for value in node.inputs]
            type_ = TensorType(node.outputs[0].type.dtype, array.type.shape)
            group.whole = Value(self.names.fresh(f"{node.outputs[0].name}.all"), type_)
            made.append(self.node(node.op, inputs, group.whole, node.attrs, node.loc))
        return group.whole

    def _is_cut(self, value: Value) -> bool:
        """Whether an operand that is a part is a slice, as those become that are worth it."""
        return value not in self.parts or self.producer[value].op == "slice"


__all__ = ["parts"]
