"""Functions that were inlined several times, as functions of the model.

    y = f(f(x))        Mul, Add, Mul, Add      ->      f, f      and once      f(x): Mul, Add

Nodes know the calls through which they were inlined.  What several calls have made that is the same but for
what goes in becomes one function, and each of them a node.  A function is made only where the model gets
smaller.  Functions may call functions: the innermost calls are looked at first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, TypeAlias

import onnx_ir as ir

from graph_program.backends.onnx.pruning import used_initializers
from graph_program.extract.diagnostics import Loc
from graph_program.extract.records import dataclass

DOMAIN = "graph_program.functions"
EMBEDDED = 64
"""Bytes of a constant that each function may have of its own; larger ones are passed to it."""
OVERHEAD = 16
"""About how many bytes a node or function takes besides its names."""

Call: TypeAlias = tuple[int, ...]
"""The call sites that code was inlined through, outermost first, each by its identity."""


def make_local_functions(model: ir.Model, places: Mapping[ir.Node, Loc]) -> Mapping[ir.Node, Sequence[Loc]]:
    """Turn what repeated calls have made into local functions.

    Parameters
    ----------
    model : onnx_ir.Model
        Changed in place.
    places : mapping of onnx_ir.Node to Loc
        Where each node comes from.

    Returns
    -------
    mapping of onnx_ir.Node to sequence of Loc
        Of each node, the calls through which it was inlined, outermost first, and its place; of one in a function,
        the calls inside of that.
    """
    outliner = _Outliner(model, {node: loc.chain[::-1] for node, loc in places.items()})
    deepest = max((len(chain) for chain in outliner.chains.values()), default=1)
    for depth in range(deepest - 1, 0, -1):
        while outliner.outline(depth):
            pass
    if model.functions:
        outliner.finish()
    return outliner.chains


@dataclass(eq=False)
class _Body:
    """What one call has made in one graph."""

    graph: ir.Graph
    nodes: list[ir.Node]
    span: Sequence[ir.Node]
    """The graph's nodes from its first to its last one."""
    chain: Sequence[Loc]
    """Call sites, and then a place in the function itself."""
    inputs: list[ir.Value] = field(default_factory=list)
    made: list[ir.Value] = field(default_factory=list)
    """All values made by the nodes themselves, inner graphs not included."""

    @property
    def operations(self) -> Any:
        """Equal for bodies that have equal keys, and sooner known."""
        return tuple(node.op_identifier() for node in self.nodes)

    @cached_property
    def key(self) -> Any:
        """Equal for bodies that differ at most in what goes in, not in its types; fills `inputs` and `made`."""
        numbering = _Numbering()
        nodes = tuple(map(numbering.node, self.nodes))
        key = (nodes, tuple(map(_type_of, numbering.inputs)))  # values in a function have one type each
        self.inputs = numbering.inputs
        self.made = [value for node in self.nodes for value in node.outputs]
        return key

    @cached_property
    def members(self) -> set[ir.Node]:
        """The nodes, and those of their inner graphs."""
        return set(_walk(self.nodes))

    @cached_property
    def size(self) -> int:
        return sum(ir.serde.serialize_node(node).ByteSize() for node in self.nodes)

    def is_used(self, number: int) -> bool:
        """Whether a value that it makes is read outside."""
        value = self.made[number]
        return value.is_graph_output() or any(use.node not in self.members for use in value.uses())

    def is_convex(self) -> bool:
        """Whether nothing that it reads depends on what it makes by way of other nodes."""
        ours = set(self.nodes)
        tainted: set[ir.Value] = set()
        for node in self.span:
            reads = {value for inner in _walk([node]) for value in inner.inputs if value is not None}
            if node in ours:
                if not tainted.isdisjoint(reads):
                    return False
            elif not tainted.isdisjoint(reads) or any(value.producer() in ours for value in reads):
                tainted.update(node.outputs)
        return True


class _Numbering:
    """Numbers values in order of appearance, so that equal code gets equal text."""

    def __init__(self) -> None:
        self.numbers: dict[ir.Value | None, int] = {None: -1}
        self.inputs: list[ir.Value] = []

    def node(self, node: ir.Node) -> Any:
        inputs = tuple(map(self._read, node.inputs))
        attributes = tuple(self._attribute(a) for a in sorted(node.attributes.values(), key=lambda a: a.name))
        self._define(node.outputs)
        return (*node.op_identifier(), inputs, attributes, len(node.outputs))

    def _define(self, values: Sequence[ir.Value]) -> None:
        for value in values:
            self.numbers[value] = len(self.numbers)

    def _read(self, value: ir.Value | None) -> int:
        if value is not None and value not in self.numbers:
            self.inputs.append(value)
            self._define([value])
        return self.numbers[value]

    def _attribute(self, attribute: ir.Attr) -> Any:
        if attribute.type == ir.AttributeType.GRAPH:
            graph = attribute.as_graph()
            self._define(graph.inputs)
            nodes = tuple(map(self.node, graph))
            types = tuple((str(v.type), str(v.shape)) for v in graph.inputs)
            return attribute.name, types, nodes, tuple(map(self._read, graph.outputs))
        if attribute.type == ir.AttributeType.TENSOR:
            tensor = attribute.as_tensor()
            return attribute.name, str(tensor.dtype), str(tensor.shape), tensor.tobytes()
        return attribute.name, attribute.type, attribute.value


