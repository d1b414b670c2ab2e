"""Where the branches, flags and choices of a graph fail: what the program's error is on the way behind them.

Nothing is proven by where an error comes from.  A side of a branch is supposed to be gone through, and what follows is
computed as far as it is then known: tests of flags, the ends of loops around it, and at last the number of the error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import numpy as np

from graph_program.extract.control.regions_to_graph import UNLIMITED
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.tensor_api.opdef import OPS

FAIL = "fail"
"""The operation that ends the function."""
FOLDED = ("equal", "not_equal", "invert", "bitwise_and", "bitwise_or", "less", "greater", "less_equal", "greater_equal")
"""Operations on numbers that tests of how a loop was left consist of."""

Known = Value | np.ndarray
"""A value that can be read where a branch ends, or a number."""


@dataclass(frozen=True)
class End:
    """A side of a branch behind which the program fails: the error's number, and what its message has in it."""

    side: int
    number: Known
    places: tuple[int, ...]
    arguments: tuple[Known, ...]


@dataclass
class Way:
    """The branches and loops around a side of a branch, and the side itself."""

    sides: dict[int, int] = field(default_factory=dict)
    """By the branch's node, which side is gone through; of loops, 0."""
    tests: dict[Value, Known] = field(default_factory=dict)
    """What the tests of these branches are."""
    until: dict[Graph, int] = field(default_factory=dict)
    """By the graph, in front of which of its nodes values are there."""


