"""Called models written node by node, for runtimes that do not take all that models say.

    y = net(x)    ->    h = Cast(Mod(Add(Cast(x, int32), Cast(x, int32)), 256), uint8); y = ...

A runtime that gets an operator of a program wrong gets it wrong in a model, too, so it gets the same other words here,
and loops without rounds are seen to as the program's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from graph_program.backends.onnx import equivalents, portable
from graph_program.backends.onnx.avoided import NANS, TIES
from graph_program.backends.onnx.builder import Tensor, node_name
from graph_program.backends.onnx.shapes import attribute
from graph_program.backends.onnx.stable_order import top_k
from graph_program.extract.diagnostics import UNKNOWN

if TYPE_CHECKING:
    from graph_program.backends.onnx.builder import Builder

ALWAYS = np.array(True)
LEFT = frozenset([NANS])
"""What is as it is in the runtime: a network has thousands of them, which runtimes make one operation with others."""
MOST = np.array(np.iinfo(np.int64).max)
"""Rounds of a loop that has no number of them."""


def can_be_written(function: ir.Function) -> bool:
    """Whether all values of a model are arrays of types that are known, and that NumPy has."""
    graphs = [function.graph, *function.graph.subgraphs()]
    values = (value for graph in graphs for node in graph for value in node.outputs if value.name)
    return all(map(_has_dtype, values)) and all(_has_dtype(value) for graph in graphs for value in graph.inputs)


def written(builder: Builder, function: ir.Function, given: Sequence[Tensor]) -> list[Tensor]:
    """What a model gives, in nodes of the graph that is being written.

    Parameters
    ----------
    builder : Builder
    function : onnx_ir.Function
        Of the model.
    given : sequence of Tensor
        For its inputs.
    """
    writing = _Writing(builder)
    writing.found.update(zip(function.inputs, given, strict=True))
    return writing.graph(function, function.outputs)


class _Writing:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.avoided = builder.avoided._replace(forms=frozenset(builder.avoided.forms) - LEFT)
        self.found: dict[ir.Value, Tensor] = {}
        """What stands for a value of the model."""

    def graph(self, nodes: Iterable[ir.Node], outputs: Sequence[ir.Value]) -> list[Tensor]:
        for node in nodes:
            self._node(node)
        return [self.found[value] for value in outputs]

    def _node(self, node: ir.Node) -> None:
        inputs = [None if value is None else self.found[value] for value in node.inputs]
        if node.op_type == "Loop" and not node.domain and inputs[0] is not None:
            inputs[0] = portable.rounds(inputs[0])
        given = tuple(x for x in inputs if x is not None)
        values = {name: each.value for name, each in node.attributes.items()}
        other = None
        if not node.domain and len(given) == len(inputs):
            other = equivalents.operation(self.avoided, node.op_type, given, values)
        if other is not None:
            results = [other]
        elif node.op_type == "TopK" and not node.domain and TIES in self.avoided.forms:
            results = top_k(given[0], given[1], values)
        else:
            results = self._copied(node, inputs)
        self.found.update(zip(node.outputs, results, strict=True))

    def _copied(self, node: ir.Node, inputs: Sequence[Tensor | None]) -> list[Tensor]:
        """The same node in the graph that is being written."""
        builder = self.builder
        inner = {name: self._inner(graph) for name, graph in _graphs(node).items()}
        attributes = [ir.AttrGraph(n, inner[n]) if n in inner else value for n, value in node.attributes.items()]
        results = [self._like(value) for value in node.outputs]
        made = ir.Node(
            node.domain,
            node.op_type,
            [None if x is None else x.value for x in inputs],
            attributes,
            outputs=[result.value for result in results],
            name=builder.unique(node_name(node.op_type, results[0].value)),
        )
        if builder.loc is not UNKNOWN:
            made.metadata_props["source"] = builder.loc.where
            builder.places[made] = builder.loc
        builder.nodes.append(made)
        if node.domain:
            return results
        if node.op_type == "Constant" and "value" in node.attributes:
            results[0].known = attribute(node, "value").numpy()
        if node.op_type == "Loop" and builder.is_portable:
            trips, condition, *initial = inputs
            begin = [trips or builder.constant(MOST), condition or builder.constant(ALWAYS), *filter(None, initial)]
            return portable.loop_results(builder, begin, inner["body"], results)
        return results

    def _inner(self, graph: ir.Graph) -> ir.Graph:
        parameters = [self._like(value) for value in graph.inputs]
        self.found.update(zip(graph.inputs, parameters, strict=True))
        name = self.builder.unique(graph.name or "inner")
        return self.builder.graph(name, parameters, lambda: self.graph(graph, graph.outputs))

    def _like(self, value: ir.Value) -> Tensor:
        name = self.builder.unique(value.name) if value.name else ""
        made = ir.Value(name=name, type=value.type, shape=value.shape)
        return Tensor(self.builder, made, np.dtype(np.bool_) if value.dtype is None else value.dtype.numpy())


def _graphs(node: ir.Node) -> dict[str, ir.Graph]:
    return {name: value.as_graph() for name, value in node.attributes.items() if value.type == ir.AttributeType.GRAPH}


def _has_dtype(value: ir.Value) -> bool:
    return isinstance(value.type, ir.TensorType) and value.dtype not in (
        None,
        ir.DataType.STRING,
        ir.DataType.UNDEFINED,
    )


__all__ = ["can_be_written", "written"]
