"""Which values are still read behind a node: what memory may be written over.

Behind a node of a loop's body, all that the body reads of what is outside is read again in the next round.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import Graph, Node, Value


class Liveness:
    """Where the values of a program are read."""

    def __init__(self, graph: Graph):
        self.uses: dict[Value, list[tuple[Node | None, Graph]]] = {}
        """For each value the nodes that read it; None for the end of a graph."""
        self._behind: dict[int, frozenset[Value]] = {}
        self.home: dict[Value, Graph] = dict.fromkeys(graph.inputs, graph)
        self.users: dict[Graph, frozenset[Value]] = {}
        self.owners: dict[Graph, Node] = {}
        """Of inner graphs, the branches and loops that have them."""
        self._count(graph)
        self._walk(graph, frozenset(graph.outputs))

    def behind(self, node: Node) -> frozenset[Value]:
        """The values that are read behind a node."""
        return self._behind[id(node)]

    def _count(self, graph: Graph) -> None:
        """Note the uses in a graph and its inner ones."""
        self.home.update(dict.fromkeys(graph.inputs, graph))
        read: set[Value] = set(graph.outputs)
        for node in graph.nodes:
            self.home.update(dict.fromkeys(node.outputs, graph))
            for value in node.inputs:
                self.uses.setdefault(value, []).append((node, graph))
            read.update(node.inputs)
            for region in node.regions:
                self.owners[region] = node
                self._count(region)
                read |= self.users[region]
        for value in graph.outputs:
            self.uses.setdefault(value, []).append((None, graph))
        self.users[graph] = frozenset(value for value in read if self.home.get(value) is not graph)

    def _walk(self, graph: Graph, behind: frozenset[Value]) -> None:
        live = behind
        for node in reversed(graph.nodes):
            self._behind[id(node)] = live
            for region in node.regions:
                inner = live | frozenset(region.outputs)
                if node.op == "loop":
                    inner |= self.users[region]
                self._walk(region, inner)
            used = frozenset(node.inputs).union(*(self.users[region] for region in node.regions))
            live = (live - frozenset(node.outputs)) | used
