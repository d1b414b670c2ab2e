"""Recurrent layers of batches that may be empty: onnxruntime's kernels end the process there.

y, h = GRU(x, w, r, h0)        to        y, h = (zeros, h0) if x.size == 0 else GRU(x, w, r, h0)

Where sizes are known, nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import onnx_ir as ir

from graph_program.backends.models.walks import standard

SEQUENCE, BATCH = 0, 1
"""Axes of what the layers read."""
EMPTY = {("", "LSTM"): (BATCH,), ("", "GRU"): (SEQUENCE, BATCH), ("com.microsoft", "DynamicQuantizeLSTM"): (BATCH,)}
"""The axes, by operator, that must have elements."""
INITIAL = {1: 5, 2: 6}
"""The inputs that a sequence begins with, by the outputs that it ends with: the same for one without elements."""
OLDEST = 9
"""The first version of the operators with `ConstantOfShape`."""


def may_be_empty(main: ir.Graph) -> list[ir.Node]:
    """The layers of which it is not known that they have something to run on."""
    return [layer for layer in _layers(main) if _is_read(layer) and _may_be_empty(layer)]


def unread(main: ir.Graph) -> list[ir.Node]:
    """Such layers that give nothing to anybody; onnxruntime runs them."""
    return [layer for layer in _layers(main) if not _is_read(layer)]


def take_empty_batches(layers: Iterable[ir.Node]) -> None:
    """Have layers run where there is something to run on only, in place."""
    for layer in layers:
        _Guard(layer).write()


def _layers(main: ir.Graph) -> list[ir.Node]:
    nodes = (node for graph in (main, *main.subgraphs()) for node in graph)
    return [node for node in nodes if _key(node) in EMPTY and "hidden_size" in node.attributes]


def _key(node: ir.Node) -> tuple[str, str]:
    return standard(node.domain), node.op_type


def _is_read(layer: ir.Node) -> bool:
    return any(value.uses() or value.is_graph_output() for value in layer.outputs)


def _may_be_empty(layer: ir.Node) -> bool:
    return not all(_has_elements(layer.inputs[0], axis) for axis in EMPTY[_key(layer)])


def _has_elements(value: ir.Value | None, axis: int) -> bool:
    size = None if value is None or value.shape is None else value.shape[axis]
    return isinstance(size, int) and size > 0


class _Guard:
    def __init__(self, layer: ir.Node):
        x, graph = layer.inputs[0], layer.graph
        assert x is not None and isinstance(graph, ir.Graph)
        self.graph, self.layer, self.x = graph, layer, x
        self.prefix = f"{layer.name or next(value.name for value in layer.outputs if value.name)}.empty"
        self.count = 0

    def write(self) -> None:
        layer, outer = self.layer, list[ir.Node]()
        count = self._add(outer, "Size", self.x)
        is_empty = self._add(outer, "Equal", count, self._constant(outer, np.array(0, np.int64)))
        places = [place for place, value in enumerate(layer.outputs) if value.uses() or value.is_graph_output()]
        given = [layer.outputs[place] for place in places]
        for value in given:
            value.type = value.type or ir.TensorType(self.x.dtype or ir.DataType.FLOAT)
        results = [ir.Value(name=value.name, type=value.type, shape=value.shape) for value in given]
        ir.convenience.replace_all_uses_with(given, results, replace_graph_outputs=True)
        for value in given:
            value.name = f"{self.prefix}.{value.name}"
        empty = self._empty(places)
        self.graph.insert_before(layer, outer)
        branch = ir.node("If", [is_empty], {"then_branch": empty}, outputs=results, name=f"{self.prefix}.If")
        self.graph.insert_after(layer, branch)
        self.graph.remove(layer)
        branch.attributes.add(
            ir.AttrGraph("else_branch", ir.Graph([], given, nodes=[layer], name=f"{self.prefix}.else"))
        )

    def _empty(self, places: list[int]) -> ir.Graph:
        """What a layer gives that has nothing to run on."""
        nodes: list[ir.Node] = []
        shape = self._add(nodes, "Shape", self.x)
        batch = self._add(nodes, "Gather", shape, self._constant(nodes, np.array([BATCH])))
        hidden = self.layer.attributes["hidden_size"].as_int()
        said = self.layer.attributes.get("direction")
        directions = 2 if said is not None and said.as_string() == "bidirectional" else 1
        ends = [self._constant(nodes, np.array([number])) for number in (directions, hidden)]
        outputs = []
        for place in places:
            initial = self.layer.inputs[INITIAL[place]] if len(self.layer.inputs) > INITIAL.get(place, 99) else None
            if initial is not None:
                outputs.append(self._add(nodes, "Identity", initial))
                continue
            sizes = [ends[0], batch, ends[1]]
            if place == 0:
                sizes.insert(0, self._add(nodes, "Gather", shape, self._constant(nodes, np.array([SEQUENCE]))))
            outputs.append(self._zeros(nodes, self._add(nodes, "Concat", *sizes, axis=0)))
        return ir.Graph([], outputs, nodes=nodes, name=f"{self.prefix}.then")

    def _zeros(self, nodes: list[ir.Node], sizes: ir.Value) -> ir.Value:
        dtype = (self.x.dtype or ir.DataType.FLOAT).numpy()
        return self._add(nodes, "ConstantOfShape", sizes, value=ir.tensor(np.zeros(1, dtype)))

    def _constant(self, nodes: list[ir.Node], array: np.ndarray[Any, Any]) -> ir.Value:
        return self._add(nodes, "Constant", value=ir.tensor(array))

    def _add(self, nodes: list[ir.Node], op: str, *inputs: ir.Value, **attributes: Any) -> ir.Value:
        made = ir.node(op, inputs, attributes)
        made.name = made.outputs[0].name = f"{self.prefix}.{self.count}"
        self.count += 1
        nodes.append(made)
        return made.outputs[0]


__all__ = ["may_be_empty", "take_empty_batches", "unread"]