class Failing:
    """The branches of a program that fail on one side."""

    def __init__(self, program: GraphProgram):
        self.program = program
        self.made: dict[Value, tuple[Graph, int, int]] = {}
        """Where a value is made: graph, number of the node, and which output it is; -1 for what a graph is given."""
        self.around: dict[Graph, tuple[Graph, int, int]] = {}
        """Of an inner graph, where it is: graph, number of the node, and which of its graphs."""
        self.ending: set[Graph] = set()
        """The graphs with an end of the function that is written already, at any depth."""
        self._note(program.graph)

    def _note(self, graph: Graph) -> None:
        self.made.update(dict.fromkeys(graph.inputs, (graph, -1, -1)))
        for number, node in enumerate(graph.nodes):
            for place, value in enumerate(node.outputs):
                self.made[value] = graph, number, place
            for side, region in enumerate(node.regions):
                self.around[region] = graph, number, side
                self._note(region)
        if any(node.op == FAIL or not self.ending.isdisjoint(node.regions) for node in graph.nodes):
            self.ending.add(graph)

    def branches(self) -> dict[int, End]:
        """By the branch's node, how it fails."""
        ends: dict[int, End] = {}
        for node in self.program.graph.walk():
            if node.op == "if" and node.outputs and not self._is_both(node):
                sides = (self._end(side, Knowledge(self, self._way(node.regions[side]))) for side in range(2))
                end = next((end for end in sides if end is not None), None)
                if end is not None:
                    ends[id(node)] = end
        return ends

    def flags(self) -> dict[Value, End]:
        """The flags that inner graphs give and that say that there is an error, with what they are then."""
        ends: dict[Value, End] = {}
        for region in self.around:
            for output, value in enumerate(region.outputs):
                graph, number, _ = self.made[value]
                if graph is not region or number < 0 or value.type.rank or value.type.dtype != np.bool_:
                    continue
                if graph.nodes[number].op in ("if", "loop", "constant", "placeholder"):
                    continue
                for side in range(2):
                    if self._is_other(region, output, bool(side)):
                        continue
                    end = self._end(
                        side, Knowledge(self, self._way(region, number + 1), {value: np.asarray(bool(side))})
                    )
                    if end is not None:
                        ends[value] = end
        return ends

    def _is_both(self, node: Node) -> bool:
        """Whether a branch is an `and` or an `or` of two tests, which fail together where they are read."""
        if len(node.outputs) != 1 or node.outputs[0].type.rank or node.outputs[0].type.dtype != np.bool_:
            return False
        plain = [
            not region.nodes and (region.outputs[0] is node.inputs[0] or self._constant(region.outputs[0]) is not None)
            for region in node.regions
        ]
        return plain.count(True) == 1

    def _is_other(self, region: Graph, output: int, wanted: bool) -> bool:
        """Whether the other side of a branch gives the same flag and fails, too: both together are a test then."""
        graph, number, side = self.around[region]
        node = graph.nodes[number]
        if node.op != "if":
            return False
        other = node.regions[1 - side].outputs[output]
        same = bool(side) is wanted if other is node.inputs[0] else self._is(other, wanted)
        return same and self._end(side, Knowledge(self, self._way(node.regions[1 - side]))) is not None

    def choices(self) -> dict[Value, End]:
        """The numbers of ways out that are chosen without a branch, of which one side fails."""
        ends: dict[Value, End] = {}
        for region in self.around:
            for number, node in enumerate(region.nodes):
                if node.op != "where" or node.outputs[0].type.rank or node.outputs[0].type.dtype != np.int64:
                    continue
                for side in range(2):
                    constant = self._constant(node.inputs[1 + side])
                    if constant is None:
                        continue
                    found: dict[Value, Known] = {node.outputs[0]: constant, node.inputs[0]: np.asarray(side == 0)}
                    end = self._end(side, Knowledge(self, self._way(region, number + 1), found))
                    if end is not None:
                        ends[node.outputs[0]] = end
        return ends

    def _constant(self, value: Value) -> np.ndarray | None:
        graph, place, _ = self.made[value]
        node = graph.nodes[place] if place >= 0 else None
        return np.asarray(node.attrs["value"]) if node is not None and node.op == "constant" else None

    def left(self) -> dict[Value, np.ndarray]:
        """What loops give that only end by their condition, where that is one number."""
        found: dict[Value, np.ndarray] = {}
        for node in self.program.graph.walk():
            if node.op != "loop" or not self._is(node.inputs[0], UNLIMITED) or not self._is(node.inputs[1], True):
                continue
            again, *given = node.regions[0].outputs
            for output, value in zip(node.outputs, given, strict=True):
                numbers = None if output.type.rank else self._given(value, again)
                if numbers is not None and len(numbers) == 1:
                    found[output] = numbers[0]
        return found

    def _is(self, value: Value, number: int) -> bool:
        constant = self._constant(value)
        return constant is not None and bool(constant == number)

    def _given(self, value: Value, again: Value) -> list[np.ndarray] | None:
        """The numbers that a value may be in a round that is the last one."""
        graph, place, output = self.made[value]
        node = graph.nodes[place] if place >= 0 else None
        if node is not None and node.op == "where":
            number = Knowledge(self, self._way(graph), {again: np.asarray(False)}).computed(node, output)
            return [number] if isinstance(number, np.ndarray) else None
        if node is None or node.op != "if":
            return None
        found: list[np.ndarray] = []
        for region in node.regions:
            on = Knowledge(self, self._way(region))
            if on.truth(again) is True:
                continue
            number = on.value(region.outputs[output])
            numbers = [number] if isinstance(number, np.ndarray) else self._given(region.outputs[output], again)
            if numbers is None:
                return None
            found += [number for number in numbers if number not in found]
        return found

    def _end(self, side: int, on: Knowledge) -> End | None:
        if not self.program.errors or self.program.keeps_writes:
            return None
        if self._ends_before(on):
            return None
        outputs, count = self.program.graph.outputs, len(self.program.output_names)
        number = on.value(outputs[count])
        numbers = None if number is None else self._numbers(number)
        if number is None or numbers is None or not all(0 < n <= len(self.program.errors) for n in numbers):
            return None
        wanted = sorted({place for n in numbers for place in self.program.error_args[n - 1]})
        places = tuple(place for place in wanted if not outputs[place].type.rank)
        arguments = [on.value(outputs[place]) for place in places]
        known = tuple(argument for argument in arguments if argument is not None)
        return End(side, number, places, known) if len(known) == len(places) else None

    def _ends_before(self, on: Knowledge) -> bool:
        """Whether what is written already may end the function on the way, before the program's own end."""
        for place, (graph, until) in enumerate(on.way.until.items()):
            behind = until + (place > 0)  # the side's own nodes are in front; of those around it, the one that has it
            if any(self._may_end(node, on) for node in graph.nodes[behind:]):
                return True
            if place and self._goes_on(graph.nodes[until], on):
                return True
        return False

    def _goes_on(self, node: Node, on: Knowledge) -> bool:
        """Whether a loop on the way may have another round, which may end the function."""
        if node.op != "loop" or on.truth(node.regions[0].outputs[0]) is False:
            return False
        return node.regions[0] in self.ending

    def _may_end(self, node: Node, on: Knowledge) -> bool:
        if node.op == FAIL:
            return True
        ending = [region for region in node.regions if region in self.ending]
        if node.op == "if" and ending:
            test = on.truth(node.inputs[0])
            taken = ending if test is None else [region for region in ending if region is node.regions[not test]]
            return any(self._may_end(inner, on) for region in taken for inner in region.nodes)
        return bool(ending) and not (node.op == "loop" and on.truth(node.inputs[1]) is False)

    def _way(self, region: Graph, until: int | None = None) -> Way:
        way = Way()
        way.until[region] = len(region.nodes) if until is None else until
        while region in self.around:
            region, number, side = self.around[region]
            node = region.nodes[number]
            way.sides[id(node)] = side
            if node.op == "if":
                way.tests[node.inputs[0]] = np.asarray(side == 0)
            way.until[region] = number
        return way

    def _numbers(self, value: Known, depth: int = 8) -> set[int] | None:
        """The numbers that one may be; None if that is not known."""
        if isinstance(value, np.ndarray):
            return {int(value)}
        graph, place, output = self.made[value]
        node = graph.nodes[place] if place >= 0 else None
        if node is None or not depth:
            return None
        match node.op:
            case "constant":
                return {int(node.attrs["value"])}
            case "where":
                sides = node.inputs[1:]
            case "if":
                sides = [region.outputs[output] for region in node.regions]
            case _:
                return None
        found = [self._numbers(side, depth - 1) for side in sides]
        return None if None in found else set[int]().union(*(numbers for numbers in found if numbers is not None))


