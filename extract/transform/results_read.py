"""What of a loop's results is read where it ends in an error, and where it does not.

    good, e, y = loop(...)                      # good is false where it ends in an error
    error, z = if good: give 0, sqrt(y)         where it does, e is read, and z means nothing;
               else: give e, placeholder        else y is, and not e

Followed backwards from what is asked for, past the sides of branches that are not taken then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.truths import Truths


def read_of(program: GraphProgram, loop: Node, facts: Mapping[Value, bool], wanted: Iterable[Value]) -> set[int]:
    """The numbers of the outputs of a loop of which some values are made.

    Parameters
    ----------
    program : GraphProgram
    loop : Node
        In another loop, what it reads may be what it has given in a round before.
    facts : mapping of Value to bool
        Which outputs of the loop are not 0, and which are, in the case that is asked about.
    wanted : iterable of Value
    """
    makers = program.graph.makers()
    truths = Truths(makers, dict(facts))
    carriers = {value: node for node in program.graph.walk() if node.op == "loop" for value in node.regions[0].inputs}
    work = list(wanted)
    seen, found = set[Value](), set[int]()
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        node = makers.get(value)
        if node is loop:
            found.add(loop.outputs.index(value))
        if node is not None:
            work += _read(node, value, truths)
        elif value in carriers:
            node = carriers[value]
            place = node.regions[0].inputs.index(value)
            work += [node.inputs[0]] if not place else _carried(node, place - 1)
    return found


def outputs_read(program: GraphProgram, facts: Mapping[Value, bool]) -> list[Value]:
    """What is read of the results of a program, where values are 0 or not; what an error tells is not without one."""
    outputs, error = program.graph.outputs, len(program.output_names)
    told = {place for places in program.error_args for place in places}
    truths = Truths(program.graph.makers(), dict(facts))
    read = [value for place, value in enumerate(outputs) if place not in told]
    return read + [value for place in sorted(told) for value in _told(outputs[place], outputs[error], truths)]


def _told(value: Value, error: Value, truths: Truths) -> list[Value]:
    """What is read of what an error tells."""
    if truths.truth(error) is False:
        return []
    node = truths.makers.get(value)
    if node is None or node.op != "if" or error not in node.outputs:
        return [value]
    places = node.outputs.index(value), node.outputs.index(error)
    sides = [[region.outputs[place] for place in places] for region in node.regions]
    return [node.inputs[0], *(read for side in sides for read in _told(side[0], side[1], truths))]


def _read(node: Node, value: Value, truths: Truths) -> list[Value]:
    """What a value is made of."""
    place = node.outputs.index(value)
    if node.op == "loop":
        return [node.inputs[place + 2]] if truths.truth(node.inputs[1]) is False else _carried(node, place)
    if node.op not in ("if", "where"):
        return list(node.inputs)
    sides = node.inputs[1:] if node.op == "where" else [region.outputs[place] for region in node.regions]
    holds = truths.truth(node.inputs[0]) if not node.inputs[0].type.rank else None
    return [node.inputs[0], *sides] if holds is None else [sides[1 - holds]]


def _carried(loop: Node, place: int) -> list[Value]:
    """What a loop carries in a place, and how long it runs."""
    (body,) = loop.regions
    return [*loop.inputs[:2], loop.inputs[place + 2], body.outputs[0], body.outputs[place + 1]]


__all__ = ["outputs_read", "read_of"]
