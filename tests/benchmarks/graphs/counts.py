"""What a model consists of: nodes, with those of subgraphs and local functions, depth, and what is for errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import onnx
from onnx import AttributeProto, numpy_helper

Nodes = Iterable[onnx.NodeProto]
Key = tuple[str, str]
"""Domain and name of a local function."""
GRAPH = ("", "")
"""The key of the graph itself."""
CONSTANT = "Constant"
MOVES = frozenset({"Identity", CONSTANT})
"""Operators that compute nothing."""


@dataclass(frozen=True)
class Counts:
    """Figures of one model.

    Attributes
    ----------
    nodes : int
        Nodes of the graph, its subgraphs and its local functions; constants are none, wherever they stand.
    depth : int
        How many subgraphs the deepest one is in, itself included; a flat graph has 0.
    branches, identities : int
        `If` and `Identity` nodes.
    demanded : int
        Those `Identity` nodes that ONNX demands: what a graph gives has to be made in it, and is given once.
    one_sided : int
        `If` nodes of which one branch computes nothing.
    errors : int
        Those of them whose branch that computes nothing sets the output `error`. What tells with a number of its
        own that an error is to be set further out is not among them.
    """

    nodes: int
    depth: int
    branches: int
    identities: int
    demanded: int
    one_sided: int
    errors: int


def counted(model: onnx.ModelProto) -> Counts:
    """The figures of a model."""
    nodes = [(key, node) for key, body in _bodies(model).items() for node, _ in _nodes(body, 0)]
    operators = Counter(node.op_type for _, node in nodes if node.op_type != CONSTANT)
    branches = [(key, node) for key, node in nodes if node.op_type == "If"]
    errors = Errors(model)
    return Counts(
        nodes=operators.total(),
        depth=_depth(GRAPH, _bodies(model)),
        branches=len(branches),
        identities=operators["Identity"],
        demanded=_demanded(model.graph) + sum(map(_demanded, model.functions)),
        one_sided=sum(any(map(_computes_nothing, subgraphs(node))) for _, node in branches),
        errors=sum(errors.only(key, node) for key, node in branches),
    )


def subgraphs(node: onnx.NodeProto) -> list[onnx.GraphProto]:
    """The branches of an `If`, the body of a `Loop` or a `Scan`."""
    return [attribute.g for attribute in node.attribute if attribute.type == AttributeProto.GRAPH]


def _demanded(body: onnx.GraphProto | onnx.FunctionProto) -> int:
    """How many copies a body and its inner ones give of what they have not made themselves, or give twice."""
    made = {name for node in body.node for name in node.output}
    given = [output if isinstance(output, str) else output.name for output in body.output]
    sources = [node.input[0] for node in body.node if node.op_type == "Identity" and node.output[0] in given]
    own = sum(name not in made or name in given or sources.count(name) > 1 for name in sources)
    return own + sum(_demanded(inner) for node in body.node for inner in subgraphs(node))


def _bodies(model: onnx.ModelProto) -> dict[Key, Nodes]:
    """The nodes of the graph and of each local function, in which names are their own."""
    return {GRAPH: model.graph.node, **{(f.domain, f.name): f.node for f in model.functions}}


def _nodes(nodes: Nodes, depth: int) -> Iterator[tuple[onnx.NodeProto, int]]:
    """Each node, those of subgraphs included, and how deep it is."""
    for node in nodes:
        yield node, depth
        for graph in subgraphs(node):
            yield from _nodes(graph.node, depth + 1)


def _depth(key: Key, bodies: dict[Key, Nodes]) -> int:
    """The greatest depth, with functions where they are called."""
    called = ((depth, (node.domain, node.op_type)) for node, depth in _nodes(bodies[key], 0))
    return max((depth + (_depth(name, bodies) if name in bodies else 0) for depth, name in called), default=0)


def _computes_nothing(graph: onnx.GraphProto) -> bool:
    return all(node.op_type in MOVES for node in graph.node)


class Errors:
    """The values that become the output `error`: followed backwards through branches, loops, functions and choices."""

    def __init__(self, model: onnx.ModelProto) -> None:
        found = ((key, node) for key, body in _bodies(model).items() for node, _ in _nodes(body, 0))
        self._producers = {(key, name): node for key, node in found for name in node.output}
        self._constants = {tensor.name: tensor for tensor in model.graph.initializer}
        self._functions = {(f.domain, f.name): f for f in model.functions}
        self._values: set[tuple[Key, str]] = set()
        if any(output.name == "error" for output in model.graph.output):
            self._follow(GRAPH, "error")

    def only(self, key: Key, node: onnx.NodeProto) -> bool:
        """Whether a branch of an `If` does nothing but set the error; that there is none (0) does not set it."""
        places = [k for k, name in enumerate(node.output) if (key, name) in self._values]
        return any(
            _computes_nothing(graph) and any(not self._is_zero(key, graph.output[k].name) for k in places)
            for graph in subgraphs(node)
        )

    def _follow(self, key: Key, name: str) -> None:
        if (key, name) in self._values:
            return
        self._values.add((key, name))
        node = self._producers.get((key, name))
        if node is None:
            return
        place = list(node.output).index(name)
        for source in self._sources(node, place):
            self._follow(key, source)
        called = self._functions.get((node.domain, node.op_type))
        if called is not None:
            self._follow((node.domain, node.op_type), called.output[place])

    def _sources(self, node: onnx.NodeProto, place: int) -> list[str]:
        """The values of the same body of which an output of a node is one."""
        match node.op_type:
            case "If":
                return [graph.output[place].name for graph in subgraphs(node)]
            case "Loop":
                (body,) = subgraphs(node)
                return [*node.input[2 + place : 3 + place], body.output[1 + place].name]
            case "Identity":
                return list(node.input)
            case "Where":
                return list(node.input[1:])
        return []

    def _is_zero(self, key: Key, name: str) -> bool:
        node = self._producers.get((key, name))
        while node is not None and node.op_type == "Identity":
            name = node.input[0]
            node = self._producers.get((key, name))
        constant = node.attribute[0].t if node is not None and node.op_type == CONSTANT else None
        tensor = self._constants.get(name, constant)
        return tensor is not None and not numpy_helper.to_array(tensor).any()
