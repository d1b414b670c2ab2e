"""What only one side of a branch reads is computed there.

    t = multiply(x, 2.0)                if bad:
    if bad:                                 give y, 1
        give y, 1               to      else:
    else:                                   t = multiply(x, 2.0)
        u = add(y, t)                       u = add(y, t)
        give u, 0                           give u, 0

A check between two operations on arrays would else have the first one's result put into memory.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value

STAY = ("if", "loop", "constant", "placeholder", "dim", "full", "iota")
"""An array of a size that nothing has yet may be too large, which is said where the program makes it."""
WRITES = ("set_index", "set_slice", "scatter_nd", "scatter_add", "concatenate")
"""What is computed behind one of these from before would keep what is written over."""


def sink(program: GraphProgram) -> None:
    """Compute arrays where they are read, in place."""
    _sink(program.graph)


def _sink(graph: Graph) -> None:
    users = _users(graph)
    latest: dict[int, int] = {}
    """For each node, how many nodes before it write."""
    writes = 0
    for node in graph.nodes:
        latest[id(node)] = writes
        writes += _writes(node)
    moved: dict[Graph, list[Node]] = {}
    for node in reversed(graph.nodes):
        target = _target(node, users)
        if target is None or latest[id(target[0])] != latest[id(node)]:
            continue
        branch, region = target
        moved.setdefault(region, []).append(node)
        for value in node.inputs:  # is now read there
            users[value] = [(reader, inner) for reader, inner in users[value] if reader is not node]
            users[value].append((branch, region))
    gone = {id(node) for nodes in moved.values() for node in nodes}
    graph.nodes = [node for node in graph.nodes if id(node) not in gone]
    for region, nodes in moved.items():
        region.nodes[:0] = nodes[::-1]
    for node in graph.nodes:
        for region in node.regions:
            _sink(region)


def _target(node: Node, users: dict[Value, list[tuple[Node | None, Graph | None]]]) -> tuple[Node, Graph] | None:
    """The branch, and the side of it, that alone reads what a node makes."""
    if node.op in STAY or node.op in WRITES or not all(value.type.rank for value in node.outputs):
        return None
    found = {(id(reader), id(region)): (reader, region) for o in node.outputs for reader, region in users.get(o, [])}
    if len(found) != 1:
        return None
    reader, region = next(iter(found.values()))
    return (reader, region) if reader is not None and reader.op == "if" and region is not None else None


def _users(graph: Graph) -> dict[Value, list[tuple[Node | None, Graph | None]]]:
    """For each value the nodes of a graph that read it, and in which of their inner graphs."""
    users: dict[Value, list[tuple[Node | None, Graph | None]]] = {}
    for node in graph.nodes:
        for value in node.inputs:
            users.setdefault(value, []).append((node, None))
        for region in node.regions:
            for value in _read(region):
                users.setdefault(value, []).append((node, region))
    for value in graph.outputs:
        users.setdefault(value, []).append((None, None))
    return users


def _read(graph: Graph) -> set[Value]:
    """What a graph and its inner ones read."""
    found = {*graph.outputs}
    for node in graph.nodes:
        found.update(node.inputs)
        for region in node.regions:
            found |= _read(region)
    return found


def _writes(node: Node) -> bool:
    return node.op in (*WRITES, "loop") or any(_writes(inner) for region in node.regions for inner in region.nodes)


__all__ = ["sink"]
