"""Which errors a graph may end with: those whose numbers may come out of it.

error = if(bad): 2 else 0                   2
total, error = loop(...): where(t, 1, 0)    1
"""

from __future__ import annotations

from graph_program.extract.ir.errors import ErrorInfo
from graph_program.extract.ir.graph import GraphProgram, Node, Value


def possible_errors(program: GraphProgram) -> list[ErrorInfo]:
    """The errors in the order of their numbers; all of them where a number is computed."""
    if not program.errors:
        return []
    makers = {output: (node, i) for node in program.graph.walk() for i, output in enumerate(node.outputs)}
    carried = {
        value: (node, i)
        for node in program.graph.walk()
        if node.op == "loop"
        for i, value in enumerate(node.regions[0].inputs[1:])
    }
    found: set[int] = set()
    seen: set[Value] = set()
    work = [program.graph.outputs[len(program.output_names)]]
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        node, place = makers.get(value) or carried.get(value) or (None, 0)
        if node is not None and node.op == "constant":
            found.add(int(node.attrs["value"]))
            continue
        given = None if node is None else sources(node, place)
        if given is None:
            return list(program.errors)
        work += given
    return [info for number, info in enumerate(program.errors, 1) if number in found]


def sources(node: Node, place: int) -> list[Value] | None:
    """The values of which one is what a node gives at a place; None where it computes another one."""
    match node.op:
        case "if":
            return [region.outputs[place] for region in node.regions]
        case "loop":
            return [node.inputs[2 + place], node.regions[0].outputs[1 + place]]
        case "where":
            return node.inputs[1:]
        case "placeholder":
            return []
    return None


__all__ = ["possible_errors", "sources"]
