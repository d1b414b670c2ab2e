"""A branch whose side the one before it has decided goes on in that one's sides.

    way, y = if c:                              y, z = if c:
        y = g(x)                                    y = g(x)
        give 1, y                                   give y, y
    else:                                 to    else:
        give 2, x                                   z = f(x)
    z = if way == 2:                                give x, z
        give f(x)
    else:
        give y

Where control goes behind a branch with several exits is a number in the graph.  Joined, a side has its own way on, and
what it writes over is read nowhere else: no array is copied for a side that does not write to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.copies import Copies

MOST_NUMBERS = 8
FEW = 4
"""A side of so few operations on numbers may be there twice."""
DEEPEST = 8
"""So many operations are looked through."""
CHEAP = frozenset(
    {"add", "bitwise_and", "bitwise_or", "bitwise_xor", "cast", "constant", "equal", "greater", "greater_equal"}
    | {"invert", "less", "less_equal", "maximum", "minimum", "multiply", "negative", "not_equal", "placeholder"}
    | {"subtract", "where"}
)
"""Operations on numbers that may be there twice."""
TRUTHS = frozenset({True, False})
OPPOSITE = {"equal": "not_equal", "not_equal": "equal"}

Numbers = frozenset[int] | None
"""What a truth or an integer may be; None for anything."""


def joined_branches(program: GraphProgram) -> None:
    """Join branches, in place."""
    _Joining(program).graph(program.graph)


class _Joining:
    def __init__(self, program: GraphProgram):
        self.makers = program.graph.makers()
        self.copies = 0

    def graph(self, graph: Graph) -> None:
        """Join the branches of a graph, then those inside of them."""
        place = 0
        while place < len(graph.nodes):
            if not self._next_is_joined(graph, place):
                place += 1
        for node in graph.nodes:
            for region in node.regions:
                self.graph(region)

    def _next_is_joined(self, graph: Graph, place: int) -> bool:
        """Join a branch with the next one, if the first decides the second."""
        first = graph.nodes[place]
        if not _goes_on(first):
            return False
        for later in range(place + 1, len(graph.nodes)):
            second = graph.nodes[later]
            if _goes_on(second):
                return self._join(graph, place, later)
            if not _is_of_numbers(second):
                return False
        return False

    def _join(self, graph: Graph, place: int, later: int) -> bool:
        first, second = graph.nodes[place], graph.nodes[later]
        between = graph.nodes[place + 1 : later]
        sides = [self._decided(second.inputs[0], first, side) for side in (0, 1)]
        if sides[0] == sides[1]:  # nothing is decided, or `fold` sees it
            return False
        for number, region in enumerate(second.regions):
            if not _is_small(region) and not any(side == 1 - number for side in sides):
                return False
        for number, region in enumerate(first.regions):
            self._go_on(region, first, second, between, sides[number])
        first.outputs += second.outputs
        del graph.nodes[later]
        self.makers.update(dict.fromkeys(second.outputs, first))
        return True

    def _go_on(self, region: Graph, first: Node, second: Node, between: Sequence[Node], side: int | None) -> None:
        """Have a side of the first branch do what is to be done of the second one."""
        known = dict(zip(first.outputs, region.outputs, strict=True))
        for node in between:
            self._add(region, self._copy(node, known))
        if side is None:
            self._add(region, made := self._copy(second, known))
            region.outputs += made.outputs
            return
        for node in second.regions[side].nodes:
            self._add(region, self._copy(node, known))
        region.outputs += [known.get(value, value) for value in second.regions[side].outputs]

    def _add(self, region: Graph, node: Node) -> None:
        region.nodes.append(node)
        self.makers.update(dict.fromkeys(node.outputs, node))

    def _copy(self, node: Node, known: dict[Value, Value]) -> Node:
        """A node with outputs of its own, that reads what is `known` of values elsewhere."""
        made = Copies(self._new).node(node, known)
        self.makers.update(Graph([], [made], []).makers())
        return made

    def _new(self, value: Value) -> Value:
        self.copies += 1
        return Value(f"{value.name}_{self.copies}", value.type)

    # ------------------------------------------------------------ what is decided

    def _decided(self, test: Value, first: Node, side: int) -> int | None:
        """The side of the second branch behind a side of the first one."""
        given = dict(zip(first.outputs, first.regions[side].outputs, strict=True))
        found = self._numbers(test, {first.inputs[0]: frozenset({side == 0})}, given, DEEPEST)
        return None if found is None or len(found) != 1 else int(not next(iter(found)))

    def _numbers(
        self, value: Value, known: Mapping[Value, Numbers], given: Mapping[Value, Value], depth: int
    ) -> Numbers:
        """All that a number may be where some are `known`, and others are those that a side has `given`."""
        value = given.get(value, value)
        if value in known:
            return known[value]
        node = self.makers.get(value)

        def of(operand: Value) -> Numbers:
            return self._numbers(operand, known, given, depth - 1)

        found: Numbers = None
        if node is None or value.type.rank or value.type.dtype.kind not in "bi" or not depth:
            pass
        elif node.op == "constant":
            return frozenset({int(node.attrs["value"])})
        elif node.op == "where":
            found = _either(of(node.inputs[0]), of(node.inputs[1]), of(node.inputs[2]))
        elif node.op == "if" and not node.attrs.get("ends"):
            place = node.outputs.index(value)
            found = _either(of(node.inputs[0]), *(of(region.outputs[place]) for region in node.regions))
        elif node.op in OPPOSITE:
            found = self._compared(node, known, *map(of, node.inputs))
        elif node.op == "invert" and value.type.dtype == bool:
            found = frozenset(not truth for truth in of(node.inputs[0]) or TRUTHS)
        return TRUTHS if found is None and value.type.dtype == bool else found

    def _compared(self, node: Node, known: Mapping[Value, Numbers], a: Numbers, b: Numbers) -> Numbers:
        """Whether two numbers are equal, or not equal."""
        for value, truths in known.items():
            test = self.makers.get(value)
            if test is not None and test.inputs == node.inputs and test.op in OPPOSITE and truths is not None:
                return truths if test.op == node.op else frozenset(not truth for truth in truths)
        if a is None or b is None:
            return None
        equal = {x == y for x in a for y in b}
        return frozenset(equal if node.op == "equal" else (not truth for truth in equal))


def _either(test: Numbers, yes: Numbers, no: Numbers) -> Numbers:
    """What a choice may be."""
    sides = [side for side, truth in ((yes, True), (no, False)) if truth in (test or TRUTHS)]
    if any(side is None for side in sides):
        return None
    found = frozenset(number for side in sides for number in side or ())
    return found if len(found) <= MOST_NUMBERS else None


def _goes_on(node: Node) -> bool:
    """Whether a node is a branch behind which both sides go on."""
    return node.op == "if" and "ends" not in node.attrs


def _is_of_numbers(node: Node) -> bool:
    """Whether a node may be done twice."""
    return node.op in CHEAP and not any(value.type.rank for value in (*node.inputs, *node.outputs))


def _is_small(region: Graph) -> bool:
    return len(region.nodes) <= FEW and all(map(_is_of_numbers, region.nodes))


__all__ = ["joined_branches"]
