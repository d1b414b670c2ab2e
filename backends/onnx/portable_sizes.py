"""Sizes that other runtimes take for others: of constants without elements, where loops begin, behind branches.

    if p: c = Constant {}                   if p: s = Constant {0}; c = ConstantOfShape(s)
    y = Loop(n, true, c), gives y + [1]     o = Tile(c, once); l = Loop(n, true, o), gives l + [1]; y = Tile(l, once)
    y = If(p) {x + 1} {-x}; z = [y, 0]      y = If(p) {x + 1} {-x}; o = Tile(y, once); z = [o, 0]

OpenVINO takes a constant vector without elements for a number.  A carried value has the sizes there that it begins
with, if these are known: where rounds give another one, the run ends without a word, and its outputs are those of
the run before (2026.4).  So it is repeated once, as often as only a run knows: that is computed from an input.  Behind
the loop its size is taken for one that a round has given, with at least the rows that the last round has added, and the
run fails where there was no round.  So what has grown there is repeated, too.

What a branch gives, of sizes that only a run knows, is lost there as memory is found for all that follows, up to the
next size that is computed: a larger array gets the same memory before the branch's result is read.  So such a size
follows the branch at once, and what crosses it is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import onnx_ir as ir

from graph_program.backends.onnx.portable_sides import SIZES
from graph_program.backends.onnx.shapes import attribute

COMPARED = frozenset({ir.DataType.FLOAT, ir.DataType.DOUBLE, ir.DataType.INT32, ir.DataType.INT64})
"""Element types that runtimes compare."""
Unique = Callable[[str], str]


def without_empty_constants(graph: ir.Graph, unique: Unique) -> None:
    """Make each constant without elements of its sizes, in place, and in inner graphs."""
    for value in [*graph.initializers.values()]:
        tensor = value.const_value
        if tensor is not None and not tensor.size:
            name = str(value.name)
            made = ir.Value(name=name, type=value.type, shape=value.shape)
            ir.convenience.replace_all_uses_with(value, made)
            del graph.initializers[name]
            graph.insert_before(graph[0], _of_sizes(graph, made, tensor.numpy(), unique))
    for node in [*ir.traversal.RecursiveGraphIterator(graph)]:
        tensor = attribute(node, "value") if node.op_type == "Constant" and "value" in node.attributes else None
        owner = node.graph
        if tensor is None or tensor.size or not isinstance(owner, ir.Graph):
            continue
        (output,) = node.outputs
        made = ir.Value(name=output.name, type=output.type, shape=output.shape)
        output.name = unique(f"{output.name}.unused")
        owner.insert_before(node, _of_sizes(graph, made, tensor.numpy(), unique))
        ir.convenience.replace_all_uses_with(output, made, replace_graph_outputs=True)
        owner.remove(node, safe=True)


def _of_sizes(graph: ir.Graph, made: ir.Value, array: np.ndarray, unique: Unique) -> ir.Node:
    """The node that makes a constant without elements; its sizes are a constant of the outermost graph."""
    sizes = _constant(graph, unique(f"{made.name}.sizes"), np.array(array.shape, np.int64))
    fill = ir.AttrTensor("value", ir.Tensor(np.zeros(1, array.dtype)))
    return ir.Node("", "ConstantOfShape", [sizes], [fill], outputs=[made], name=f"ConstantOfShape_{made.name}")


def with_open_sizes(graph: ir.Graph, unique: Unique) -> None:
    """Hide the sizes that carried values begin with, where rounds give others, and with which they end, in place."""
    once = _Once(graph, unique)
    for node in [*ir.traversal.RecursiveGraphIterator(graph)]:
        if node.op_type != "Loop" or not isinstance(node.graph, ir.Graph):
            continue
        body: ir.Graph = attribute(node, "body")
        carried = zip(body.inputs[2:], body.outputs[1:], [*node.outputs], strict=False)
        for place, (parameter, given, output) in enumerate(carried, 2):
            initial, producer = node.inputs[place], given.producer()
            if initial is not None and _changes(initial, parameter):
                again = once.again(initial, node, "open")
                if again is not None:
                    node.graph.insert_before(node, again)
                    node.replace_input_with(place, again.outputs[0])
            if producer is not None and producer.op_type == "Concat":
                once.read_again(output, node, "open")


def with_kept_results(graph: ir.Graph, unique: Unique) -> None:
    """Have what branches give in open sizes be read behind a size that is computed, in place, and in inner graphs.

    Parameters
    ----------
    graph : onnx_ir.Graph
    unique : callable
        Makes a name unique.
    """
    once = _Once(graph, unique)
    for node in [*ir.traversal.RecursiveGraphIterator(graph)]:
        for output in node.outputs if node.op_type == "If" and not node.domain else ():
            if _is_open(output):
                once.read_again(output, node, "kept")


class _Once:
    """Repeats values once, as often as only a run knows; a model without inputs has no such number."""

    def __init__(self, graph: ir.Graph, unique: Unique) -> None:
        self.graph, self.unique = graph, unique
        self.times: dict[int, ir.Value | None] = {}
        """By the number of axes."""

    def again(self, given: ir.Value, near: ir.Node, name: str) -> ir.Node | None:
        """What gives a value as it is, in sizes that only a run knows; it belongs to a node, and stands nowhere yet."""
        if given.shape is None:
            return None
        rank = len(given.shape)
        if rank not in self.times:
            self.times[rank] = _ones(self.graph, rank, self.unique)
        times = self.times[rank]
        if times is None:
            return None
        sizes = ir.Shape([None] * rank)
        made = ir.Value(name=self.unique(f"{given.name}.{name}"), type=given.type, shape=sizes)
        node = ir.Node("", "Tile", [given, times], outputs=[made], name=f"Tile_{made.name}")
        node.metadata_props.update(near.metadata_props)
        return node

    def read_again(self, output: ir.Value, node: ir.Node, name: str) -> None:
        """Have what reads a node's output read it as it is given again; its sizes alone may be asked of either."""
        reading = [use for use in output.uses() if use.node.op_type not in SIZES]
        again = self.again(output, node, name) if reading else None
        if again is None:
            return
        assert isinstance(node.graph, ir.Graph)
        node.graph.insert_after(node, again)
        for reader, place in reading:
            reader.replace_input_with(place, again.outputs[0])


