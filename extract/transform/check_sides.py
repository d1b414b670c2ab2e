"""A check in the round of a loop: both of its sides in its place, and the round that fails.

An `if` one side of which ends the program is a check.  What `loop_checks` and `round_checks` share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.transform.copies import Copies
from graph_program.extract.transform.dce import sweep
from graph_program.extract.transform.opposites import are_opposite
from graph_program.extract.transform.rewrite import Rewriter

Tests = tuple[dict[Value, Value], dict[Value, Value]]
"""What replaces values on both sides of an `if`."""


class CheckSides:
    """Copies of bodies with one side of a check.

    Parameters
    ----------
    rewriter : Rewriter
        Has the producers and the names of values.
    """

    def __init__(self, rewriter: Rewriter):
        self.rewriter = rewriter
        self.copies = Copies(rewriter.like)

    def tests(self, test: Value) -> Tests:
        """What is known of a test and its opposites on both sides of an `if`."""
        true, false = self.rewriter.constant(np.array(True), "true"), self.rewriter.constant(np.array(False), "false")
        node = self.rewriter.producer.get(test)
        if self.rewriter.constant_of(test) is not None:  # decided by an equal check before it
            return {}, {}
        same, opposites = {test}, set()
        for value, other in self.rewriter.producer.items():
            if (other.op == "invert" and other.inputs[0] is test) or (node is not None and are_opposite(node, other)):
                opposites.add(value)
        holds = {**dict.fromkeys(same, true), **dict.fromkeys(opposites, false)}
        fails = {**dict.fromkeys(same, false), **dict.fromkeys(opposites, true)}
        return holds, fails

    def failing_round(self, loop: Node, check: Node, tests: Tests, number: Value | None = None) -> Graph:
        """The round of a loop in which a check fails, with what the loop begins with; the first one by default."""
        body = loop.regions[0]
        number = number or self.rewriter.constant(np.array(0, np.int64), body.inputs[0].name)
        known = dict(zip(body.inputs, [number, *loop.inputs[2:]], strict=True))
        failed = decided(body, check, check.attrs["fails"], tests)
        failing = Graph([], failed.nodes, failed.outputs[1:])
        sweep(failing)  # now, as each loop around copies what is here
        return self.copies.graph(failing, known)

    def without(self, loop: Node, check: Node, tests: Tests) -> Node:
        """A loop in which a check does not fail."""
        results = [self.rewriter.like(output) for output in loop.outputs]
        body = decided(loop.regions[0], check, 1 - check.attrs["fails"], tests)
        return Node("loop", list(loop.inputs), results, loop.attrs, [body], loop.loc)


def first_check(body: Graph) -> Node | None:
    """The first check of a body, if nothing may fail or not end before it."""
    for node in body.nodes:
        if "fails" in node.attrs:
            return node
        if not ends(node):
            return None
    return None


def ends(node: Node) -> bool:
    """Whether a node comes to its end without an error."""
    inner = [node, *(inner for region in node.regions for inner in region.walk())]
    return not any(one.op == "loop" or "fails" in one.attrs for one in inner)


def decided(body: Graph, check: Node, side: int, tests: Tests) -> Graph:
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


__all__ = ["CheckSides", "Tests", "decided", "ends", "first_check"]
