"""Going through the message of a model: its graphs and nodes, those inside others included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx

STANDARD = ("", "ai.onnx")
"""The two names of the domain of the standard operators."""


def graphs_of(model: onnx.ModelProto) -> Iterator[onnx.GraphProto]:
    """All graphs: the main one, and those that nodes have, also in functions."""
    yield model.graph
    for nodes in (model.graph.node, *(function.node for function in model.functions)):
        yield from inner_graphs(nodes)


def inner_graphs(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.GraphProto]:
    """The graphs that some nodes have, and those inside these."""
    for node in nodes:
        for attribute in node.attribute:
            own = [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]
            for graph in own:
                yield graph
                yield from inner_graphs(graph.node)


def nodes_of(model: onnx.ModelProto) -> Iterator[onnx.NodeProto]:
    """All nodes, those of functions and inner graphs included."""
    for graph in graphs_of(model):
        yield from graph.node
    for function in model.functions:
        yield from function.node


def standard(domain: str) -> str:
    """A domain by its shortest name."""
    return "" if domain in STANDARD else domain


__all__ = ["graphs_of", "inner_graphs", "nodes_of", "standard"]