class _Outliner:
    def __init__(self, model: ir.Model, chains: dict[ir.Node, Sequence[Loc]]):
        self.model = model
        self.chains = chains
        self.names: Counter[str] = Counter()
        self.replaced: dict[ir.Value, ir.Value] = {}
        """For a value of a body: that of the call."""
        self.changed: set[ir.Node] = set()
        """What is no longer as it was when the bodies were found, or new."""

    def outline(self, depth: int) -> bool:
        """Make functions of what calls at this depth have made; whether some are left that had others inside."""
        left = False
        for same in self.alike(depth):
            found = [body for body in same if self.changed.isdisjoint(body.members)]
            left |= len(found) < len(same)
            if len(found) < 2:
                continue
            outputs = [i for i in range(len(found[0].made)) if any(body.is_used(i) for body in found)]
            if _gain(found, outputs) > 0:
                self.replace(found, outputs, depth)
        if self.changed:
            self.changed.clear()
            self.model.graph.sort()  # what read a body's first results may stand before its last node
        return left

    def alike(self, depth: int) -> list[list[_Body]]:
        """What several calls at this depth have made that is the same."""
        candidates = _groups(self.bodies(self.model.graph, depth, None), lambda body: body.operations)
        connected = (body for same in candidates for body in same if body.is_convex())
        return _groups(connected, lambda body: body.key)

    def bodies(self, graph: ir.Graph, depth: int, around: Call | None) -> Iterator[_Body]:
        """What each call has made, graph by graph; `around` is the call that made the graph itself."""
        groups: dict[Call, list[int]] = {}
        order = list(graph)
        for position, node in enumerate(order):
            call = self._call(node, depth)
            if call is not None and call != around:
                groups.setdefault(call, []).append(position)
            for inner in _inner_graphs(node):
                yield from self.bodies(inner, depth, call or around)
        for found in groups.values():
            nodes = [order[position] for position in found]
            yield _Body(graph, nodes, order[found[0] : found[-1] + 1], self.chains[nodes[0]])

    def _call(self, node: ir.Node, depth: int) -> Call | None:
        chain = self.chains.get(node, ())
        return tuple(map(id, chain[:depth])) if len(chain) > depth else None

    def replace(self, found: list[_Body], outputs: list[int], depth: int) -> None:
        """One function, and calls of it in place of the nodes."""
        first = found[0]
        embedded = {i for i in range(len(first.inputs)) if _is_embedded(found, i)}
        passed = [i for i in range(len(first.inputs)) if i not in embedded]
        name = self._name(first.chain[depth].function)
        for body in found:
            call = ir.Node(
                DOMAIN,
                name,
                [self._present(body.inputs[i]) for i in passed],
                outputs=[_like(body.made[i]) for i in outputs],
                name=f"{name}_{body.made[outputs[0]].name}" if outputs else name,
            )
            call.metadata_props["source"] = body.chain[depth - 1].where
            self.chains[call] = body.chain[:depth]
            self.changed |= {*body.members, call}
            body.graph.insert_after(body.nodes[-1], call)
            for number, value in zip(outputs, call.outputs, strict=True):
                self._reconnect(body, body.made[number], value)
            body.graph.remove(body.nodes)
            if body is not first:
                _detach(body.members)
        self._define(first, name, passed, embedded, outputs, depth)

    def _name(self, qualified: str) -> str:
        name = qualified.rpartition(".")[2]
        name = name if name.isidentifier() else "function"
        self.names[name] += 1
        return name if self.names[name] == 1 else f"{name}_{self.names[name]}"

    def _reconnect(self, body: _Body, old: ir.Value, new: ir.Value) -> None:
        """What reads a value outside of the body reads that of the call."""
        self.replaced[old] = new
        for node, index in list(old.uses()):
            if node not in body.members:
                node.replace_input_with(index, new)
        for index, output in enumerate(body.graph.outputs):
            if output is old:
                body.graph.outputs[index] = new

    def _present(self, value: ir.Value) -> ir.Value:
        return self._present(self.replaced[value]) if value in self.replaced else value

    def _define(
        self, body: _Body, name: str, passed: list[int], embedded: set[int], outputs: list[int], depth: int
    ) -> None:
        inputs = list(map(self._present, body.inputs))
        parameters = [_like(inputs[i]) for i in passed]
        constants = [_constant(inputs[i]) for i in sorted(embedded)]
        new = dict(zip((inputs[i] for i in passed), parameters, strict=True))
        new |= {inputs[i]: node.outputs[0] for i, node in zip(sorted(embedded), constants, strict=True)}
        for node in body.members:
            chain = self.chains.get(node, ())
            if len(chain) > depth:
                self.chains[node] = chain[depth:]
            for index, value in enumerate(node.inputs):
                if value in new:
                    node.replace_input_with(index, new[value])
        graph = ir.Graph(
            parameters,
            [body.made[i] for i in outputs],
            nodes=[*constants, *body.nodes],
            opset_imports={**self.model.graph.opset_imports, DOMAIN: 1},
            name=name,
            doc_string=f"{body.chain[depth].function}, from {body.chain[depth].where}",
        )
        for node in _walk(graph):
            for value in node.outputs:
                value.shape = None  # each call has sizes of its own
        function = ir.Function(DOMAIN, name, graph=graph, attributes=[])
        self.model.functions[function.identifier()] = function

    def finish(self) -> None:
        """Leave out constants that only functions use."""
        graph = self.model.graph
        graph.opset_imports[DOMAIN] = 1
        used = set(used_initializers(list(graph.initializers.values()), list(graph), list(graph.outputs)))
        for name, value in list(graph.initializers.items()):
            if value not in used:
                del graph.initializers[name]


