"""Ways through branches: which values they decide, and what is read behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass

MOST = 64
"""Ways through a round that are looked at."""


class TooManyWays(Exception):
    """There are more ways than are looked at."""


@dataclass(frozen=True)
class Way:
    """A way through a graph, as far as it is decided.

    Attributes
    ----------
    sides : mapping of int to int
        The side that each branch takes, by its id.
    numbers : mapping of Value to int
        What is known of truths and integers.
    """

    sides: Mapping[int, int] = field(default_factory=dict)
    numbers: Mapping[Value, int] = field(default_factory=dict)

    def taking(self, node: Node, side: int) -> Way:
        """The way that goes on to a side of a branch."""
        return replace(self.knowing({node.inputs[0]: int(side == 0)}), sides={**self.sides, id(node): side})

    def knowing(self, numbers: Mapping[Value, int]) -> Way:
        """The way on which some values are some numbers."""
        return replace(self, numbers={**self.numbers, **numbers})


class Ways:
    """What can be said about ways through a program."""

    def __init__(self, program: GraphProgram):
        self.producer: dict[Value, Node] = program.graph.makers()

    def through(self, again: Value, values: list[Value]) -> Iterator[tuple[Way, int | None]]:
        """The ways through a round on which some values are decided, with whether there is another round.

        Raises
        ------
        TooManyWays
        """
        work = [Way()]
        for _ in range(MOST):
            if not work:
                return
            way = work.pop()
            node = next((n for n in (self._undecided(v, way) for v in values) if n is not None), None)
            said = self.number(again, way)
            test = node if node is not None or said is not None else self._open(again, way)
            if isinstance(test, Node):
                known = self.number(test.inputs[0], way)
                work += [way.taking(test, side) for side in (0, 1) if known is None or bool(known) is (side == 0)]
            elif test is not None:
                work += [way.knowing({test: holds}) for holds in (0, 1)]
            else:
                yield way, said
        if work:
            raise TooManyWays

    def _undecided(self, value: Value, way: Way) -> Node | None:
        """The branch that decides what a value is."""
        while (node := self.producer.get(value)) is not None and node.op == "if":
            if id(node) not in way.sides:
                return node
            value = self._inside(node, value, way)
        return None

    def _inside(self, node: Node, value: Value, way: Way) -> Value:
        """What the side of a branch that a way takes gives of a value."""
        return node.regions[way.sides[id(node)]].outputs[node.outputs.index(value)]

    def number(self, value: Value, way: Way) -> int | None:
        """A truth or an integer, if a way decides it."""
        if value in way.numbers:
            return way.numbers[value]
        node = self.producer.get(value)
        if node is None or value.type.rank:
            return None
        if node.op == "constant":
            number = node.attrs["value"]
            return int(number) if number.dtype.kind in "bi" else None
        if node.op == "if":
            return self.number(self._inside(node, value, way), way) if id(node) in way.sides else None
        if node.op == "where":
            test = self.number(node.inputs[0], way)
            return None if test is None else self.number(node.inputs[1 if test else 2], way)
        return _combined(node.op, [self.number(operand, way) for operand in node.inputs]) if _is_logic(node) else None

    def _open(self, value: Value, way: Way) -> Node | Value | None:
        """A branch, or a condition, that has to be decided for a number to be known."""
        node = self.producer.get(value)
        if self.number(value, way) is not None or node is None:
            return None
        if node.op == "if":
            return self._open(self._inside(node, value, way), way) if id(node) in way.sides else node
        if node.op == "where":
            test = self.number(node.inputs[0], way)
            if test is None:
                return self._open(node.inputs[0], way) or node.inputs[0]
            return self._open(node.inputs[1 if test else 2], way)
        inner = (self._open(operand, way) for operand in node.inputs if _is_logic(node))
        return next((found for found in inner if found is not None), None)


def _is_logic(node: Node) -> bool:
    """Whether an operation compares integers, or combines truths."""
    kind = node.inputs[0].type.dtype.kind if node.inputs else ""
    wanted = {"equal": "bi", "not_equal": "bi", "invert": "b", "bitwise_and": "b", "bitwise_or": "b"}
    return bool(kind) and kind in wanted.get(node.op, "")


def _combined(op: str, operands: list[int | None]) -> int | None:
    """The result of such an operation on numbers of which some are known."""
    if op in ("bitwise_and", "bitwise_or"):
        decides = int(op == "bitwise_or")
        if decides in operands:
            return decides
        return None if None in operands else 1 - decides
    if None in operands:
        return None
    if op == "invert":
        return int(not operands[0])
    return int((operands[0] == operands[1]) is (op == "equal"))


class Readers(Ways):
    """Who reads values of a program where some numbers are known."""

    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.program = program
        self._owner: dict[Graph, Node] = {}
        self._home: dict[int, Graph] = {}
        self._carried: dict[Value, tuple[Value, Value]] = {}
        """What a loop begins with and what a round gives, by what it carries."""
        self._uses: dict[Value, list[tuple[Graph, Node | None, int]]] = {}
        self._note(program.graph)

    def _note(self, graph: Graph) -> None:
        for node in graph.nodes:
            self._home[id(node)] = graph
            for place, value in enumerate(node.inputs):
                self._uses.setdefault(value, []).append((graph, node, place))
            if node.op == "loop":
                body = node.regions[0]
                for parameter, first, given in zip(body.inputs[1:], node.inputs[2:], body.outputs[1:], strict=True):
                    self._carried[parameter] = first, given
            for region in node.regions:
                self._owner[region] = node
                self._note(region)
        for place, value in enumerate(graph.outputs):
            self._uses.setdefault(value, []).append((graph, None, place))

    def is_unread(self, value: Value, way: Way) -> bool:
        """Whether nobody reads a value on a way: the program ends with an error."""
        return all(self._does_not_read(*use, way) for use in self._uses.get(value, ()))

    def _does_not_read(self, graph: Graph, node: Node | None, place: int, way: Way) -> bool:
        if self._is_left_out(graph, way) or (node is not None and node.op == "dim"):
            return True
        if node is not None:
            if node.op != "loop" or place < 2 or self.number(node.inputs[1], way) != 0:
                return False
            return self.is_unread(node.outputs[place - 2], way)
        owner = self._owner.get(graph)
        if owner is None:
            return self._fails(place, way)
        if owner.op == "loop" and self.number(graph.outputs[0], way) != 0:
            return False
        first = 1 if owner.op == "loop" else 0
        known = {o: self.number(given, way) for o, given in zip(owner.outputs, graph.outputs[first:], strict=True)}
        way = way.knowing({output: number for output, number in known.items() if number is not None})
        return self.is_unread(owner.outputs[place - first], way)

    def _is_left_out(self, graph: Graph, way: Way) -> bool:
        """Whether a graph is in the side of a branch that a way does not take."""
        owner = self._owner.get(graph)
        while owner is not None:
            test = self.number(owner.inputs[0], way) if owner.op == "if" else None
            if test is not None and owner.regions.index(graph) == test:
                return True
            graph = self._home[id(owner)]
            owner = self._owner.get(graph)
        return False

    def _fails(self, place: int, way: Way) -> bool:
        """Whether an output of the program is a result, and the program has none on a way."""
        results = len(self.program.output_names)
        if place >= results or not self.program.errors or self.program.keeps_writes:
            return False
        return self._is_error(self.program.graph.outputs[results], way, set())

    def _is_error(self, value: Value, way: Way, seen: set[Value]) -> bool:
        """Whether a number is not 0 wherever it is set."""
        known = self.number(value, way)
        if known is not None or value in seen:
            return known != 0
        seen.add(value)
        if value in self._carried:
            return all(self._is_error(given, way, seen) for given in self._carried[value])
        node = self.producer.get(value)
        if node is None or node.op not in ("placeholder", "where", "if", "loop"):
            return False
        return all(self._is_error(given, way, seen) for given in self._given(node, value, way))

    def _given(self, node: Node, value: Value, way: Way) -> list[Value]:
        """What a value may be that a node gives."""
        if node.op == "placeholder":
            return []
        if node.op == "where":
            test = self.number(node.inputs[0], way)
            return node.inputs[1:] if test is None else [node.inputs[1 if test else 2]]
        place = node.outputs.index(value)
        if node.op == "loop":
            return [node.inputs[place + 2], node.regions[0].outputs[place + 1]]
        sides = (way.sides[id(node)],) if id(node) in way.sides else (0, 1)
        return [node.regions[side].outputs[place] for side in sides]


__all__ = ["Readers", "TooManyWays", "Way", "Ways"]
