"""Which values are read by nobody but whoever is told of an error: its number, and what its message says.

    e, a, y = loop(k < n) with e = 0, a = none, y = x:
        bad = k >= m
        give not bad, where(bad, 3, e), where(bad, k, a), step(y)
    return y, where(ended, e, 0), a                                 # e and a, not y

They go through choices and loops, but decide nothing, and nothing is computed of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.ir.reach import reached


def only_told(program: GraphProgram) -> set[Value]:
    """The values of a program that are only told with an error."""
    targets = defaultdict[Value, list[Value]](list)  # with what each is handed on from
    found, read = set(program.graph.outputs), set(program.graph.outputs[: len(program.output_names)])
    for node in program.graph.walk():
        handed = list(_handed_on(node))
        for source, target in handed:
            targets[target].append(source)
            found |= {source, target}
        read.update(_read(node))
    read = reached(read, targets)
    return found - read


def _handed_on(node: Node) -> Iterator[tuple[Value, Value]]:
    """What a choice, a branch or a loop hands on as it is, and as what."""
    if node.op == "where":
        yield from ((value, node.outputs[0]) for value in node.inputs[1:])
    elif node.op == "if":
        for region in node.regions:
            yield from zip(region.outputs, node.outputs, strict=True)
    elif node.op == "loop":
        body = node.regions[0]
        for given in (node.inputs[2:], body.outputs[1:]):
            yield from zip(given, body.inputs[1:], strict=True)
            yield from zip(given, node.outputs, strict=True)


def _read(node: Node) -> list[Value]:
    """What a node reads otherwise."""
    if node.op in ("where", "if"):
        return node.inputs[:1]
    if node.op == "loop":
        return [*node.inputs[:2], node.regions[0].outputs[0]]
    return node.inputs


__all__ = ["only_told"]
