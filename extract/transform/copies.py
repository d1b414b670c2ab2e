"""Copies of graphs: with the same values, or with values of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from graph_program.extract.ir.graph import Graph, Node, Value


def copy_graph(graph: Graph) -> Graph:
    """A graph with nodes of its own; values are shared."""
    nodes = [
        Node(n.op, list(n.inputs), list(n.outputs), n.attrs, [copy_graph(region) for region in n.regions], n.loc)
        for n in graph.nodes
    ]
    return Graph(list(graph.inputs), nodes, list(graph.outputs))


class Copies:
    """Copies with values of their own.

    Parameters
    ----------
    fresh : callable
        Another value like one.
    """

    def __init__(self, fresh: Callable[[Value], Value]):
        self.fresh = fresh

    def graph(self, graph: Graph, known: Mapping[Value, Value]) -> Graph:
        """A copy that reads other values in the place of known ones."""
        new = dict(known)
        inputs = self._own(graph.inputs, new)
        nodes = [self.node(node, new) for node in graph.nodes]
        return Graph(inputs, nodes, [new.get(value, value) for value in graph.outputs])

    def node(self, node: Node, known: dict[Value, Value]) -> Node:
        """A copy of a node, whose outputs are known from then on."""
        inputs = [known.get(value, value) for value in node.inputs]
        regions = [self.graph(region, known) for region in node.regions]
        return Node(node.op, inputs, self._own(node.outputs, known), node.attrs, regions, node.loc)

    def _own(self, values: Iterable[Value], known: dict[Value, Value]) -> list[Value]:
        found = [(value, self.fresh(value)) for value in values]
        known.update(found)
        return [own for _, own in found]


__all__ = ["Copies", "copy_graph"]
