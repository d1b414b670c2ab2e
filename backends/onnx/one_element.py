"""Numbers as vectors of one element, where nodes that only turn one into the other are saved by it.

    s = Shape<end=1>(x); n = Squeeze(s)             s = Shape<end=1>(x)
    m = Add(n, 1); v = Unsqueeze(m, [0])     ->     m = Add(s, 1)
    y = Slice(x, v, ...)                            y = Slice(x, m, ...)

What broadcasts a number broadcasts such a vector as well, and the test of a branch may be one.  So all numbers between
those nodes are vectors, if whoever reads them takes both, and whoever makes them can make both.  onnxruntime is known
to do so; other runtimes keep numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

import onnx_ir as ir

from graph_program.backends.onnx.builder import Builder
from graph_program.backends.onnx.merging import inner_graphs
from graph_program.backends.onnx.pruning import used_initializers
from graph_program.backends.onnx.shapes import ELEMENTWISE, attribute

POSITIONS = frozenset(["ArgMax", "ArgMin"])
EITHER = frozenset(["Reshape"])
"""Operators whose result does not depend on whether their first operand is a number or a vector of one."""


def numbers_as_vectors(graph: ir.Graph, builder: Builder) -> None:
    """Save nodes in a graph and its inner graphs, in place.

    Parameters
    ----------
    graph : onnx_ir.Graph
        The main graph; its values know their shapes.
    builder : Builder
        Has the constants of the graph.
    """
    for group in _groups(_vectors(list(_nodes(graph)))):
        if any(_is_saved(node) for value in group for node in (_made(value), *_readers(value))):
            _widen(group, builder)
    used = used_initializers(builder.initializers, list(graph), graph.outputs)
    graph.initializers.clear()
    for value in used:
        graph.register_initializer(value)


def _nodes(graph: ir.Graph) -> Iterator[ir.Node]:
    for node in graph:
        yield node
        for inner in inner_graphs(node):
            yield from _nodes(inner)


def _vectors(nodes: list[ir.Node]) -> set[ir.Value]:
    """The numbers that may be vectors: the greatest set that nothing speaks against."""
    found: set[ir.Value] = set()
    for node in nodes:
        if _can_be_made(node, found):
            found.add(node.outputs[0])
    while refused := {v for v in found if not _can_be_made(_made(v), found) or not _can_be_read(v, found)}:
        found -= refused
    return found


def _can_be_made(node: ir.Node, vectors: set[ir.Value]) -> bool:
    """Whether a node makes a number that it might make as a vector without another node."""
    if node.domain or len(node.outputs) != 1 or _rank(node.outputs[0]) != 0:
        return False
    x = node.inputs[0] if node.inputs else None
    if node.op_type in ELEMENTWISE:
        return any(value in vectors for value in node.inputs)
    if node.op_type == "Squeeze":
        return _is_single(x)
    if node.op_type == "Gather":
        return _rank(x) == 1 and node.inputs[1] is not None and node.inputs[1].const_value is not None
    if node.op_type.startswith("Reduce") or node.op_type in POSITIONS:
        return _rank(x) == 1 and attribute(node, "keepdims", 1) == 0
    return False


def _can_be_read(value: ir.Value, vectors: set[ir.Value]) -> bool:
    """Whether all that read a number would do the same with a vector."""
    if value.is_graph_output():
        return False
    return all(_reads_either(node, position, vectors) for node, position in value.uses())


def _reads_either(node: ir.Node, position: int, vectors: set[ir.Value]) -> bool:
    if node.domain:
        return False
    if node.op_type in ELEMENTWISE:
        rank = _rank(node.outputs[0])
        return bool(rank) or (rank == 0 and node.outputs[0] in vectors)
    if node.op_type == "Unsqueeze":
        return _is_saved(node)
    return position == 0 and (node.op_type in EITHER or node.op_type in ("If", "Loop"))


def _is_saved(node: ir.Node) -> bool:
    """Whether a node is none where numbers are vectors."""
    if node.op_type == "Squeeze":
        return _is_single(node.inputs[0]) and _rank(node.outputs[0]) == 0
    return (
        node.op_type == "Unsqueeze"
        and _rank(node.inputs[0]) == 0
        and _rank(node.outputs[0]) == 1
        and not node.outputs[0].is_graph_output()
    )


def _groups(values: set[ir.Value]) -> Iterator[set[ir.Value]]:
    """Values that are only vectors together, as one is computed from the other."""
    left = dict.fromkeys(values)
    while left:
        group, new = set(), [left.popitem()[0]]
        while new:
            value = new.pop()
            group.add(value)
            near = [*_made(value).inputs, *(node.outputs[0] for node in _readers(value))]
            found = [other for other in near if other is not None and other in left]
            new += found
            for other in found:
                left.pop(other, None)
        yield group


def _widen(group: set[ir.Value], builder: Builder) -> None:
    """Make vectors of numbers."""
    saved = {node for value in group for node in (_made(value), *_readers(value)) if _is_saved(node)}
    for value in group:
        value.shape = ir.Shape([1])
        node = _made(value)
        if node.op_type == "Gather":
            place = node.inputs[1]
            assert place is not None and place.const_value is not None
            node.replace_input_with(1, builder.constant(place.const_value.numpy().reshape(1)).value)
        elif node.op_type not in ELEMENTWISE and node.op_type != "Squeeze":
            node.attributes["keepdims"] = ir.AttrInt64("keepdims", 1)
    for node in saved:
        (output,), source = node.outputs, node.inputs[0]
        for user, position in list(output.uses()):
            user.replace_input_with(position, source)
        assert node.graph is not None
        node.graph.remove(node, safe=True)


def _made(value: ir.Value) -> ir.Node:
    node = value.producer()
    assert node is not None
    return node


def _readers(value: ir.Value) -> Iterator[ir.Node]:
    return (node for node, _ in value.uses())


def _rank(value: ir.Value | None) -> int | None:
    if value is None:
        return None
    if value.const_value is not None:
        return len(value.const_value.shape)
    return None if value.shape is None else len(value.shape)


def _is_single(value: ir.Value | None) -> bool:
    """Whether a value is a vector of one element."""
    return value is not None and value.shape is not None and list(value.shape) == [1]


__all__ = ["numbers_as_vectors"]
