"""Visits a graph with what is known of the ranges of its integers."""

from __future__ import annotations

from graph_program.extract.ir.graph import Graph, GraphProgram
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.transform.rewrite import Rewriter


class RangedRewriter(Rewriter):
    """Has the ranges of what a graph computes before its nodes are visited.

    Parameters
    ----------
    program : GraphProgram
    only_read : bool
        See `Ranges`.
    """

    def __init__(self, program: GraphProgram, only_read: bool = False):
        super().__init__(program)
        self.ranges = Ranges(only_read=only_read)
        self.ranges.say_given(program.graph.inputs)

    def graph(self, graph: Graph) -> None:
        for node in graph.nodes:
            self.ranges.note(node)
        super().graph(graph)


__all__ = ["RangedRewriter"]