def _groups(bodies: Iterable[_Body], key: Callable[[_Body], Any]) -> list[list[_Body]]:
    """Those of which there are several by a key."""
    found: dict[Any, list[_Body]] = {}
    for body in bodies:
        found.setdefault(key(body), []).append(body)
    return [same for same in found.values() if len(same) > 1]


def _detach(nodes: set[ir.Node]) -> None:
    """Let removed nodes read nothing any more."""
    for node in nodes:
        for index in range(len(node.inputs)):
            node.replace_input_with(index, None)


def _gain(found: list[_Body], outputs: list[int]) -> int:
    """About how many bytes a function saves."""
    first = found[0]
    inside = sum(_bytes(v) + OVERHEAD for i, v in enumerate(first.inputs) if _is_embedded(found, i))
    calls = 0
    for body in found:
        passed = [v for i, v in enumerate(body.inputs) if not _is_embedded(found, i)]
        names = [*passed, *(body.made[i] for i in outputs)]
        calls += sum(len(v.name or "") + 2 for v in names) + len(DOMAIN) + len(first.chain[0].where) + 2 * OVERHEAD
    definition = inside + first.size + calls // len(found) + OVERHEAD
    return sum(body.size for body in found) - calls - definition


def _is_embedded(found: list[_Body], number: int) -> bool:
    """Whether an input is the same small constant for all."""
    value = found[0].inputs[number]
    same = all(body.inputs[number] is value for body in found)
    return same and value.const_value is not None and value.producer() is None and _bytes(value) <= EMBEDDED


def _bytes(value: ir.Value) -> int:
    return 0 if value.const_value is None else value.const_value.nbytes


def _type_of(value: ir.Value) -> str:
    """The element type, and whether it is a sequence of such."""
    if value.const_value is not None:
        return str(ir.TensorType(value.const_value.dtype))
    return str(value.type)


def _constant(value: ir.Value) -> ir.Node:
    """A node that makes the same constant."""
    assert value.const_value is not None
    attribute = ir.AttrTensor("value", ir.Tensor(value.const_value.numpy()))
    return ir.Node("", "Constant", [], [attribute], outputs=[ir.Value(name=value.name, type=value.type)])


def _like(value: ir.Value) -> ir.Value:
    return ir.Value(name=value.name, type=value.type, shape=value.shape)


def _inner_graphs(node: ir.Node) -> Iterator[ir.Graph]:
    for attribute in node.attributes.values():
        if attribute.type == ir.AttributeType.GRAPH:
            yield attribute.as_graph()


def _walk(nodes: Iterator[ir.Node] | Sequence[ir.Node] | ir.Graph) -> Iterator[ir.Node]:
    """Nodes and those of inner graphs."""
    for node in nodes:
        yield node
        for graph in _inner_graphs(node):
            yield from _walk(graph)


__all__ = ["DOMAIN", "make_local_functions"]