class Knowledge:
    """What values are where a way has been gone."""

    def __init__(self, failing: Failing, way: Way, found: Mapping[Value, Known] | None = None):
        self.failing, self.way = failing, way
        self._found: dict[Value, Known | None] = {**way.tests, **(found or {})}

    def value(self, value: Value) -> Known | None:
        """A value that is there at the end of the side, or a number; None if it is neither."""
        if value not in self._found:
            self._found[value] = None  # of itself, in a loop
            self._found[value] = self._value(value)
        return self._found[value]

    def _value(self, value: Value) -> Known | None:
        graph, number, place = self.failing.made[value]
        if number < 0:
            return value if graph in self.way.until else None
        node = graph.nodes[number]
        if node.op == "constant" and not value.type.rank:
            return np.asarray(node.attrs["value"])
        if id(node) in self.way.sides:
            return self._left(node, place)
        if number < self.way.until.get(graph, -1):
            return value
        return self.computed(node, place)

    def _left(self, node: Node, place: int) -> Known | None:
        """What a branch gives on the way, or a loop if the round is its last one."""
        if node.op == "if":
            return self.value(node.regions[self.way.sides[id(node)]].outputs[place])
        again, *given = node.regions[0].outputs
        return self.value(given[place]) if self.truth(again) is False else None

    def computed(self, node: Node, place: int) -> Known | None:
        """What is computed behind the way, as far as it is known."""
        if node.op == "if":
            sides = [region.outputs[place] for region in node.regions]
            test = self.truth(node.inputs[0])
            if test is not None:
                return self.value(sides[0 if test else 1])
            return self._same(self.value(sides[0]), self.value(sides[1]))
        if node.op == "loop":
            return self.value(node.inputs[2 + place]) if self.truth(node.inputs[1]) is False else None
        if node.op == "where" and not node.outputs[0].type.rank:
            test = self.truth(node.inputs[0])
            if test is not None:
                return self.value(node.inputs[1 if test else 2])
            return self._same(self.value(node.inputs[1]), self.value(node.inputs[2]))
        return self._folded(node) if node.op in FOLDED and not node.outputs[0].type.rank else None

    def _folded(self, node: Node) -> Known | None:
        numbers = [self.value(value) for value in node.inputs]
        decides = {"bitwise_and": False, "bitwise_or": True}.get(node.op)
        is_flag = node.outputs[0].type.dtype == np.bool_
        if is_flag and decides is not None and any(_is(number, decides) for number in numbers):
            return np.asarray(decides)
        arrays = [number for number in numbers if isinstance(number, np.ndarray)]
        return np.asarray(OPS[node.op].reference(*arrays, **node.attrs)) if len(arrays) == len(numbers) else None

    def _same(self, a: Known | None, b: Known | None) -> Known | None:
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
            return a if a.dtype == b.dtype and a == b else None
        return a if a is b else None

    def truth(self, value: Value) -> bool | None:
        """What a flag is; None if that is not known."""
        found = self.value(value)
        return bool(found) if isinstance(found, np.ndarray) else None


def _is(number: Known | None, wanted: bool) -> bool:
    return isinstance(number, np.ndarray) and bool(number) is wanted


def ending_side(node: Node) -> int | None:
    """The side of a branch behind which the function has ended."""
    side: int | None = node.attrs.get("ends") if node.op == "if" else None
    return side


__all__ = ["FAIL", "End", "Failing", "Known", "ending_side"]
