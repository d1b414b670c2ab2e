"""What only one side of a branch reads is computed there.

    b = Mul(x, 2)                               y = If(c): Mul(x, 2)
    y = If(c): Identity(b)              ->             else: Identity(x)
        else: Identity(x)

A choice of floats is a branch in onnxruntime (see `rules/elementwise`), which the passes do not know of.  What it
chooses is not computed in vain then, and a side needs no copy of what it makes itself.  What tells of an error by
failing stays where it is.
"""

from __future__ import annotations

from collections.abc import Collection

import onnx_ir as ir

from graph_program.backends.onnx.merging import inner_graphs
from graph_program.extract.records import dataclass

STAY = frozenset(["Shape", "Size"])
"""Moved, they would have a side read an array beside what is made of it, and `implicit_inputs` puts nodes between."""


def sink_into_branches(graph: ir.Graph, telling: Collection[ir.Node]) -> None:
    """Move nodes into the sides that read them, in a graph and its inner graphs, in place.

    Parameters
    ----------
    graph : onnx_ir.Graph
    telling : collection of onnx_ir.Node
        Nodes that may fail, of whose errors nothing else tells.
    """
    holders: dict[ir.Graph, _Holder] = {}
    _note(graph, holders)
    _sink(graph, holders, telling)


@dataclass(frozen=True)
class _Holder:
    """The node that has an inner graph, and the graph which that node is in."""

    node: ir.Node
    graph: ir.Graph


def _note(graph: ir.Graph, holders: dict[ir.Graph, _Holder]) -> None:
    for node in graph:
        for inner in inner_graphs(node):
            holders[inner] = _Holder(node, graph)
            _note(inner, holders)


def _sink(graph: ir.Graph, holders: dict[ir.Graph, _Holder], telling: Collection[ir.Node]) -> None:
    for node in reversed(list(graph)):  # what a node reads goes where the node has gone
        side = None if node in telling else _only_side(node, graph, holders)
        if side is not None:
            graph.remove(node)
            side.insert_before(side[0], node)
    for node in graph:
        for inner in inner_graphs(node):
            if node.op_type == "If":
                _without_copies(inner)
            _sink(inner, holders, telling)


def _only_side(node: ir.Node, graph: ir.Graph, holders: dict[ir.Graph, _Holder]) -> ir.Graph | None:
    """The side of a branch in which all is that reads what a node gives; None if there is none."""
    if node.domain or node.op_type in STAY or inner_graphs(node):
        return None
    if any(value.is_graph_output() for value in node.outputs):
        return None
    sides = {_child(user.graph, graph, holders) for value in node.outputs for user, _ in value.uses()}
    side = sides.pop() if len(sides) == 1 else None
    return side if side is not None and holders[side].node.op_type == "If" else None


def _child(inner: object, graph: ir.Graph, holders: dict[ir.Graph, _Holder]) -> ir.Graph | None:
    """The inner graph of a node of `graph` that another graph is, or is somewhere in."""
    while isinstance(inner, ir.Graph) and inner in holders:
        if holders[inner].graph is graph:
            return inner
        inner = holders[inner].graph
    return None


def _without_copies(side: ir.Graph) -> None:
    """Have a side give what it makes itself, instead of copies."""
    for place, value in enumerate(side.outputs):
        copy = value.producer()
        if copy is None or copy.op_type != "Identity" or copy.domain:
            continue
        (source,) = copy.inputs
        made = None if source is None else source.producer()
        if source is None or made is None or made.graph is not side:
            continue
        if source not in side.outputs and not value.uses():
            side.outputs[place] = source
            side.remove(copy, safe=True)


__all__ = ["sink_into_branches"]
