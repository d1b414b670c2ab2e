"""Numbers about values inside a model as one output of it, whichever branch or loop they are made in.

y = Loop(n, {(k) a = Exp(x)})   ->   y, rows' = Loop(n, zeros, {(k, rows) a = Exp(x); rows' = Max(rows, [about a])})

A value is told of by a row of some numbers.  Rows of a loop's rounds are added up, or the largest is taken; the side of
a branch that does not run gives zeros.  So nothing grows with the number of rounds, and shapes do not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import onnx_ir as ir

ROWS = "collected.rows"
"""The name of the output."""
Rows: TypeAlias = Callable[[ir.Graph], Mapping[Any, ir.Value]]
"""What is told of the values of one graph: rows of shape [1, width] by a key, of nodes at its end."""


class Writer:
    """Writes nodes at the end of a graph."""

    def __init__(self, graph: ir.Graph):
        self.graph = graph

    def node(self, op: str, *inputs: ir.Value, before: ir.Node | None = None, **attributes: Any) -> ir.Value:
        """The output of a new node."""
        made = ir.node(op, list(inputs), attributes=attributes)
        made.outputs[0].name = self.name()
        if before is None:
            self.graph.append(made)
        else:
            self.graph.insert_before(before, made)
        return made.outputs[0]

    def constant(self, array: Any, before: ir.Node | None = None) -> ir.Value:
        """A known array."""
        return self.node("Constant", before=before, value=ir.tensor(np.asarray(array)))

    def name(self) -> str:
        """A name that no other value of the model has."""
        root = self.graph.meta.setdefault("collected.names", [0])
        root[0] += 1
        return f"collected.{id(self.graph)}.{root[0]}"

    def largest(self, *values: ir.Value) -> ir.Value:
        """A row with the largest number of each value, at least 0."""
        zero, flat = self.constant(np.zeros(1, np.float32)), self.constant([-1])
        parts = [self.node("Concat", self.node("Reshape", value, flat), zero, axis=0) for value in values]
        heads = [self.node("ReduceMax", part, keepdims=1) for part in parts]
        return self.node("Reshape", self.node("Concat", *heads, axis=0), self.constant([1, len(values)]))


class _Collector:
    def __init__(self, rows: Rows, combine: str, width: int, dtype: Any):
        self.rows, self.combine, self.width, self.dtype = rows, combine, width, np.dtype(dtype)

    def of(self, graph: ir.Graph) -> tuple[list[Any], ir.Value | None]:
        """The keys of the rows of a graph and of all inside of it, and these rows, one below the other."""
        nodes = list(graph)
        own = self.rows(graph)
        keys, parts = list(own), list(own.values())
        for node in nodes:
            inner = {name: self.of(body) for name, body in bodies(node).items()}
            found = [key for names, _ in inner.values() for key in names]
            if found:
                keys += found
                parts.append(self._of_a_branch(node, inner) if node.op_type == "If" else self._of_a_loop(node, inner))
        if not parts:
            return [], None
        return keys, Writer(graph).node("Concat", *parts, axis=0)

    def _of_a_branch(self, node: ir.Node, inner: Mapping[str, tuple[list[Any], ir.Value | None]]) -> ir.Value:
        for name, side in bodies(node).items():
            writer = Writer(side)
            parts = [
                rows if name == other and rows is not None else writer.constant(self._zeros(len(keys)))
                for other, (keys, rows) in inner.items()
            ]
            side.outputs.append(writer.node("Concat", *parts, axis=0))
        place = len(node.outputs)
        return replaced(node, list(node.inputs), place).outputs[place]

    def _of_a_loop(self, node: ir.Node, inner: Mapping[str, tuple[list[Any], ir.Value | None]]) -> ir.Value:
        """Rows that the rounds hand on, at the end of what else they do."""
        ((_, (keys, rows)),) = inner.items()
        (body,) = bodies(node).values()
        assert rows is not None
        if node.op_type == "Loop":
            taken, given = len(node.inputs), len(node.inputs) - 2
            place, result = len(body.inputs), given + 1
        else:  # Scan, whose body has no number of the round and no condition
            scanned = node.attributes["num_scan_inputs"].as_int()
            taken = given = place = result = len(node.inputs) - scanned
        before = ir.val(Writer(body).name(), ir.DataType.from_numpy(self.dtype), [len(keys), self.width])
        body.inputs.insert(place, before)
        body.outputs.insert(result, Writer(body).node(self.combine, before, rows))
        assert isinstance(node.graph, ir.Graph)
        zeros = Writer(node.graph).constant(self._zeros(len(keys)), before=node)
        inputs = list(node.inputs)
        inputs.insert(taken, zeros)
        return replaced(node, inputs, given).outputs[given]

    def _zeros(self, count: int) -> Any:
        return np.zeros((count, self.width), self.dtype)


def bodies(node: ir.Node) -> dict[str, ir.Graph]:
    """The graphs inside of a node, by attribute."""
    return {name: a.as_graph() for name, a in node.attributes.items() if a.type == ir.AttributeType.GRAPH}


def graphs_of(graph: ir.Graph) -> list[ir.Graph]:
    """A graph and all inside of it, each before its own."""
    return [graph, *graph.subgraphs()]


def replaced(node: ir.Node, inputs: list[ir.Value | None], new: int) -> ir.Node:
    """The node with other inputs, and with one more output at a place."""
    attributes = list(node.attributes.values())
    node.attributes.clear()  # a graph belongs to one node
    made = ir.Node(
        node.domain, node.op_type, inputs, attributes, num_outputs=len(node.outputs) + 1, name=node.name,
        metadata_props=dict(node.metadata_props),
    )  # fmt: skip
    graph = node.graph
    assert isinstance(graph, ir.Graph)
    outputs = list(made.outputs)
    extra = outputs.pop(new)
    extra.name = Writer(graph).name()
    for old, value in zip(node.outputs, outputs, strict=True):
        value.name, value.type, value.shape = old.name, old.type, old.shape
    graph.insert_before(node, made)
    ir.convenience.replace_all_uses_with(node.outputs, outputs, replace_graph_outputs=True)
    graph.remove(node, safe=True)
    return made


def collect(
    model: ir.Model, rows: Rows, combine: str, width: int, dtype: Any = np.float32, beside: str = ""
) -> list[Any]:
    """Have a model tell of its values, in an output `ROWS` of shape [keys, width].

    Parameters
    ----------
    model : onnx_ir.Model
        Without local functions; it is changed.
    rows : callable
    combine : {"Max", "Add"}
        What is made of the rows of a loop's rounds; rows of "Max" are at least 0.
    width : int
        How many numbers a row has.
    dtype : dtype
        Of these.
    beside : str
        The name of another output that stays; no others do.

    Returns
    -------
    list of keys
        As `rows` has them, in the order of the output.
    """
    keys, found = _Collector(rows, combine, width, dtype).of(model.graph)
    if found is None:
        return []
    found.name, found.type = ROWS, ir.TensorType(ir.DataType.from_numpy(np.dtype(dtype)))
    found.shape = ir.Shape([len(keys), width])
    model.graph.outputs[:] = [found, *(value for value in model.graph.outputs if value.name == beside)]
    return keys


__all__ = ["ROWS", "Writer", "bodies", "collect", "graphs_of"]
