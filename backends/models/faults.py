"""A network in words that do not end onnxruntime's process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from graph_program.backends.models.empty_batches import EMPTY, OLDEST, may_be_empty, take_empty_batches, unread
from graph_program.backends.models.moved_batches import keep_apart, moved_batches
from graph_program.backends.models.walks import nodes_of

if TYPE_CHECKING:
    import onnx

LAYERS = frozenset(operator for _, operator in EMPTY)


def without_faults(message: onnx.ModelProto) -> onnx.ModelProto | None:
    """A model without functions in other words; None where it needs none."""
    import onnx

    operators = {node.op_type for node in nodes_of(message)}
    if LAYERS.isdisjoint(operators) and not operators >= {"MatMul", "Transpose"}:
        return None
    model = ir.from_proto(onnx.shape_inference.infer_shapes(message))
    layers = may_be_empty(model.graph) if model.graph.opset_imports.get("", OLDEST) >= OLDEST else []
    operands, dead = moved_batches(model.graph), unread(model.graph)
    if not (layers or operands or dead):
        return None
    keep_apart(operands)
    take_empty_batches(layers)
    for layer in dead:
        graph = layer.graph
        assert isinstance(graph, ir.Graph)
        graph.remove(layer, safe=True)
    made: onnx.ModelProto = ir.to_proto(model)
    return made


__all__ = ["without_faults"]
