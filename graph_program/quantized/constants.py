"""Which values of a model are known: initializers, constants, and what is made of them by moving numbers only.

    total = ReduceSum(w)   ->   total = Constant()

A sum of a matrix that nothing else reads as floats would keep these in the file, beside its integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
from onnx import reference

from graph_program.quantized.collected import graphs_of

MOVES = frozenset(["Concat", "Gather", "Identity", "Reshape", "Slice", "Squeeze", "Transpose", "Unsqueeze"])
"""A matrix that is transposed before it is multiplied, or whose rows are taken in another order, is as known as it."""


class Constants:
    """The contents of known values, each computed once."""

    def __init__(self) -> None:
        self.known: dict[ir.Value, Any] = {}

    def of(self, value: ir.Value | None) -> Any:
        """The array of a value; None where it is not known."""
        if value is None:
            return None
        if value not in self.known:
            self.known[value] = self._computed(value)
        return self.known[value]

    def _computed(self, value: ir.Value) -> Any:
        if value.is_initializer() and not value.is_graph_input() and value.const_value is not None:
            return value.const_value.numpy()
        node = value.producer()
        if node is None:
            return None
        if node.op_type == "Constant" and "value" in node.attributes:
            return node.attributes["value"].as_tensor().numpy()
        return self._result(node) if node.op_type in MOVES and not node.domain else None

    def fold_sums(self, model: ir.Model) -> None:
        """Compute sums, extremes and the like of what is known."""
        for node in [node for graph in graphs_of(model.graph) for node in graph]:
            array = self._result(node) if node.op_type.startswith("Reduce") and not node.domain else None
            if array is not None:
                _replace(node, array)

    def _result(self, node: ir.Node) -> Any:
        """What a node makes of known values; None where one is not known."""
        given = [self.of(one) for one in node.inputs]
        if any(array is None and one is not None for array, one in zip(given, node.inputs, strict=True)):
            return None
        names = [one.name if one is not None else "" for one in node.inputs]
        feed = {name: array for name, array in zip(names, given, strict=True) if name}
        outputs: Any = reference.ReferenceEvaluator(ir.serde.serialize_node(node)).run(None, feed)
        return np.asarray(outputs[0])


def _replace(node: ir.Node, array: np.ndarray) -> None:
    """Give an array in place of what a node has made, which may be an output."""
    (old,), graph = node.outputs, node.graph
    assert isinstance(graph, ir.Graph)
    new = ir.node("Constant", [], {"value": ir.tensor(array)}, metadata_props=dict(node.metadata_props))
    (value,) = new.outputs
    name, old.name = old.name, f"{old.name}.computed"
    value.name, value.type, value.shape = name, old.type, old.shape
    graph.insert_before(node, new)
    ir.convenience.replace_all_uses_with(old, value, replace_graph_outputs=True)
    graph.remove(node, safe=True)


__all__ = ["Constants"]