def _is_open(value: ir.Value) -> bool:
    return value.shape is not None and not all(isinstance(size, int) for size in value.shape)


def _changes(initial: ir.Value, parameter: ir.Value) -> bool:
    """Whether a carried value begins with a known size that it does not keep."""
    if initial.shape is None or parameter.shape is None:
        return False
    pairs = zip(initial.shape, parameter.shape, strict=False)
    return any(isinstance(begins, int) and begins != size for begins, size in pairs)


def _ones(graph: ir.Graph, rank: int, unique: Unique) -> ir.Value | None:
    """1 for each axis, which only a run knows; None in a model without inputs.

    No number is less than itself.
    """
    given = min(graph.inputs, key=lambda value: len(value.shape or ()), default=None)
    if given is None or not len(graph):
        return None
    name = str(given.name)
    nodes, value = [], given
    if given.dtype not in COMPARED:
        nodes.append(_node("Cast", [given], f"{name}.number", ir.DataType.FLOAT, unique, to=ir.DataType.FLOAT))
        value = nodes[-1].outputs[0]
    nodes.append(_node("Less", [value, value], f"{name}.never", ir.DataType.BOOL, unique))
    nodes.append(_node("Cast", nodes[-1].outputs, f"{name}.zeros", ir.DataType.INT64, unique, to=ir.DataType.INT64))
    nodes.append(_node("ReduceSum", nodes[-1].outputs, f"{name}.zero", ir.DataType.INT64, unique, keepdims=0))
    ones = _constant(graph, unique(f"{name}.ones"), np.ones(rank, np.int64))
    nodes.append(_node("Add", [nodes[-1].outputs[0], ones], f"{name}.once", ir.DataType.INT64, unique))
    graph.insert_before(graph[0], nodes)
    return nodes[-1].outputs[0]


def _node(
    op: str, inputs: Sequence[ir.Value], name: str, dtype: ir.DataType, unique: Unique, **attributes: int
) -> ir.Node:
    output = ir.Value(name=unique(name), type=ir.TensorType(dtype))
    given = [ir.AttrInt64(key, int(value)) for key, value in attributes.items()]
    return ir.Node("", op, inputs, given, outputs=[output], name=f"{op}_{output.name}")


def _constant(graph: ir.Graph, name: str, array: np.ndarray) -> ir.Value:
    tensor = ir.Tensor(array)
    value = ir.Value(name=name, const_value=tensor, type=ir.TensorType(tensor.dtype), shape=ir.Shape(array.shape))
    graph.initializers.add(value)
    return value


__all__ = ["with_kept_results", "with_open_sizes", "without_empty_constants"]
