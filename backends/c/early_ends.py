"""Where a check fails, the function ends at once.

    y, error = if bad:                          if bad:
        give placeholder, 3                         fail 3
    else:                               to      y = f(x)
        give f(x), 0                            ... without a test of `error`

In the graph an error is a number that branches and loops hand on to the end of the program, and flags that leave the
loops in between.  Nothing that is computed behind such a branch means anything, so the function may end there: what is
left has no flags, and the compiler sees that an index that was checked is inside.

A node `fail` has the error's number and what its message has in it as inputs; `attrs["places"]` are the numbers of
these among the graph's outputs.  An `if` that one side of ends so has no outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from graph_program.backends.c.while_loops import while_loops
from graph_program.extract.control.regions_to_graph import UNLIMITED
from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.residual import Const
from graph_program.extract.transform.dce import dce
from graph_program.extract.transform.fold import fold
from graph_program.extract.transform.loop_values import loop_values
from graph_program.extract.transform.rewrite import Rewriter, copy_program
from graph_program.extract.transform.simplify import simplify
from graph_program.tensor_api.opdef import OPS

FAIL = "fail"
ROUNDS = 12
"""So often is looked for branches that fail, as those inside show more of those around them."""
FOLDED = ("equal", "not_equal", "invert", "bitwise_and", "bitwise_or", "less", "greater", "less_equal", "greater_equal")
"""Operations on numbers that tests of how a loop was left consist of."""

Known = Value | np.ndarray
"""A value that can be read where a branch ends, or a number."""


def with_early_ends(program: GraphProgram) -> GraphProgram:
    """A program whose branches end it where they fail; where results mean something then, they do not."""
    result = copy_program(program)
    before = None
    for _ in range(ROUNDS if program.errors and not program.keeps_writes else 0):
        failing = _Failing(result)
        _EarlyEnds(result, failing).run()
        _drop_arguments(result)
        for step in (fold, simplify, loop_values, dce):
            step(result)
        size = sum(1 + len(node.inputs) + len(node.outputs) for node in result.graph.walk())
        if size == before:
            break
        before = size
    while_loops(result)
    return result


@dataclass(frozen=True)
class _End:
    """A side of a branch behind which the program fails: the error's number, and what its message has in it."""

    side: int
    number: Known
    places: tuple[int, ...]
    arguments: tuple[Known, ...]


@dataclass
class _Way:
    """The branches and loops around a side of a branch, and the side itself."""

    sides: dict[int, int] = field(default_factory=dict)
    """By the branch's node, which side is gone through; of loops, 0."""
    until: dict[Graph, int] = field(default_factory=dict)
    """By the graph, in front of which of its nodes values are there."""


