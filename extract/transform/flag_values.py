"""Which truths say that a run has failed: where one of them is ever true, a repeated run tells the error.

    h = bitwise_or(g, bad)          g and bad, as h is where they are
    give not h, h, ...              g, as a round gives what it was given, or true

Nobody reads what else a run gives in which one of them is true (`control/replayed_checks`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.opposites import are_opposite


def flags_of(program: GraphProgram) -> set[Value]:
    """The truths of a program that imply that it has failed; none if no error of its is told by a repeated run.

    In a side of a branch, or in a round, more may imply it than outside: a truth from outside does so only if it
    does in any case.
    """
    makers, homes = program.graph.makers(), _homes(program.graph)
    told = list(_told(program, makers))
    work, found = [(value, program.graph) for value in told], set[Value]()
    while work:
        value, here = work.pop()
        if value in found:
            continue
        if homes.get(value, program.graph) is here or all(_follows(flag, value, makers) for flag in told):
            found.add(value)
            work += _implying(value, makers, homes, program.graph)
    return found


def _homes(graph: Graph) -> dict[Value, Graph]:
    """The graph that each value is of."""
    found = dict.fromkeys(graph.inputs, graph)
    for node in graph.nodes:
        found.update(dict.fromkeys(node.outputs, graph))
        for region in node.regions:
            found.update(_homes(region))
    return found


def _told(program: GraphProgram, makers: Mapping[Value, Node]) -> Iterator[Value]:
    """The flag for which the number of a repeated run is chosen."""
    numbers = [number for number, info in enumerate(program.errors, 1) if info.replayed]
    node = makers.get(program.graph.outputs[len(program.output_names)]) if numbers else None
    chosen = makers.get(node.inputs[1]) if node is not None and node.op == "where" else None
    if node is not None and chosen is not None and chosen.op == "constant" and int(chosen.attrs["value"]) in numbers:
        yield node.inputs[0]


def _implying(
    value: Value, makers: Mapping[Value, Node], homes: Mapping[Value, Graph], outermost: Graph
) -> list[tuple[Value, Graph]]:
    """Truths that imply another one, each with the graph in whose rounds, or on whose side, it does."""
    node, here = makers.get(value), homes.get(value, outermost)
    if node is None:
        return []
    if node.op == "bitwise_or":
        return [(operand, here) for operand in node.inputs]
    place = node.outputs.index(value)
    if node.op == "if":
        return [(region.outputs[place], region) for region in node.regions]
    if node.op == "loop" and is_kept(node, place, makers):
        body = node.regions[0]
        return [(node.inputs[place + 2], here), (body.inputs[place + 1], body), (body.outputs[place + 1], body)]
    return []


def is_kept(loop: Node, place: int, makers: Mapping[Value, Node]) -> bool:
    """Whether what a loop carries in a place stays true once it is."""
    body = loop.regions[0]
    return _follows(body.outputs[place + 1], body.inputs[place + 1], makers)


def _follows(value: Value, given: Value, makers: Mapping[Value, Node], found: dict[Value, bool] | None = None) -> bool:
    """Whether a truth is true wherever another one is; `found` is what is known by now, of what many are made of."""
    found = {} if found is None else found
    if value not in found:
        found[value] = _made_of(value, given, makers, found)
    return found[value]


def _made_of(value: Value, given: Value, makers: Mapping[Value, Node], found: dict[Value, bool]) -> bool:
    node = makers.get(value)
    if value is given or node is None:
        return value is given
    if node.op == "bitwise_or":
        return any(_follows(operand, given, makers, found) for operand in node.inputs)
    place = node.outputs.index(value)
    if node.op == "if":
        return all(_follows(region.outputs[place], given, makers, found) for region in node.regions)
    if node.op == "loop":
        return is_kept(node, place, makers) and _follows(node.inputs[place + 2], given, makers, found)
    return False


def holds_unless_failed(
    condition: Value,
    flags: Collection[Value],
    maker: Callable[[Value], Node | None],
    constant: Callable[[Value], np.ndarray | None],
    holds: bool = True,
) -> bool:
    """Whether a condition holds, or does not, where no flag is true."""
    if condition in flags:
        return not holds
    known = constant(condition)
    if known is not None:
        return bool(known) is holds
    node = maker(condition)
    if node is not None and node.op == "invert":
        return holds_unless_failed(node.inputs[0], flags, maker, constant, not holds)
    if node is not None and node.op == ("bitwise_and" if holds else "bitwise_or"):
        return all(holds_unless_failed(value, flags, maker, constant, holds) for value in node.inputs)
    return node is not None and holds and any(_is_opposite(node, maker(flag)) for flag in flags)


def _is_opposite(node: Node, other: Node | None) -> bool:
    return other is not None and are_opposite(node, other)


__all__ = ["flags_of", "holds_unless_failed", "is_kept"]
