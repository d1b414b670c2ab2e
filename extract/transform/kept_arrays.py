"""Arrays that nobody reads are those that were there before, so that what is written is written in place.

    y = loop(true) with x = a, y = placeholder:         x = loop(true) with x = a:
        t, on = if x[i] > 0:                                t, on = if x[i] > 0:
            give set_index(x, 0, i), true                       give set_index(x, 0, i), true
        else:                                     to        else:
            give placeholder, false                             give x, false
        give on, t, x                                       give on, t
    r is y                                              r is x

Where a round leaves its loop, or a check fails, an array that is not read there is unset.  For a compiler, memory is
what an array is in: the unset array is what the other side has written over, and what a loop gives where it is left
is what it carries.
"""

from __future__ import annotations

from collections.abc import Iterator

from graph_program.extract.control.regions_to_graph import UNLIMITED
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.rewrite import defined_in, replace_values
from graph_program.extract.transform.ways import Readers, TooManyWays, Way

WRITES = ("set_index", "set_slice", "scatter_nd", "scatter_add")
"""Operations that give their first operand with some elements changed."""


def kept_arrays(program: GraphProgram) -> None:
    """Have what is unset be what was there, in place."""
    _KeptArrays(program).graph(program.graph, set())


@dataclass(frozen=True)
class _Given:
    """A value, the graph that gives it, as which output, and what else is known there of a loop's body."""

    value: Value
    region: Graph
    place: int
    known: set[Value]


class _KeptArrays:
    def __init__(self, program: GraphProgram):
        self.program = program
        self.readers = Readers(program)
        self.producer = self.readers.producer
        self.is_changed = False
        """Whether the program is another one since `readers` has read it."""

    def graph(self, graph: Graph, outside: set[Value]) -> None:
        """Go through a graph and its inner ones."""
        known = outside | set(graph.inputs)
        for node in graph.nodes:
            if node.op == "loop":  # before its branches are changed
                self._replace(graph, self._loop(node))
            for region in node.regions:
                self.graph(region, known)
            if node.op == "if":
                self._branch(node, known)
            known.update(node.outputs)

    def _replace(self, graph: Graph, replaced: dict[Value, Value]) -> None:
        if replaced:
            replace_values(graph, replaced)
            self.is_changed = True

    def _give(self, region: Graph, place: int, value: Value) -> None:
        """Have a graph give another value."""
        region.outputs[place] = value
        self.is_changed = True

    def _is_unset(self, value: Value) -> bool:
        node = self.producer.get(value)
        return node is not None and node.op == "placeholder" and value.type.rank > 0

    # ------------------------------------------------------------ branches

    def _branch(self, node: Node, known: set[Value]) -> None:
        """What one side leaves unset is what the other side has written over."""
        for place in range(len(node.outputs)):
            for region, other in (node.regions, node.regions[::-1]):
                if self._is_unset(region.outputs[place]) and not self._is_unset(other.outputs[place]):
                    wanted = region.outputs[place].type
                    found = (v for v in self._origins(other.outputs[place]) if v in known and v.type == wanted)
                    if (kept := next(found, None)) is not None:
                        self._give(region, place, kept)

    def _origins(self, value: Value) -> Iterator[Value]:
        """A value, and what it is a changed copy of."""
        yield value
        node = self.producer.get(value)
        if node is None:
            return
        if node.op in WRITES:
            yield from self._origins(node.inputs[0])
        elif node.op in ("if", "loop"):
            place = node.outputs.index(value)
            sides = [region.outputs[place] for region in node.regions]
            for inner in [node.inputs[place + 2]] if node.op == "loop" else sides:
                yield from self._origins(inner)

    # ------------------------------------------------------------ loops

    def _loop(self, node: Node) -> dict[Value, Value]:
        """Read what a loop carries instead of what it gives where it is left."""
        body = node.regions[0]
        found: dict[Value, Value] = {}
        if self.is_changed:
            self.readers, self.is_changed = Readers(self.program), False
        for exit_, output in enumerate(node.outputs):
            if self._is_unset(node.inputs[exit_ + 2]) and not _is_read(body, body.inputs[exit_ + 1]):
                carried = next(self._carried(node, exit_), None)
                if carried is not None and node.outputs[carried] not in found.values():
                    found[output] = node.outputs[carried]
        return found

    def _carried(self, node: Node, exit_: int) -> Iterator[int]:
        """The carried arrays that are the given one in each round that leaves."""
        body, wanted = node.regions[0], node.outputs[exit_].type
        for carried, output in enumerate(node.outputs):
            if carried == exit_ or output.type != wanted or body.inputs[carried + 1].type != wanted:
                continue
            try:
                places = self._places(node, carried, exit_)
            except TooManyWays:
                places = None
            if places is not None:
                for (region, place), value in places.items():
                    self._give(region, place, value)
                yield carried

    def _places(self, node: Node, carried: int, exit_: int) -> dict[tuple[Graph, int], Value] | None:
        """What has to become another value so that two are the same where a loop is left; None if they are not."""
        body = node.regions[0]
        is_endless = self._is_endless(node)
        places: dict[tuple[Graph, int], Value] = {}
        outputs = [body.outputs[carried + 1], body.outputs[exit_ + 1]]
        for way, again in self.readers.through(body.outputs[0], outputs):
            given = self._followed(body, exit_ + 1, way)
            kept = self._followed(body, carried + 1, way)
            if self._is_unset(given.value) or (again and is_endless) or kept.value is given.value:
                continue
            if not self._is_unset(kept.value):
                if self._is_unread(node, exit_, way):
                    continue
                return None
            at = kept.region, kept.place
            if places.get(at, given.value) is not given.value:
                return None
            if given.value not in kept.known and given.value in defined_in([body]):
                return None
            places[at] = given.value
        return places

    def _is_endless(self, loop: Node) -> bool:
        """Whether a loop is left by its condition alone."""
        limit = self.producer.get(loop.inputs[0])
        return limit is not None and limit.op == "constant" and bool(limit.attrs["value"] == UNLIMITED)

    def _is_unread(self, node: Node, exit_: int, way: Way) -> bool:
        """Whether nobody reads what a loop gives that is left on a way."""
        again, *given = node.regions[0].outputs
        if self.readers.number(again, way) is None:
            if not self._is_endless(node):
                return False  # it may as well have done all of its rounds
            way = way.knowing({again: 0})
        if self.readers.number(again, way) != 0:
            return False
        known = {output: self.readers.number(value, way) for output, value in zip(node.outputs, given, strict=True)}
        numbers = {output: number for output, number in known.items() if number is not None}
        return self.readers.is_unread(node.outputs[exit_], way.knowing(numbers))

    def _followed(self, body: Graph, place: int, way: Way) -> _Given:
        """What an output of a graph is on a way."""
        value, region, known = body.outputs[place], body, set(body.inputs)
        while (node := self.producer.get(value)) is not None and id(node) in way.sides:
            known.update(_before(region, node))
            place = node.outputs.index(value)
            region = node.regions[way.sides[id(node)]]
            value = region.outputs[place]
        known.update(output for inner in region.nodes for output in inner.outputs)
        return _Given(value, region, place, known)


def _before(graph: Graph, node: Node) -> Iterator[Value]:
    """What a graph defines before a node."""
    for other in graph.nodes:
        if other is node:
            return
        yield from other.outputs


def _is_read(body: Graph, value: Value) -> bool:
    """Whether anything in a round reads a value."""
    read = [*body.outputs, *(v for node in body.walk() for v in node.inputs)]
    read += [v for node in body.walk() for region in node.regions for v in region.outputs]
    return value in read


__all__ = ["kept_arrays"]