class _Failing:
    """The branches of a program that fail on one side."""

    def __init__(self, program: GraphProgram):
        self.program = program
        self.made: dict[Value, tuple[Graph, int, int]] = {}
        """Where a value is made: graph, number of the node, and which output it is; -1 for what a graph is given."""
        self.around: dict[Graph, tuple[Graph, int, int]] = {}
        """Of an inner graph, where it is: graph, number of the node, and which of its graphs."""
        self._note(program.graph)

    def _note(self, graph: Graph) -> None:
        self.made.update(dict.fromkeys(graph.inputs, (graph, -1, -1)))
        for number, node in enumerate(graph.nodes):
            for place, value in enumerate(node.outputs):
                self.made[value] = graph, number, place
            for side, region in enumerate(node.regions):
                self.around[region] = graph, number, side
                self._note(region)

    def branches(self) -> dict[int, _End]:
        """By the branch's node, how it fails."""
        ends: dict[int, _End] = {}
        for node in self.program.graph.walk():
            if node.op == "if" and node.outputs:
                sides = (self._end(side, _Known(self, self._way(node.regions[side]))) for side in range(2))
                end = next((end for end in sides if end is not None), None)
                if end is not None:
                    ends[id(node)] = end
        return ends

    def flags(self) -> dict[Value, _End]:
        """The flags that inner graphs give and that say that there is an error, with what they are then."""
        ends: dict[Value, _End] = {}
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
                    end = self._end(side, _Known(self, self._way(region, number + 1), {value: np.asarray(bool(side))}))
                    if end is not None:
                        ends[value] = end
        return ends

    def _is_other(self, region: Graph, output: int, wanted: bool) -> bool:
        """Whether the other side of a branch gives the same flag: both together are a test then."""
        graph, number, side = self.around[region]
        node = graph.nodes[number]
        if node.op != "if":
            return False
        other = node.regions[1 - side].outputs[output]
        return bool(side) is wanted if other is node.inputs[0] else self._is(other, wanted)

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
        graph, place, _ = self.made[value]
        node = graph.nodes[place] if place >= 0 else None
        return node is not None and node.op == "constant" and bool(node.attrs["value"] == number)

    def _given(self, value: Value, again: Value) -> list[np.ndarray] | None:
        """The numbers that a value may be in a round that is the last one."""
        graph, place, output = self.made[value]
        node = graph.nodes[place] if place >= 0 else None
        if node is None or node.op != "if":
            return None
        found: list[np.ndarray] = []
        for region in node.regions:
            on = _Known(self, self._way(region))
            if on.truth(again) is True:
                continue
            number = on.value(region.outputs[output])
            numbers = [number] if isinstance(number, np.ndarray) else self._given(region.outputs[output], again)
            if numbers is None:
                return None
            found += [number for number in numbers if number not in found]
        return found

    def _end(self, side: int, on: _Known) -> _End | None:
        outputs, count = self.program.graph.outputs, len(self.program.output_names)
        number = on.value(outputs[count])
        numbers = None if number is None else self._numbers(number)
        if number is None or numbers is None or not all(0 < n <= len(self.program.errors) for n in numbers):
            return None
        wanted = sorted({place for n in numbers for place in self.program.error_args[n - 1]})
        places = tuple(place for place in wanted if not outputs[place].type.rank)
        arguments = [on.value(outputs[place]) for place in places]
        known = tuple(argument for argument in arguments if argument is not None)
        return _End(side, number, places, known) if len(known) == len(places) else None

    def _way(self, region: Graph, until: int | None = None) -> _Way:
        way = _Way()
        way.until[region] = len(region.nodes) if until is None else until
        while region in self.around:
            region, number, side = self.around[region]
            way.sides[id(region.nodes[number])] = side
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


class _Known:
    """What values are where a way has been gone."""

    def __init__(self, failing: _Failing, way: _Way, found: Mapping[Value, Known] | None = None):
        self.failing, self.way = failing, way
        self._found: dict[Value, Known | None] = {**(found or {})}

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
        return self._computed(node, place)

    def _left(self, node: Node, place: int) -> Known | None:
        """What a branch gives on the way, or a loop if the round is its last one."""
        if node.op == "if":
            return self.value(node.regions[self.way.sides[id(node)]].outputs[place])
        again, *given = node.regions[0].outputs
        return self.value(given[place]) if self.truth(again) is False else None

    def _computed(self, node: Node, place: int) -> Known | None:
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


def _drop_arguments(program: GraphProgram) -> None:
    """Nobody reads what messages have in them at the end of a program that does not fail there."""
    graph, count = program.graph, len(program.output_names)
    made = {value: node for node in graph.nodes for value in node.outputs}
    node = made.get(graph.outputs[count])
    if node is None or node.op != "constant" or node.attrs["value"] != 0:
        return
    for place in sorted({place for places in program.error_args for place in places}):
        value = graph.outputs[place]
        if value in made and made[value].op != "placeholder":
            unread = Value(f"{value.name}.unread", value.type)
            graph.nodes.append(Node("placeholder", [], [unread]))
            graph.outputs[place] = unread


