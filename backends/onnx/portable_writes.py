"""Writes into arrays of outer graphs, of which a copy is written to: OpenVINO writes to the array itself.

    Loop(n): y = ScatterND(x, k, v)    ->    Loop(n): y = ScatterND(Expand(x, Shape(x)), k, v)

So the next round, and what reads the array behind the loop, finds what has been written (2026.4).
"""

from __future__ import annotations

from collections.abc import Callable

import onnx_ir as ir

WRITES = frozenset(["ScatterElements", "ScatterND"])
KEEPING = frozenset(["Concat", "Flatten", "Identity", "Reshape", "Slice", "Squeeze", "Sum", "Unsqueeze"])
"""What may give the memory that it is given."""


def with_copies(graph: ir.Graph, unique: Callable[[str], str]) -> None:
    """Write to copies in all graphs inside of a graph, in place."""
    for inner in graph.subgraphs():
        for node in list(inner):
            if node.op_type in WRITES and not node.domain:
                _write_to_copy(inner, node, unique)


def _write_to_copy(graph: ir.Graph, node: ir.Node, unique: Callable[[str], str]) -> None:
    array = node.inputs[0]
    if array is None or not _is_of_another(array, graph):
        return
    sizes = ir.node("Shape", [array], name=unique(f"{array.name}.sizes"))
    copy = ir.node("Expand", [array, sizes.outputs[0]], name=unique(f"{array.name}.copy"))
    for made, type_, shape in ((sizes, ir.TensorType(ir.DataType.INT64), None), (copy, array.type, array.shape)):
        made.outputs[0].name, made.outputs[0].type, made.outputs[0].shape = made.name, type_, shape
    graph.insert_before(node, [sizes, copy])
    node.replace_input_with(0, copy.outputs[0])


def _is_of_another(value: ir.Value, graph: ir.Graph) -> bool:
    """Whether an array may be one that another graph, or the model, has made."""
    node = value.producer()
    if node is None:
        return value.graph is not graph or value.is_initializer()
    if node.graph is not graph:
        return True
    first = node.inputs[0] if node.op_type in KEEPING and node.inputs else None
    return first is not None and _is_of_another(first, graph)


__all__ = ["with_copies"]
