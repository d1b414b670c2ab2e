"""Sums of what a mask selects are made without selecting it.

    place = nonzero(mask)                       count, total = sum_where(mask, x)
    part = take(x, place[0])          to
    total, count = sum(part), part.shape[0]

One walk counts and one adds, where there were two for the places, one for the elements and one for the sum.
"""

from __future__ import annotations

from collections.abc import Mapping

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.types.tensors.tensor_type import INT64, TensorType

SUM_WHERE = "sum_where"
DTYPES = ("float32", "float64", "int64")
Users = Mapping[Value, list[Node | None]]


def masked_sums(program: GraphProgram) -> None:
    """Replace selections that are only added up and counted, in place."""
    users: dict[Value, list[Node | None]] = {}
    graphs = list(_graphs(program.graph))
    for graph in graphs:
        for node in graph.nodes:
            for value in node.inputs:
                users.setdefault(value, []).append(node)
        for value in graph.outputs:
            users.setdefault(value, []).append(None)
    for graph in graphs:
        for node in [node for node in graph.nodes if node.op == "nonzero" and node.inputs[0].type.rank == 1]:
            _replace(graph, graphs, node, users)


def _graphs(graph: Graph) -> list[Graph]:
    return [graph, *(inner for node in graph.nodes for region in node.regions for inner in _graphs(region))]


def _replace(graph: Graph, graphs: list[Graph], nonzero: Node, users: Users) -> None:
    places = users.get(nonzero.outputs[0], [])
    is_one = len(places) == 1 and places[0] is not None and places[0].op == "take" and not places[0].attrs["axis"]
    if not is_one or places[0] is None or places[0] not in graph.nodes or places[0].inputs[1].type.rank:
        return
    takes = users.get(places[0].outputs[0], [])
    parts = [take for take in takes if take is not None and _is_added_up(graph, take, places[0].outputs[0], users)]
    if not parts or len(parts) < len(takes):
        return
    for take in parts:
        _add_up(graph, graphs, nonzero.inputs[0], take, users)
    graph.nodes = [node for node in graph.nodes if node is not nonzero and node is not places[0]]


def _is_added_up(graph: Graph, take: Node, places: Value, users: Users) -> bool:
    """Whether elements of a vector are selected, added up and counted, and nothing else."""
    if take.op != "take" or take not in graph.nodes or take.inputs[0].type.rank != 1 or take.inputs[0] is places:
        return False
    found = users.get(take.outputs[0], [])
    sums = [node for node in found if node is not None and node.op == "sum" and not node.attrs["keepdims"]]
    others = [node for node in found if node not in sums]
    dtypes = {take.inputs[0].type.dtype.name, *(node.outputs[0].type.dtype.name for node in sums)}
    is_inside = all(node in graph.nodes for node in sums)
    return len(sums) == 1 and is_inside and len(dtypes) == 1 and dtypes <= {*DTYPES} and all(map(_counts, others))


def _counts(node: Node | None) -> bool:
    return node is not None and node.op == "dim"


def _add_up(graph: Graph, graphs: list[Graph], mask: Value, take: Node, users: Users) -> None:
    """Where the elements were selected, count and add them up."""
    part = take.outputs[0]
    total = next(node for node in users[part] if node is not None and node.op == "sum")
    count = Value(f"{part.name}.count", TensorType(INT64, ()))
    node = Node(SUM_WHERE, [mask, take.inputs[0]], [count, total.outputs[0]], loc=total.loc)
    place = graph.nodes.index(take)
    graph.nodes[place : place + 1] = [node]
    counts = {value for other in users[part] if other is not None and other is not total for value in other.outputs}
    for other in graphs:
        other.nodes = [node for node in other.nodes if node is not total and counts.isdisjoint(node.outputs)]
        other.outputs = [count if value in counts else value for value in other.outputs]
        for node in other.nodes:
            node.inputs = [count if value in counts else value for value in node.inputs]


__all__ = ["SUM_WHERE", "masked_sums"]
