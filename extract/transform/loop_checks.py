"""Check before a loop what fails in its first round or never.

    x = loop(k < n) with x = a:             first = n > 0 and bad
        if bad:                             x = if first:                 # fails
            give ...                    to      give ...
        else:                               else:
            give step(x)                        give loop(k < n) with x = a: give step(x)

    x = loop(k < n) with x = a:             first = n > 0 and outside(a)
        if outside(x): ...                  ...
        give y[x] % size

Loop unswitching (Allen and Cocke, 1971) of a check: an `if` one side of which ends the program, with a test that is
the same in every round, or of what the loop carries such that no round makes it fail.
Where the loop has a round, the check fails in the first one, behind nothing that could
fail or go on for ever; that round is done with the side that fails, and what it does not need is dead code.  The
check is asked once then, and if-conversion makes it a loop that does not begin.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.dce import sweep
from graph_program.extract.transform.hoist import invariant
from graph_program.extract.transform.orders import ORDERS
from graph_program.extract.transform.ranged import RangedRewriter
from graph_program.extract.transform.rewrite import defined_in
from graph_program.extract.transform.simplify import OPPOSITES, OPPOSITES_WITHOUT_NAN
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.tensor_type import PY_BOOL

ASKING = frozenset({"constant", "dim", "negative", "cast", "any", "invert", "bitwise_or", "bitwise_and", *ORDERS})
"""Operations of checks, none of which fails."""
DEEPEST_CHECK = 12
"""So many operations are looked through for what a check finds."""
Tests = tuple[dict[Value, Value], dict[Value, Value]]
"""What replaces values on both sides of an `if`."""
ALL_OPPOSITES = {**OPPOSITES, **{value: key for key, value in OPPOSITES.items()}, **OPPOSITES_WITHOUT_NAN}


def loop_checks(program: GraphProgram) -> None:
    """Take checks that do not change out of loops, in place."""
    if not program.host:  # what a round has told the host before it fails cannot be left out
        _LoopChecks(program).run()


class _LoopChecks(RangedRewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program, only_read=True)

    def visit(self, node: Node) -> list[Node]:
        if node.op != "loop":
            return [node]
        body = node.regions[0]
        moved = invariant(body)  # what an earlier check stood before
        check = _check(body)
        if check is None or self.constant_of(check.inputs[0]) is not None:  # decided: it will be folded
            return [*moved, node]
        asked: Graph | None = Graph([], [], [check.inputs[0]])
        if check.inputs[0] in defined_in([body]):
            asked = self._kept_right(node, check)
        return [*moved, node] if asked is None else [*moved, *self._before(node, check, asked)]

    def _kept_right(self, loop: Node, check: Node) -> Graph | None:
        """What a check asks of what the loop begins with, if rounds keep it right; None if they may not."""
        body = loop.regions[0]
        asked = _asked(body, check)
        if asked is None or not self._is_kept_right(body, check, asked):
            return None
        return self._copy(asked, dict(zip(body.inputs[1:], loop.inputs[2:], strict=True)))

    def _is_kept_right(self, body: Graph, check: Node, asked: Graph) -> bool:
        """Whether a check does not fail of what a round gives to the next one."""
        again = self._copy(asked, dict(zip(body.inputs[1:], body.outputs[1:], strict=True)))
        for node in again.nodes:
            self.ranges.note(node)
        with self.ranges.behind(body):
            found = self.ranges.of(again.outputs[0], DEEPEST_CHECK)
        right = dim(check.attrs["fails"])  # a test that holds takes the first side
        return found == (right, right)

    def _before(self, loop: Node, check: Node, asked: Graph) -> list[Node]:
        """A branch by the check, with the round that fails on one side and the loop without the check on the other."""
        fails, loc = check.attrs["fails"], check.loc
        made, first = self._begins(loop, check, asked)
        tests = self._tests(check.inputs[0])
        failing = self._round(loop, check, fails, tests)
        others = [Value(self.names.fresh(output.name), output.type) for output in loop.outputs]
        rest = Node(
            "loop", loop.inputs, others, loop.attrs, [_decided(loop.regions[0], check, 1 - fails, tests)], loop.loc
        )
        for node in (rest, *rest.regions[0].walk()):
            self.ranges.note(node)
        working = Graph([], self.visit(rest), others)
        return [*made, Node("if", [first], loop.outputs, {"fails": 0}, [failing, working], loc)]

    def _begins(self, loop: Node, check: Node, asked: Graph) -> tuple[list[Node], Value]:
        """Whether the loop has a round, and the check fails in it, of which a graph asks."""
        trips, condition = loop.inputs[:2]
        made = list(asked.nodes)
        parts = list(asked.outputs)
        if check.attrs["fails"] == 1:
            parts = [self._made(made, "invert", parts[0])]
        known = self.constant_of(trips)
        if known is None or int(known) <= 0:
            parts.append(self._made(made, "greater", trips, self.constant(np.array(0, np.int64), "int_0")))
        known = self.constant_of(condition)
        if known is None or not bool(known):
            parts.append(condition)
        first = parts[0]
        for part in parts[1:]:
            first = self._made(made, "bitwise_and", first, part)
        for node in made:
            node.loc = check.loc
        return made, first

    def _made(self, nodes: list[Node], op: str, *inputs: Value) -> Value:
        nodes.append(self.node(op, inputs, Value(self.names.fresh("first"), PY_BOOL)))
        return nodes[-1].outputs[0]

    def _tests(self, test: Value) -> tuple[dict[Value, Value], dict[Value, Value]]:
        """What is known of a test and its opposites on both sides of an `if`."""
        true, false = self.constant(np.array(True), "true"), self.constant(np.array(False), "false")
        node = self.producer.get(test)
        same, opposites = {test}, set()
        for value, other in self.producer.items():
            if (other.op == "invert" and other.inputs[0] is test) or (node is not None and are_opposite(node, other)):
                opposites.add(value)
        holds = {**dict.fromkeys(same, true), **dict.fromkeys(opposites, false)}
        fails = {**dict.fromkeys(same, false), **dict.fromkeys(opposites, true)}
        return holds, fails

    def _round(self, loop: Node, check: Node, side: int, tests: Tests) -> Graph:
        """The first round of a loop, in which the check takes a side."""
        body = loop.regions[0]
        start = self.constant(np.array(0, np.int64), body.inputs[0].name)
        known = dict(zip(body.inputs, [start, *loop.inputs[2:]], strict=True))
        decided = _decided(body, check, side, tests)
        first = Graph([], decided.nodes, decided.outputs[1:])
        sweep(first)  # now, as each loop around copies what is here
        return self._copy(first, known)

    def _copy(self, graph: Graph, known: Mapping[Value, Value]) -> Graph:
        """A graph with values of its own, and others in the place of known ones."""
        new = dict(known)
        new.update(self._fresh(graph.inputs))
        nodes = []
        for node in graph.nodes:
            inputs = [new.get(value, value) for value in node.inputs]
            regions = [self._copy(region, new) for region in node.regions]
            new.update(self._fresh(node.outputs))
            nodes.append(Node(node.op, inputs, [new[v] for v in node.outputs], node.attrs, regions, node.loc))
        return Graph([new[v] for v in graph.inputs], nodes, [new.get(v, v) for v in graph.outputs])

    def _fresh(self, values: Iterable[Value]) -> dict[Value, Value]:
        return {value: Value(self.names.fresh(value.name), value.type) for value in values}


def _asked(body: Graph, check: Node) -> Graph | None:
    """What a check asks of what the loop carries; None if it asks more than operations that cannot fail tell."""
    wanted, nodes = {check.inputs[0]}, []
    for node in reversed(body.nodes[: body.nodes.index(check)]):
        if wanted.isdisjoint(node.outputs):
            continue
        if node.op not in ASKING:
            return None
        wanted |= set(node.inputs)
        nodes.append(node)
    return None if body.inputs[0] in wanted else Graph([], nodes[::-1], [check.inputs[0]])


def _check(body: Graph) -> Node | None:
    """The first check of a body, if nothing may fail or not end before it."""
    for node in body.nodes:
        if "fails" in node.attrs:
            return node
        if not _ends(node):
            return None
    return None


def _ends(node: Node) -> bool:
    """Whether a node comes to its end without an error."""
    inner = [node, *(inner for region in node.regions for inner in region.walk())]
    return not any(one.op == "loop" or "fails" in one.attrs for one in inner)


def are_opposite(node: Node, other: Node) -> bool:
    """Whether one of two comparisons of integers holds where the other does not."""
    integers = bool(node.inputs) and all(value.type.dtype.kind in "biu" for value in node.inputs)
    return integers and node.inputs == other.inputs and ALL_OPPOSITES.get(node.op) == other.op


def _decided(body: Graph, check: Node, side: int, tests: Tests) -> Graph:
    """A body with one side of a check in its place, and what is known of its test on that side."""
    region = check.regions[side]
    known = {**tests[side], **dict(zip(check.outputs, region.outputs, strict=True))}
    place = body.nodes.index(check)
    nodes = [_reading(node, known) for node in (*body.nodes[:place], *region.nodes, *body.nodes[place + 1 :])]
    return Graph(list(body.inputs), nodes, [_followed(value, known) for value in body.outputs])


def _followed(value: Value, known: Mapping[Value, Value]) -> Value:
    while value in known:
        value = known[value]
    return value


def _reading(node: Node, replaced: Mapping[Value, Value]) -> Node:
    """A node that reads other values; it is left as it is."""
    inputs = [_followed(value, replaced) for value in node.inputs]
    regions = [_reading_graph(region, replaced) for region in node.regions]
    return Node(node.op, inputs, node.outputs, node.attrs, regions, node.loc)


def _reading_graph(graph: Graph, replaced: Mapping[Value, Value]) -> Graph:
    nodes: Sequence[Node] = [_reading(node, replaced) for node in graph.nodes]
    return Graph(graph.inputs, list(nodes), [_followed(value, replaced) for value in graph.outputs])


__all__ = ["are_opposite", "loop_checks"]
