"""What is in a graph and its inner graphs, and what reads a value there."""

from __future__ import annotations

from collections.abc import Iterator

import onnx_ir as ir

from graph_program.backends.onnx.merging import inner_graphs


def all_graphs(graph: ir.Graph) -> Iterator[ir.Graph]:
    """A graph, and those in its nodes."""
    yield graph
    for node in graph:
        for inner in inner_graphs(node):
            yield from all_graphs(inner)


def all_nodes(graph: ir.Graph) -> Iterator[ir.Node]:
    """The nodes of a graph, each before those of its inner graphs."""
    for node in graph:
        yield node
        for inner in inner_graphs(node):
            yield from all_nodes(inner)


def uses_of(value: ir.Value) -> list[tuple[ir.Node, int]]:
    """What reads a value, with the place; nodes that are in no graph read nothing."""
    return [(node, position) for node, position in value.uses() if node.graph is not None]


def readers_of(value: ir.Value) -> list[ir.Node]:
    """What reads a value, once for each place."""
    return [node for node, _ in uses_of(value)]


__all__ = ["all_graphs", "all_nodes", "readers_of", "uses_of"]
