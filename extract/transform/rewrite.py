"""What the passes share: copying a graph, and walking it while values are replaced by others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from graph_program.extract.control.names import Names
from graph_program.extract.diagnostics import UNKNOWN, Loc
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.residual import Const
from graph_program.extract.transform.copies import copy_graph
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.tensor_type import TensorType


def copy_program(program: GraphProgram) -> GraphProgram:
    """The same program with graphs and nodes of its own; values are shared."""
    return replace(program, graph=copy_graph(program.graph))


class Rewriter:
    """Visits every node once, inputs already rewritten and inner graphs before their node.

    `visit` says what stands in the node's place; with `replace`, later uses of a value read another
    one.  Replacements must be visible wherever the value was.
    """

    def __init__(self, program: GraphProgram):
        self.program = program
        self.producer: dict[Value, Node] = {}
        self.depth = 0
        """How many loops there are around what is visited."""
        self._replaced: dict[Value, Value] = {}
        self._constants: dict[Const, Value] = {}
        self._new_constants: list[Node] = []

    @cached_property
    def names(self) -> Names:
        """For new values; those of the program at the time of the first one are taken."""
        return Names({value.name for value in self.program.graph.values()})

    def run(self) -> None:
        self.graph(self.program.graph)
        self.program.graph.nodes[:0] = self._new_constants

    def visit(self, node: Node) -> list[Node]:
        """The nodes that stand in for `node`, in order."""
        return [node]

    def graph(self, graph: Graph) -> None:
        nodes: list[Node] = []
        producer, visit = self.producer, self.visit
        for node in graph.nodes:
            if self._replaced:
                node.inputs = [self.resolve(value) for value in node.inputs]
            if node.regions:
                for number in range(len(node.regions)):
                    self.region(node, number)
            for kept in visit(node):
                for output in kept.outputs:
                    producer[output] = kept
                nodes.append(kept)
        graph.nodes = nodes
        graph.outputs = [self.resolve(value) for value in graph.outputs]

    def region(self, node: Node, number: int) -> None:
        """Go through an inner graph of a node."""
        self.depth += node.op == "loop"
        self.graph(node.regions[number])
        self.depth -= node.op == "loop"

    def replace(self, old: Value, new: Value) -> None:
        self._replaced[old] = new

    def resolve(self, value: Value) -> Value:
        while value in self._replaced:
            value = self._replaced[value]
        return value

    def constant_of(self, value: Value) -> np.ndarray | None:
        """The array, if the value is a constant."""
        node = self.producer.get(value)
        return node.attrs["value"] if node is not None and node.op == "constant" else None

    def integer_of(self, value: Value) -> int | None:
        """The number, if the value is a constant int64."""
        known = self.constant_of(value)
        return int(known) if known is not None and not known.ndim and known.dtype == np.int64 else None

    def made_by(self, value: Value, *ops: str) -> Node | None:
        """The node that makes a value, if it is one of these operations."""
        node = self.producer.get(value)
        return node if node is not None and node.op in ops else None

    def constant(self, array: np.ndarray, name: str = "constant") -> Value:
        """A constant at the top of the program."""
        key = Const(array)
        if key not in self._constants:
            value = Value(self.names.fresh(name), TensorType(array.dtype, tuple(map(dim, array.shape))))
            node = Node("constant", [], [value], {"value": array})
            self._constants[key] = value
            self._new_constants.append(node)
            self.producer[value] = node
        return self._constants[key]

    def integer(self, number: int) -> Value:
        """A constant int64."""
        return self.constant(np.array(number, np.int64), f"int_{number}".replace("-", "minus_"))

    def like(self, value: Value) -> Value:
        """Another value of the type of one, with a name like its name."""
        return Value(self.names.fresh(value.name), value.type)

    def append(
        self, nodes: list[Node], op: str, inputs: Sequence[Value], type_: TensorType, name: str, **attrs: Any
    ) -> Value:
        """What a new node gives, which is one more of some nodes."""
        nodes.append(self.node(op, inputs, Value(self.names.fresh(name), type_), attrs))
        return nodes[-1].outputs[0]

    def node(
        self,
        op: str,
        inputs: Sequence[Value],
        output: Value,
        attrs: Mapping[str, Any] | None = None,
        loc: Loc = UNKNOWN,
    ) -> Node:
        """A node that computes `output` in another way."""
        return Node(op, list(inputs), [output], attrs or {}, loc=loc)


def replace_values(graph: Graph, replaced: Mapping[Value, Value]) -> None:
    """Replace uses of values in a graph and in its inner graphs."""
    if not replaced:
        return
    graph.outputs = [replaced.get(value, value) for value in graph.outputs]
    for node in graph.walk():
        node.inputs = [replaced.get(value, value) for value in node.inputs]
        for region in node.regions:
            region.outputs = [replaced.get(value, value) for value in region.outputs]


def keep_outputs(node: Node, kept: Sequence[int]) -> None:
    """Leave an `if` or a loop only some of its outputs, by their numbers, and what gives and carries these."""
    first = 1 if node.op == "loop" else 0
    node.outputs = [node.outputs[i] for i in kept]
    for region in node.regions:
        region.outputs = [*region.outputs[:first], *(region.outputs[i + first] for i in kept)]
        if node.op == "loop":
            region.inputs = [*region.inputs[:1], *(region.inputs[i + 1] for i in kept)]
    if node.op == "loop":
        node.inputs = [*node.inputs[:2], *(node.inputs[i + 2] for i in kept)]


def defined_in(graphs: Sequence[Graph]) -> set[Value]:
    """The values that graphs and their inner ones define."""
    found: set[Value] = set()
    for graph in graphs:
        found.update(graph.inputs)
        for node in graph.walk():
            found.update(node.outputs)
            for region in node.regions:
                found.update(region.inputs)
    return found


def uses_of(graph: Graph) -> Counter[Value]:
    """How often each value is read, in inner graphs too."""
    found = Counter(graph.outputs)
    for node in graph.walk():
        found.update(node.inputs)
        for region in node.regions:
            found.update(region.outputs)
    return found


def read_by(nodes: Sequence[Node]) -> set[Value]:
    """What nodes read, in their inner graphs too."""
    return set(uses_of(Graph([], list(nodes), [])))


def needed(nodes: Sequence[Node], values: Iterable[Value]) -> list[Node]:
    """Those of some nodes of which values are made, in order."""
    wanted, found = set(values), []
    for node in reversed(nodes):
        if not wanted.isdisjoint(node.outputs):
            wanted |= read_by([node])
            found.append(node)
    return found[::-1]
