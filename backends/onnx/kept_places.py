"""What is read at one place and then gets the axis back is read with it.

    a = Unsqueeze(Gather<axis=0>(x, i), [0])        v = Unsqueeze(i, [0])
    b = Unsqueeze(Gather<axis=1>(y, i), [1])   ->   a = Gather<axis=0>(x, v)
                                                    b = Gather<axis=1>(y, v)

That is done where the vector of the place is fewer nodes than the axes that were put back.
"""

from __future__ import annotations

import onnx_ir as ir

from graph_program.backends.onnx.builder import Builder
from graph_program.backends.onnx.inside import all_graphs, readers_of
from graph_program.backends.onnx.pruning import register_used
from graph_program.backends.onnx.shapes import attribute, known_rank

FIRST = 0
"""The one axis of a vector."""


def keep_places(graph: ir.Graph, builder: Builder) -> None:
    """Read with axes what gets them back, in a graph and its inner graphs, in place.

    Parameters
    ----------
    graph : onnx_ir.Graph
        The main graph; its values know their shapes.
    builder : Builder
        Has the constants of the graph.
    """
    for inner in list(all_graphs(graph)):
        reads: dict[ir.Value, list[ir.Node]] = {}
        for node in inner:
            place = _place(node)
            if place is not None:
                reads.setdefault(place, []).append(node)
        for place, found in reads.items():
            vectors = [node for node in readers_of(place) if node.graph is inner and _is_unsqueeze(node, FIRST)]
            saved = len(vectors) + sum(len(readers_of(read.outputs[0])) for read in found)
            if place.const_value is not None or saved > 1:
                _read_with_axes(place, found, vectors, builder)
    register_used(graph, builder.initializers)


def _place(node: ir.Node) -> ir.Value | None:
    """The number that says at which place a node reads, if all that reads the result puts the axis back."""
    if node.op_type != "Gather" or node.domain or node.outputs[0].is_graph_output():
        return None
    x, place = node.inputs
    rank, readers = known_rank(x), readers_of(node.outputs[0])
    if place is None or known_rank(place) != 0 or rank is None or not readers:
        return None
    axis = attribute(node, "axis", 0) % rank
    return place if all(_is_unsqueeze(reader, axis) for reader in readers) else None


def _is_unsqueeze(node: ir.Node, axis: int) -> bool:
    """Whether a node puts in an axis, and hands on what it gives to others of its graph only."""
    if node.op_type != "Unsqueeze" or node.domain or node.outputs[0].is_graph_output():
        return False
    axes, rank = node.inputs[1], known_rank(node.outputs[0])
    known = None if axes is None or axes.const_value is None else axes.const_value.numpy().tolist()
    return rank is not None and known is not None and [number % rank for number in known] == [axis]


def _read_with_axes(place: ir.Value, reads: list[ir.Node], vectors: list[ir.Node], builder: Builder) -> None:
    vector = _vector(place, reads, builder)
    for node in vectors:
        _leave_out(node, vector)
    for read in reads:
        readers = readers_of(read.outputs[0])
        read.outputs[0].shape = readers[0].outputs[0].shape
        for node in readers:
            _leave_out(node, read.outputs[0])
        read.replace_input_with(1, vector)


def _vector(place: ir.Value, reads: list[ir.Node], builder: Builder) -> ir.Value:
    """The vector of a place, made where the place is, or at the beginning of the graph that reads there."""
    if place.const_value is not None:
        return builder.constant(place.const_value.numpy().reshape(1)).value
    graph, maker = reads[0].graph, place.producer()
    assert graph is not None
    vector = ir.Value(name=builder.unique(f"{place.name}.vector"), shape=ir.Shape([1]), type=place.type)
    node = ir.Node("", "Unsqueeze", [place, builder.ints(FIRST).value], outputs=[vector])
    if maker is not None and maker.graph is graph:
        graph.insert_after(maker, node)
    else:
        graph.insert_before(graph[0], node)
    return vector


def _leave_out(node: ir.Node, instead: ir.Value) -> None:
    """Have others read another value in the place of what a node gives."""
    for reader, position in list(node.outputs[0].uses()):
        reader.replace_input_with(position, instead)
    assert node.graph is not None
    node.graph.remove(node, safe=True)


__all__ = ["keep_places"]
