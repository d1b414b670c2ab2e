"""Values that inner graphs read, so that onnxruntime's optimizer does not warn that it cannot rename them.

    y = Cast(x); If(...): reads x and y         z = Cast(x); y = Sum(z); If(...): reads x and y

Of each node that might do nothing it asks whether it could be left out, before it looks what the node does.  Where the
inner graphs of a node read both what goes in and what comes out it logs "Implicit input name y cannot be safely updated
to x", whoever loads the file.  A node in between that it would not leave out is asked nothing.  (onnxruntime 1.26 to
1.32)

    y = DequantizeLinear(q); If(...): reads y       z = DequantizeLinear(q); y = Sum(z); If(...): reads y

QDQPropagation looks for a `DequantizeLinear`, or what takes its elements to other places, among the inputs that a
reader has itself: an inner graph that reads it ends the process.  Quantized networks end so.  (1.26 to 1.32)

TransposeDQWeightsForMatMulNBits fails where an inner graph multiplies floats, or numbers of 16 bits, with numbers of 4
or 8 bits whose scale stands outside; a product with the copy is none that it takes.  (1.32)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import onnx_ir as ir

from graph_program.backends.onnx.merging import inner_graphs

ASKED = frozenset(["Cast", "Expand", "Identity", "Slice", "Unsqueeze"])
"""Operators that might do nothing."""
MOVING = frozenset(["MaxPool", "Reshape", "Slice", "Squeeze", "Transpose", "Unsqueeze"])
"""Operators that do the same to quantized numbers."""
FOUR_BITS = frozenset([ir.DataType.INT4, ir.DataType.UINT4])
BYTES = frozenset([ir.DataType.INT8, ir.DataType.UINT8])
COPYING = {
    **dict.fromkeys((ir.DataType.FLOAT, ir.DataType.DOUBLE, ir.DataType.FLOAT16), "Sum"),
    **dict.fromkeys((ir.DataType.INT32, ir.DataType.INT64, ir.DataType.UINT32, ir.DataType.UINT64), "Max"),
}
"""For element types, an operator that gives its one operand; others are `x And x`, a `Concat` of one array, or a
`Reshape` to the same sizes."""


def keep_apart(
    model: ir.Model, unique: Callable[[str], str], shapes: Mapping[ir.Value, Sequence[Any]], heard: bool = True
) -> None:
    """Put nodes behind those that onnxruntime would warn of or end with, in the graphs of a model, in place.

    Parameters
    ----------
    model : onnx_ir.Model
    unique : callable
        Makes a name unique.
    shapes : mapping of onnx_ir.Value to sequence
        The sizes of values, where they are known.
    heard : bool
        Whether somebody hears the warnings: a session that logs nothing does without the copies.
    """
    _Apart(model, unique, shapes, heard).graph(model.graph)


class _Apart:
    def __init__(
        self, model: ir.Model, unique: Callable[[str], str], shapes: Mapping[ir.Value, Sequence[Any]], heard: bool
    ):
        self.model = model
        self.unique = unique
        self.shapes = shapes
        self.asked = ASKED if heard else frozenset[str]()

    def graph(self, graph: ir.Graph) -> set[ir.Value]:
        """What a graph reads, inner graphs included."""
        together: dict[ir.Value, list[set[ir.Value]]] = {}
        read: set[ir.Value] = {value for value in graph.outputs if value is not None}
        nodes = list(graph)
        for node in nodes:
            read.update(value for value in node.inputs if value is not None)
            inner = {value for graph_inside in inner_graphs(node) for value in self.graph(graph_inside)}
            read |= inner
            for value in inner:  # one of them may read what goes in, and another one what comes out
                together.setdefault(value, []).append(inner)
        for node in nodes:
            for output in list(node.outputs):
                readers = together.get(output, [])
                if self._stays(graph, node, output, readers) and not output.is_graph_output():
                    self._put_copy_behind(graph, node, output)
        return read

    def _stays(self, graph: ir.Graph, node: ir.Node, output: ir.Value, readers: Sequence[set[ir.Value]]) -> bool:
        """Whether others are to read a copy of what a node gives."""
        function = self.model.functions.get(node.op_identifier())
        if function is not None:  # what stands in its place has names of its own
            maker = function.outputs[node.outputs.index(output)].producer()
            return bool(readers) and maker is not None and not maker.domain and maker.op_type in self.asked
        inputs = [value for value in node.inputs if value is not None and value.const_value is None]
        both = node.op_type in self.asked and any(value in inner for inner in readers for value in inputs)
        apart = readers and (both or _is_dequantized(node))
        return not node.domain and bool(apart or _has_scale_outside(node, graph))

    def _put_copy_behind(self, graph: ir.Graph, node: ir.Node, output: ir.Value) -> None:
        operator = self._copying(node, output)
        copy = ir.Value(name=self.unique(f"{output.name}.{operator.lower()}"), type=output.type, shape=output.shape)
        uses = list(output.uses())
        axis = [ir.AttrInt64("axis", 0)] if operator == "Concat" else []
        operands, nodes = [output, output] if operator == "And" else [output], []
        if operator == "Reshape":
            sizes = ir.node("Shape", [output])
            sizes.name = sizes.outputs[0].name = f"{copy.name}.sizes"
            sizes.outputs[0].type = ir.TensorType(ir.DataType.INT64)
            operands, nodes = [output, sizes.outputs[0]], [sizes]
        made = ir.Node("", operator, operands, axis, outputs=[copy], name=f"{operator}_{copy.name}")
        made.metadata_props.update(node.metadata_props)
        for user, position in uses:
            user.replace_input_with(position, copy)
        graph.insert_after(node, [*nodes, made])

    def _copying(self, node: ir.Node, output: ir.Value) -> str:
        """An operator that gives what a node does."""
        if output.dtype in COPYING:
            return COPYING[output.dtype]
        if output.dtype == ir.DataType.BOOL:
            return "And"
        has_axes = node.op_type in ("Slice", "Unsqueeze") or self.shapes.get(output)
        return "Concat" if has_axes else "Reshape"


def _has_scale_outside(node: ir.Node, graph: ir.Graph) -> bool:
    """Whether numbers that are multiplied with floats are taken out of their type by what another graph has."""
    if node.op_type != "DequantizeLinear" or node.inputs[0] is None:
        return False
    scale, dtype = node.inputs[1], node.inputs[0].dtype
    is_outside = scale is not None and scale.is_initializer() and scale.graph is not graph
    return is_outside and (dtype in FOUR_BITS or (dtype in BYTES and _multiplies_floats(node)))


def _multiplies_floats(node: ir.Node) -> bool:
    """Whether something else than bytes is multiplied with what a node gives."""
    output = node.outputs[0]
    products = [user for user, _ in output.uses() if user.op_type == "MatMul" and not user.domain]
    others = [value for product in products for value in product.inputs if value is not None and value is not output]
    makers = [value.producer() for value in others]
    return any(
        maker is None
        or maker.op_type != "DequantizeLinear"
        or maker.inputs[0] is None
        or maker.inputs[0].dtype not in BYTES
        for maker in makers
    )


def _is_dequantized(node: ir.Node) -> bool:
    """Whether a node makes floats of quantized numbers, or has them only moved."""
    found: ir.Node | None = node
    while found is not None and found.op_type in MOVING and not found.domain and found.inputs[0] is not None:
        found = found.inputs[0].producer()
    return found is not None and found.op_type == "DequantizeLinear"


__all__ = ["keep_apart"]
