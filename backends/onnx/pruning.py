"""Leaving out what nothing depends on."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir


def used_nodes(nodes: Sequence[ir.Node], outputs: Sequence[ir.Value]) -> list[ir.Node]:
    """The nodes that outputs depend on, and those that are not standard operators."""
    needed = set(outputs)
    kept: list[ir.Node] = []
    for node in reversed(nodes):
        if node.domain or any(value in needed for value in node.outputs):
            kept.append(node)
            needed.update(_read_values(node))
    return kept[::-1]


def read_values(graph: ir.Graph) -> set[ir.Value]:
    """What a graph reads, in its inner graphs too."""
    return {value for node in graph for value in _read_values(node)}


def _read_values(node: ir.Node) -> set[ir.Value]:
    """What a node reads, in its inner graphs too."""
    read = {value for value in node.inputs if value is not None}
    for attribute in node.attributes.values():
        if attribute.type == ir.AttributeType.GRAPH:
            for inner in attribute.as_graph():
                read |= _read_values(inner)
    return read


def register_used(graph: ir.Graph, values: Sequence[ir.Value]) -> None:
    """Have the main graph list those of a model's constants that it reads, in place."""
    used = used_initializers(values, list(graph), graph.outputs)
    graph.initializers.clear()
    for value in used:
        graph.register_initializer(value)


def used_initializers(
    values: Sequence[ir.Value], nodes: Sequence[ir.Node], outputs: Sequence[ir.Value]
) -> list[ir.Value]:
    read = set(outputs)
    for node in nodes:
        read |= _read_values(node)
    return [value for value in values if value in read]