class _EarlyEnds(Rewriter):
    """Writes the ends into the branches, and what the other sides compute behind them."""

    def __init__(self, program: GraphProgram, failing: _Failing):
        super().__init__(program)
        self.home = {value: graph for value, (graph, _, _) in failing.made.items()}
        self.branches, self.flags, self.left = failing.branches(), failing.flags(), failing.left()

    def visit(self, node: Node) -> list[Node]:
        if node.op == "constant" and not node.outputs[0].type.rank:  # so that equal ones are one
            self.replace(node.outputs[0], self.constant(np.asarray(node.attrs["value"]), node.outputs[0].name))
            return []
        if node.op == "loop":
            for output in node.outputs:
                if output in self.left:
                    self.replace(output, self.constant(self.left[output]))
        if node.op == "if" and id(node) in self.branches:
            return self._ended(node, self.branches[id(node)])
        if node.op == "if":
            self._agree(node)
        flag = next((value for value in node.outputs if value in self.flags), None)
        if flag is not None:
            self.producer[flag] = node
            return [node, self._tested(flag, self.flags[flag], node.loc)]
        return self._chosen(node)

    def _ended(self, node: Node, end: _End) -> list[Node]:
        """The failing side alone, and the other side's operations behind it."""
        failing, other = node.regions[end.side], node.regions[1 - end.side]
        for output, value in zip(node.outputs, other.outputs, strict=True):
            self.replace(output, value)
        test = node.inputs[0]
        if self.home.get(test) is self.home.get(node.outputs[0]):  # what reads it later has gone on
            self.replace(test, self.constant(np.asarray(end.side == 1)))
        return [self._end(test, end, failing.nodes, node.loc), *other.nodes]

    def _agree(self, node: Node) -> None:
        """The test is known in both sides; what both give as the same number is this number."""
        for region, holds in zip(node.regions, (True, False), strict=True):
            known = self.constant(np.asarray(holds))
            region.outputs = [known if value is node.inputs[0] else value for value in region.outputs]
        for output, *sides in zip(node.outputs, *(region.outputs for region in node.regions), strict=True):
            a, b = (self.constant_of(side) for side in sides)
            if a is not None and b is not None and not a.ndim and Const(a) == Const(b):
                self.replace(output, self.constant(a))

    def _tested(self, flag: Value, end: _End, loc: Loc) -> Node:
        """A branch that ends where a flag says so; behind it the flag is known."""
        made, fails_on = self.producer.get(flag), bool(end.side)
        self.replace(flag, self.constant(np.asarray(not fails_on)))
        if made is not None and made.op == "invert":
            test = made.inputs[0]
            if self.home.get(test) is self.home[flag]:
                self.replace(test, self.constant(np.asarray(fails_on)))
            return self._end(test, replace(end, side=int(fails_on)), [], loc)
        return self._end(flag, replace(end, side=int(not fails_on)), [], loc)

    def _end(self, test: Value, end: _End, before: list[Node], loc: Loc) -> Node:
        inputs = [self._read(value) for value in (end.number, *end.arguments)]
        fail = Node(FAIL, inputs, [], {"places": end.places}, loc=loc)
        regions = [Graph([], [], []), Graph([], [], [])]
        regions[end.side] = Graph([], [*before, fail], [])
        return Node("if", [test], [], {"ends": end.side}, regions, loc)

    def _read(self, known: Known) -> Value:
        return self.constant(known) if isinstance(known, np.ndarray) else self.resolve(known)

    def _both(self, node: Node) -> Node:
        """`c and x` for x if c else false."""
        (output,), (test, yes, no) = node.outputs, node.inputs
        if output.type.dtype != np.bool_:
            return node
        if no is test or self._is(no, False):
            return self.node("bitwise_and", [test, yes], output, {}, node.loc)
        if yes is test or self._is(yes, True):
            return self.node("bitwise_or", [test, no], output, {}, node.loc)
        return node

    def _is(self, value: Value, wanted: bool) -> bool:
        known = self.constant_of(value)
        return known is not None and bool(known) is wanted

    def _chosen(self, node: Node) -> list[Node]:
        """A test of which side a branch has taken is the branch's own."""
        if node.op == "where" and not any(value.type.rank for value in node.inputs):
            return [self._both(node)]
        if node.op != "equal" or node.outputs[0].type.rank:
            return [node]
        for value, other in (node.inputs, node.inputs[::-1]):
            branch, number = self.producer.get(value), self.constant_of(other)
            if branch is None or branch.op != "if" or number is None or number.ndim:
                continue
            place = branch.outputs.index(value)
            sides = [self.constant_of(region.outputs[place]) for region in branch.regions]
            taken = [bool(side == number) for side in sides if side is not None]
            if taken == [True, False]:
                self.replace(node.outputs[0], branch.inputs[0])
                return []
            if taken == [False, True]:
                return [self.node("invert", branch.inputs, node.outputs[0], {}, node.loc)]
        return [node]


def ending_side(node: Node) -> int | None:
    """The side of a branch behind which the function has ended."""
    side: int | None = node.attrs.get("ends") if node.op == "if" else None
    return side


__all__ = ["FAIL", "ending_side", "with_early_ends"]
