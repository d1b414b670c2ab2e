"""Branches on one condition are one branch.

    a = If(c): x / y                            a, b = If(c): x, z / y, w
    b = If(c): z / w                 ->

A choice of floats is a branch in onnxruntime, and so is one between looking for NaN and not doing so: where several
are made by one condition, it is asked once, and what their sides have in common is computed once.  Runtimes that are
not known to take branches of several outputs have them as they are.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, MutableMapping

import onnx_ir as ir

from graph_program.backends.onnx.pruning import read_values
from graph_program.backends.onnx.sharing import NOT_SHARED
from graph_program.extract.diagnostics import Loc
from graph_program.extract.types.dims import Dim

SIDES = ("then_branch", "else_branch")


def merge_branches(
    graph: ir.Graph, shapes: MutableMapping[ir.Value, tuple[Dim, ...]], places: MutableMapping[ir.Node, Loc]
) -> None:
    """Make one of branches on one condition, in a graph and its inner graphs, in place.

    Parameters
    ----------
    graph : onnx_ir.Graph
    shapes : mapping of onnx_ir.Value to tuple of Dim
        Shapes by the program's types; kept for the outputs of new nodes.
    places : mapping of onnx_ir.Node to Loc
        Where each node comes from; what several calls have made is not merged.
    """
    _Merge(shapes, places).graph(graph)


class _Merge:
    def __init__(self, shapes: MutableMapping[ir.Value, tuple[Dim, ...]], places: MutableMapping[ir.Node, Loc]):
        self.shapes, self.places = shapes, places

    def graph(self, graph: ir.Graph) -> None:
        while self._merged_one(graph):
            pass
        for node in graph:
            for inner in inner_graphs(node):
                self.graph(inner)

    def _merged_one(self, graph: ir.Graph) -> bool:
        nodes = list(graph)
        found: dict[Hashable, int] = {}
        for place, node in enumerate(nodes):
            if node.op_type != "If" or node.domain:
                continue
            key = (node.inputs[0], self._calls(node))
            first = found.setdefault(key, place)
            if first == place:
                continue
            between = nodes[first : place + 1]
            if _can_rise(between) or _can_sink(between):
                self._merge(graph, nodes[first], node, nodes[first] if _can_rise(between) else node)
                return True
            found[key] = place
        return False

    def _calls(self, node: ir.Node) -> Hashable:
        loc = self.places.get(node)
        return None if loc is None else tuple(map(id, loc.chain[1:]))

    def _merge(self, graph: ir.Graph, first: ir.Node, second: ir.Node, place: ir.Node) -> None:
        """Put a node for both where one of them stands."""
        for kept, moved in zip(inner_graphs(first), inner_graphs(second), strict=True):
            _append(kept, moved)
        old = [*first.outputs, *second.outputs]
        new = [ir.Value(name=value.name, type=value.type, shape=value.shape) for value in old]
        made = ir.Node("", "If", first.inputs, first.attributes.values(), outputs=new, name=first.name)
        made.metadata_props.update(first.metadata_props)
        if first in self.places:
            self.places[made] = self.places.pop(first)
        self.places.pop(second, None)
        graph.insert_before(place, made)
        for before, after in zip(old, new, strict=True):
            _replace(before, after)
            graph.outputs[:] = [after if value is before else value for value in graph.outputs]
            if before in self.shapes:
                self.shapes[after] = self.shapes[before]
        graph.remove([first, second], safe=True)


def inner_graphs(node: ir.Node) -> list[ir.Graph]:
    """The graphs of a node; of a branch the one that is taken where the condition holds, then the other."""
    if node.op_type == "If":
        return [node.attributes[side].as_graph() for side in SIDES]
    return [a.as_graph() for a in node.attributes.values() if a.type == ir.AttributeType.GRAPH]


def _can_rise(nodes: list[ir.Node]) -> bool:
    """Whether the last node reads nothing that the others make."""
    made = {value for node in nodes[:-1] for value in node.outputs}
    return made.isdisjoint(_reads(nodes[-1])) and _is_plain(nodes[-1])


def _can_sink(nodes: list[ir.Node]) -> bool:
    """Whether the others read nothing that the first node makes."""
    made = set(nodes[0].outputs)
    return all(made.isdisjoint(_reads(node)) for node in nodes[1:]) and _is_plain(nodes[0])


def _reads(node: ir.Node) -> set[ir.Value]:
    read = {value for value in node.inputs if value is not None}
    for graph in inner_graphs(node):
        read |= read_values(graph) | set(graph.outputs)
    return read


def _is_plain(node: ir.Node) -> bool:
    """Whether a node has standard operators only, which take no part in the order of effects."""
    return not node.domain and all(_is_plain(inner) for graph in inner_graphs(node) for inner in graph)


def _append(kept: ir.Graph, moved: ir.Graph) -> None:
    """Take the nodes and outputs of a graph into another one, but for what that computes already."""
    computed = dict(_keys(kept))
    nodes, outputs = list(moved), list(moved.outputs)
    moved.outputs.clear()
    moved.remove(nodes)
    for node in nodes:
        known = computed.get(_key(node))
        if known is None or not set(outputs).isdisjoint(node.outputs):
            kept.append(node)
            continue
        for before, after in zip(node.outputs, known.outputs, strict=True):
            _replace(before, after)
    kept.outputs.extend(outputs)


def _replace(old: ir.Value, new: ir.Value) -> None:
    for node, position in list(old.uses()):
        node.replace_input_with(position, new)


def _keys(nodes: Iterable[ir.Node]) -> Iterator[tuple[Hashable, ir.Node]]:
    for node in nodes:
        key = _key(node)
        if key is not None:
            yield key, node


def _key(node: ir.Node) -> Hashable | None:
    """What is equal for nodes that compute the same; None for one that is not to be shared."""
    attributes = node.attributes.values()
    if node.domain or node.op_type in NOT_SHARED or any(a.type not in _SIMPLE for a in attributes):
        return None
    return node.op_type, tuple(node.inputs), tuple(sorted((a.name, str(a.value)) for a in attributes))


_SIMPLE = frozenset([ir.AttributeType.INT, ir.AttributeType.INTS, ir.AttributeType.STRING])

__all__ = ["inner_graphs", "merge_branches"]
