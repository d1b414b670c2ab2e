"""What the rounds of a loop never write of an array is cut out of it once, before the loop.

    y = loop(k < n) with x = a:                     first, last = slice(a, 0, 1), slice(a, -1, END)
        v = f(slice(x, 0, -2), k)           to      y = loop(k < n) with x = a:
        give true, set_slice(x, v, 1, -1)               v = f(slice(x, 0, -2), k)
                                                        give true, concatenate(first, v, last)

Requires that all writes of the array in the loop are of the same part, whose bounds are known numbers: around it the
array is in each round what it was before the loop.  Ensures that what is written is put together with what lies around
it, and is not cut out of the array again.  A back end without writes in place would cut out all of that in each round:
stencils, which leave the edges of a grid as they are, have half of their operations from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.types.dims import dim
from graph_program.extract.types.rules.type_rules import anonymous_dim
from graph_program.extract.types.tensors.shape_arithmetic import slice_length
from graph_program.extract.types.tensors.tensor_type import PY_INT, TensorType

END = int(np.iinfo(np.int64).max)
BOUNDS = {"slice": 1, "set_slice": 2}
"""Operations on parts of arrays, with the number of the first bound."""


@dataclass(frozen=True)
class Part:
    """`x[start:stop, ...]` along some axes, by known numbers.

    Attributes
    ----------
    spans : tuple of (int, int, int)
        Axis, start and stop.
    """

    spans: tuple[tuple[int, int, int], ...]

    def around(self) -> Iterator[tuple[int, list[Part], list[Part]]]:
        """From the last axis to the first: what lies before the part and what behind, as slices of slices."""
        for at, (axis, start, stop) in reversed(list(enumerate(self.spans))):
            outer = self.spans[:at]
            before = [Part((*outer, (axis, 0, start)))] if start else []
            yield axis, before, [] if stop == END else self._behind(outer, axis, start, stop)

    def _behind(self, outer: tuple[tuple[int, int, int], ...], axis: int, start: int, stop: int) -> list[Part]:
        """Of `x[2:-1]` it is `x[-3:][2:]`, all of `x` behind its beginning where it has three elements or fewer."""
        if start <= 0 or (start < 0) == (stop < 0):
            return [Part((*outer, (axis, stop, END)))]
        return [Part((*outer, (axis, stop - start, END))), Part(((axis, start, END),))]

    def of(self, type_: TensorType) -> TensorType:
        """The type of this part of an array."""
        shape = list(type_.shape)
        for axis, start, stop in self.spans:
            shape[axis] = slice_length(shape[axis], dim(start), dim(stop), 1, anonymous_dim)
        return TensorType(type_.dtype, tuple(shape))


@dataclass
class Writes:
    """The writes of one part of an array that a loop carries.

    Attributes
    ----------
    part : Part
    states : set of Value
        What is the array at some time in a round; it is what it was before the loop, but for the part.
    nodes : list of Node
        What writes.
    """

    part: Part
    states: set[Value]
    nodes: list[Node]
    unset: set[Value]
    """What is never read."""


def borders(program: GraphProgram) -> None:
    """Cut out what is never written before loops, in place."""
    if any(node.op == "set_slice" for node in program.graph.walk()):
        _Borders(program).run()


class _Borders(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.wholes: dict[Value, Value] = {}
        """What has been written, by the array with it, as large as the part."""

    def graph(self, graph: Graph) -> None:
        for node in graph.nodes:
            self.producer.update(dict.fromkeys(node.outputs, node))
        graph.nodes = [made for node in graph.nodes for made in self._around(node)]
        super().graph(graph)

    def _around(self, node: Node) -> list[Node]:
        """A node, behind what is cut out before it."""
        before: list[Node] = []
        for slot in range(len(node.outputs) if node.op == "loop" else 0):
            writes = self._writes(node.regions[0], slot)
            if writes is not None:
                self._put_together(node.inputs[slot + 2], writes, node.regions[0], before)
        return [*before, node]

    # ------------------------------------------------------------ which

    def _writes(self, body: Graph, slot: int) -> Writes | None:
        """The writes of what a loop carries, if they are all of one part."""
        found = {part for node in body.walk() if (part := self._written(node)) is not None}
        for part in sorted(found, key=lambda part: part.spans):
            writes = Writes(part, {body.inputs[slot + 1]}, [], set())
            if self._follow(body, writes) and writes.nodes and body.outputs[slot + 1] in writes.states:
                return writes
        return None

    def _part(self, node: Node) -> Part | None:
        """The part that is read or written, if something lies around it, and its bounds follow each other."""
        if node.op not in BOUNDS or any(step != 1 for step in node.attrs["steps"]):
            return None
        bounds = [self.integer_of(value) for value in node.inputs[BOUNDS[node.op] :]]
        axes = node.attrs["axes"]
        spans = []
        for axis, start, stop in zip(axes, bounds, bounds[len(axes) :], strict=False):
            if start is None or stop is None or not _is_forward(start, stop):
                return None
            spans += [(axis, start, stop)] if (start, stop) != (0, END) else []
        return Part(tuple(spans)) if spans else None

    def _written(self, node: Node) -> Part | None:
        """The part that is written, if no more axes are than there are."""
        fits = node.op == "set_slice" and node.inputs[1].type.rank <= node.inputs[0].type.rank
        return self._part(node) if fits else None

    def _follow(self, graph: Graph, writes: Writes) -> bool:
        """Note the states and writes in a graph; False if a loop in it makes something else of the array."""
        for node in graph.nodes:
            if node.op == "loop":
                if not self._loop(node, writes):
                    return False
            elif node.op == "if":
                if not all(self._follow(region, writes) for region in node.regions):
                    return False
                self._choose(node, writes)
            elif node.op == "placeholder":
                writes.unset.update(node.outputs)
            elif node.inputs and node.inputs[0] in writes.states and self._written(node) == writes.part:
                writes.nodes.append(node)
                writes.states.update(node.outputs)
        return True

    def _choose(self, node: Node, writes: Writes) -> None:
        """Note what a branch gives that is the array on both sides."""
        for output, *sides in zip(node.outputs, *(region.outputs for region in node.regions), strict=True):
            held = [side in writes.states for side in sides]
            if any(held) and all(h or side in writes.unset for h, side in zip(held, sides, strict=True)):
                writes.states.add(output)

    def _loop(self, node: Node, writes: Writes) -> bool:
        (body,) = node.regions
        carried = [i for i, value in enumerate(node.inputs[2:]) if value in writes.states]
        writes.states.update(body.inputs[i + 1] for i in carried)
        if not self._follow(body, writes) or any(body.outputs[i + 1] not in writes.states for i in carried):
            return False
        writes.states.update(node.outputs[i] for i in carried)
        return True

    # ------------------------------------------------------------ how

    def _put_together(self, array: Value, writes: Writes, body: Graph, before: list[Node]) -> None:
        """Make concatenations of the writes."""
        pieces = [
            (axis, [self._cut(before, array, part) for part in first], self._cut_in_steps(before, array, behind))
            for axis, first, behind in writes.part.around()
        ]
        made = {node: self._concatenated(node, array, writes.part, pieces, before) for node in writes.nodes}
        self._forward(body, writes.part)
        for graph in body.graphs():
            graph.nodes = [new for node in graph.nodes for new in made.get(node, [node])]

    def _forward(self, body: Graph, part: Part) -> None:
        """Read what has been written, where that part of an array is read."""
        for node in body.walk():
            whole = self.wholes.get(node.inputs[0]) if node.op == "slice" and self._part(node) == part else None
            if whole is not None and whole.type == node.outputs[0].type:
                self.replace(node.outputs[0], whole)

    def _concatenated(
        self,
        write: Node,
        array: Value,
        part: Part,
        pieces: Sequence[tuple[int, list[Value], list[Value]]],
        before: list[Node],
    ) -> list[Node]:
        """What stands in the place of a write."""
        nodes: list[Node] = []
        whole = found = self._whole(write.inputs[1], array, part, nodes, before)
        for at, (axis, first, behind) in enumerate(pieces, start=1):
            outer = Part(part.spans[: len(pieces) - at]).of(array.type)
            whole = self.append(nodes, "concatenate", [*first, whole, *behind], outer, write.outputs[0].name, axis=axis)
        nodes[-1].outputs = write.outputs
        self.wholes[write.outputs[0]] = found
        for node in nodes:
            node.loc = write.loc
        return nodes

    def _whole(self, value: Value, array: Value, part: Part, nodes: list[Node], before: list[Node]) -> Value:
        """What is written, as large as the part."""
        type_ = part.of(array.type)
        if value.type == type_:
            return value
        region = self._cut(before, array, part)
        sizes = [self.append(before, "dim", [region], PY_INT, "size", axis=axis) for axis in range(type_.rank)]
        return self.append(nodes, "broadcast_to", [value, *sizes], type_, value.name)

    def _cut_in_steps(self, before: list[Node], array: Value, parts: Iterable[Part]) -> list[Value]:
        """A slice of a slice, or nothing."""
        found = []
        for part in parts:
            array = self._cut(before, array, part)
            found = [array]
        return found

    def _cut(self, before: list[Node], array: Value, part: Part) -> Value:
        axes, starts, stops = zip(*part.spans, strict=True)
        bounds = map(self.integer, (*starts, *stops))
        where = {"axes": axes, "steps": (1,) * len(axes)}
        return self.append(before, "slice", [array, *bounds], part.of(array.type), "border", **where)


def _is_forward(start: int, stop: int) -> bool:
    """Whether the stop does not lie before the start, or counts from the end where that does not."""
    return start <= stop if (start < 0) == (stop < 0) else start >= 0 or stop == END


__all__ = ["borders"]
