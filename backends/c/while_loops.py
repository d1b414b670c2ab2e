"""A round that does nothing but leave its loop is left before anything is done.

    n = loop(true) with n = start:              n = loop(true) with n = start:
        again = not_equal(n, 1)                     again = not_equal(n, 1)
        m = if again:                     to        if again: else: leave
            give f(n)                               give true, f(n)
        else:
            give n
        give again, m

A node `leave` has no outputs; its inputs are what the loop then gives, which is what it carries.  In C that is a
`break`, and where nothing stands before the test the loop is `while (n != 1)`.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.rewrite import uses_of
from graph_program.extract.types.tensors.tensor_type import TensorType

LEAVE = "leave"


def while_loops(program: GraphProgram) -> None:
    """Have loops be left at their tests, in place."""
    uses = uses_of(program.graph)
    for node in program.graph.walk():
        if node.op == "loop":
            _leave_early(node, uses)


def _leave_early(loop: Node, uses: Counter[Value]) -> None:
    body = loop.regions[0]
    found = _test(body)
    if found is None:
        return
    place, stays = found
    branch = body.nodes[place]
    goes_on, leaves = branch.regions[stays], branch.regions[1 - stays]
    carried = dict(zip(branch.outputs, leaves.outputs, strict=True))
    given = dict(zip(branch.outputs, goes_on.outputs, strict=True))
    read = [number for number, output in enumerate(loop.outputs) if uses[output]]
    for number in read:
        result, parameter = body.outputs[number + 1], body.inputs[number + 1]
        if carried.get(result, result) is not parameter:
            return
    if any(node.op != "placeholder" for node in leaves.nodes) or any(value in given for value in _inner(goes_on)):
        return
    leave = Node(LEAVE, [body.inputs[number + 1] for number in read], [], loc=branch.loc)
    regions = [Graph([], [], []), Graph([], [], [])]
    regions[1 - stays] = Graph([], [leave], [])
    true = Value("go_on", TensorType(np.dtype(np.bool_), ()))
    made = Node("constant", [], [true], {"value": np.array(True)})
    test = Node("if", branch.inputs, [], {"ends": 1 - stays}, regions, branch.loc)
    body.nodes = [*body.nodes[:place], made, test, *goes_on.nodes]
    body.outputs = [true, *(given.get(value, value) for value in body.outputs[1:])]


def _test(body: Graph) -> tuple[int, int] | None:
    """The last branch of a round, by its number, and the side that goes on; None if it does not decide that."""
    again, place = body.outputs[0], len(body.nodes) - 1
    opposite = None
    for node in body.nodes:
        if node.op == "invert" and again in node.outputs:
            opposite = node.inputs[0]
    if place >= 0 and again in body.nodes[place].outputs and body.nodes[place].op == "invert":
        place -= 1
    if place < 0 or body.nodes[place].op != "if":
        return None
    tested = body.nodes[place].inputs[0]
    if tested is again:
        return place, 0
    return (place, 1) if tested is opposite else None


def _inner(graph: Graph) -> set[Value]:
    return {value for node in graph.walk() for value in node.inputs}


__all__ = ["LEAVE", "while_loops"]
