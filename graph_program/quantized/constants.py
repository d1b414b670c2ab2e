"""Which values of a model are known: initializers, constants, and what is made of them by moving numbers only."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
from onnx import reference

MOVES = frozenset(["Concat", "Identity", "Reshape", "Slice", "Squeeze", "Transpose", "Unsqueeze"])
"""A matrix that is transposed before it is multiplied is as known as the matrix."""


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
        if node.op_type not in MOVES or node.domain:
            return None
        given = [self.of(one) for one in node.inputs]
        if any(array is None and one is not None for array, one in zip(given, node.inputs, strict=True)):
            return None
        names = [one.name if one is not None else "" for one in node.inputs]
        feed = {name: array for name, array in zip(names, given, strict=True) if name}
        outputs: Any = reference.ReferenceEvaluator(ir.serde.serialize_node(node)).run(None, feed)
        return np.asarray(outputs[0])


__all__ = ["Constants"]
