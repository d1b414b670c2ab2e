"""Accesses to arrays that are inside in every round that there is, whatever the branches around them ask.

What counts the rounds of the loops around says so, and how their numbers of rounds are made (`round_sums`).  That is
known while each round is one; of all rounds at once the same accesses are inside, as there is no element of others.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import Graph, Node
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.transform.round_sums import in_rounds
from graph_program.extract.transform.vectorize.lanes import indexed
from graph_program.extract.types.dims import provably_less_equal

ACCESSES = ("take", "gather_nd")


def certain_accesses(graph: Graph) -> set[Node]:
    """Reads of elements in loops by indices that are inside."""
    ranges, found = Ranges(), set[Node]()
    _visit(ranges, graph, found)
    return found


def _visit(ranges: Ranges, graph: Graph, found: set[Node]) -> None:
    for node in graph.nodes:
        ranges.note(node)
    for node in graph.nodes:
        if node.op in ACCESSES and _is_inside(ranges, node):
            found.add(node)
        for region in node.regions:
            if node.op != "loop":
                _visit(ranges, region, found)
                continue
            with ranges.in_round(node):
                _visit(ranges, region, found)


def _is_inside(ranges: Ranges, node: Node) -> bool:
    for index, size in indexed(node):
        known = None if index.type.rank else ranges.of(index)
        found = None if known is None else in_rounds(ranges, index, known)
        if found is None or not (provably_less_equal(-size, found[0]) and provably_less_equal(found[1] + 1, size)):
            return False
    return True


__all__ = ["certain_accesses"]
