"""Sizes, and what is computed of them and of other numbers, go out of loops from the branches in them, too.

    loop (k < n): ...                               s = dim(y, axis=1)
        y.2 = if t:                                 bad = not_equal(s, m)
            s = dim(y, axis=1)                      loop (k < n): ...
            bad = not_equal(s, m)        to             y.2 = if t:
            failed.1 = bitwise_or(failed, bad)              failed.1 = bitwise_or(failed, bad)
            ...                                             ...

`hoist` takes what stands in a loop itself.  What stands in a branch may be done in no round, so only sizes and numbers
go, which cost little and cannot fail, and none out of a side with values that nobody reads: that is where something has
failed or is left out, in few rounds if at all.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.hoist import TOTAL_ON_SCALARS, is_cheap_and_total, out_of_loops


def branch_invariants(program: GraphProgram) -> None:
    """Loop-invariant code motion out of branches, in place."""
    out_of_loops(program.graph, lambda body: _moved(body, set(body.inputs)))


def _moved(graph: Graph, inside: set[Value]) -> list[Node]:
    """Take out of a graph in a loop what can be computed before the loop, of which `inside` are values.

    What it leaves is added to those.
    """
    moved, kept = [], []
    for node in graph.nodes:
        if _may_go(node) and inside.isdisjoint(node.inputs):
            moved.append(node)
            continue
        kept.append(node)
        if node.op == "if":
            for side in node.regions:
                if not _is_left_out(side):
                    moved += _moved(side, inside)
        inside.update(node.outputs)
    graph.nodes = kept
    return moved


def _may_go(node: Node) -> bool:
    """Whether a node gives a number of numbers, or a size."""
    return node.op == "dim" or (node.op in TOTAL_ON_SCALARS and is_cheap_and_total(node))


def _is_left_out(side: Graph) -> bool:
    """Whether a side gives values that nobody reads."""
    placeholders = {node.outputs[0] for node in side.nodes if node.op == "placeholder"}
    return not placeholders.isdisjoint(side.outputs)


__all__ = ["branch_invariants"]
