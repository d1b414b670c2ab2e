"""A program with other types of its values: sizes that are known now, or floats of fewer bits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensors.tensor_type import TensorType

ChangeType = Callable[[TensorType], TensorType]
ChangeNode = Callable[[Node, Node], Node]


def retyped(program: GraphProgram, change: ChangeType, change_node: ChangeNode | None = None) -> GraphProgram:
    """The same program over new values.

    Parameters
    ----------
    program : GraphProgram
    change : callable
        The new type of a value, for its type.
    change_node : callable, optional
        The node to take for an old node and its copy over new values.
    """
    return replace(program, graph=_Copy(change, change_node or (lambda _, new: new)).graph(program.graph))


def with_sizes(program: GraphProgram, sizes: Mapping[str, Dim]) -> GraphProgram:
    """The program with some names of dims as sizes."""

    def change(type_: TensorType) -> TensorType:
        return replace(type_, shape=tuple(size.substitute(sizes) for size in type_.shape))

    def change_node(_: Node, new: Node) -> Node:
        attrs = {name: _put_in(value, sizes) for name, value in new.attrs.items()}
        return replace(new, attrs=attrs) if new.attrs else new

    return retyped(program, change, change_node)


def _put_in(value: Any, sizes: Mapping[str, Dim]) -> Any:
    if isinstance(value, Dim):
        return value.substitute(sizes)
    if type(value) in (tuple, list):
        return type(value)(_put_in(part, sizes) for part in value)
    return value


class _Copy:
    def __init__(self, change: ChangeType, change_node: ChangeNode):
        self.change, self.change_node = change, change_node
        self.values: dict[Value, Value] = {}

    def value(self, old: Value) -> Value:
        if old not in self.values:
            self.values[old] = Value(old.name, self.change(old.type))
        return self.values[old]

    def graph(self, old: Graph) -> Graph:
        inputs = [self.value(v) for v in old.inputs]
        nodes = [self.node(node) for node in old.nodes]
        return Graph(inputs, nodes, [self.value(v) for v in old.outputs])

    def node(self, old: Node) -> Node:
        inputs = [self.value(v) for v in old.inputs]
        regions = [self.graph(region) for region in old.regions]
        outputs = [self.value(v) for v in old.outputs]
        return self.change_node(old, replace(old, inputs=inputs, outputs=outputs, regions=regions))


__all__ = ["retyped", "with_sizes"]
