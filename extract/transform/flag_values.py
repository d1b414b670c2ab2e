"""Which truths say that a run has failed: where one of them is ever true, a repeated run tells the error.

    h = bitwise_or(g, bad)          g and bad, as h is where they are
    give not h, h, ...              g, as a round gives what it was given, or true

Nobody reads what else a run gives in which one of them is true (`control/replayed_checks`).  Where only one side of a
branch reads `bad` of outside of it, it is none: it may be true where the other side is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value


def flags_of(program: GraphProgram) -> set[Value]:
    """The truths of a program that imply that it has failed; none if no error of its is told by a repeated run."""
    makers, homes = program.graph.makers(), _homes(program.graph)
    work: list[tuple[Value, dict[Graph, Value]]] = [(value, {}) for value in _told(program, makers)]
    found = set[Value]()
    while work:
        value, behind = work.pop()
        if value in found:
            continue
        home = homes[value]
        # A side of a branch reads what is true without it, and so does a loop that may have no rounds.
        if home in behind and not _follows(behind[home], value, makers):
            continue
        found.add(value)
        behind = {**behind, home: value}
        work += [(other, behind) for other in _implying(value, makers)]
    return found


def _homes(graph: Graph) -> dict[Value, Graph]:
    """The graph that gives or makes each value."""
    found = dict.fromkeys([*graph.inputs, *(value for node in graph.nodes for value in node.outputs)], graph)
    for node in graph.nodes:
        for region in node.regions:
            found |= _homes(region)
    return found


def _told(program: GraphProgram, makers: Mapping[Value, Node]) -> Iterator[Value]:
    """The flag for which the number of a repeated run is chosen."""
    numbers = [number for number, info in enumerate(program.errors, 1) if info.replayed]
    node = makers.get(program.graph.outputs[len(program.output_names)]) if numbers else None
    chosen = makers.get(node.inputs[1]) if node is not None and node.op == "where" else None
    if node is not None and chosen is not None and chosen.op == "constant" and int(chosen.attrs["value"]) in numbers:
        yield node.inputs[0]


def _implying(value: Value, makers: Mapping[Value, Node]) -> list[Value]:
    """Truths that imply another one."""
    node = makers.get(value)
    if node is None:
        return []
    if node.op == "bitwise_or":
        return list(node.inputs)
    place = node.outputs.index(value)
    if node.op == "if":
        return [region.outputs[place] for region in node.regions]
    if node.op == "loop" and _is_kept(node, place, makers):
        body = node.regions[0]
        return [node.inputs[place + 2], body.inputs[place + 1], body.outputs[place + 1]]
    return []


def _is_kept(loop: Node, place: int, makers: Mapping[Value, Node]) -> bool:
    """Whether what a loop carries in a place stays true once it is."""
    body = loop.regions[0]
    return _follows(body.outputs[place + 1], body.inputs[place + 1], makers)


def _follows(value: Value, given: Value, makers: Mapping[Value, Node]) -> bool:
    """Whether a truth is true wherever another one is."""
    node = makers.get(value)
    if value is given or node is None:
        return value is given
    if node.op == "bitwise_or":
        return any(_follows(operand, given, makers) for operand in node.inputs)
    place = node.outputs.index(value)
    if node.op == "if":
        return all(_follows(region.outputs[place], given, makers) for region in node.regions)
    if node.op == "loop":
        return _is_kept(node, place, makers) and _follows(node.inputs[place + 2], given, makers)
    return False


__all__ = ["flags_of"]
