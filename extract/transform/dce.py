"""Drop what no output depends on: nodes, outputs of `if`, and values carried by loops.

    y = exp(x)                              z = add(x, 1)
    z = add(x, 1)               to          return z
    return z

A carried value that only its own next value reads goes as well.  A loop that nothing depends on goes
even if it would never end: the language refuses those that provably do so.  A node without outputs
ends the program; it stays, and so does what it is in.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.reach import reached
from graph_program.extract.transform.rewrite import keep_outputs


def dce(program: GraphProgram) -> None:
    """Dead code elimination, in place."""
    _drop_arguments(program)
    sweep(program.graph)


def sweep(graph: Graph) -> None:
    """Drop what no output of a graph depends on, in place."""
    ends = _ends(graph)
    live = reached([*graph.outputs, *_needed(graph, ends)], needs_of(graph))
    _sweep(graph, live, ends)


def _drop_arguments(program: GraphProgram) -> None:
    """Nobody reads the arguments of errors in a program that never has one: let them be the error's number."""
    outputs, count = program.graph.outputs, len(program.output_names)
    if not program.errors:
        return
    number = outputs[count]
    made = next((node for node in program.graph.nodes if number in node.outputs), None)
    if made is None or made.op != "constant" or made.attrs["value"] != 0:
        return
    for i in sorted({i for arguments in program.error_args for i in arguments}):
        if outputs[i].type.dtype == number.type.dtype and not outputs[i].type.rank:
            outputs[i] = number


def needs_of(graph: Graph) -> dict[Value, list[Value]]:
    """What each value depends on at first sight; a parameter of a loop on what the loop gives."""
    needs: dict[Value, list[Value]] = {}
    for node in graph.walk():
        _note(node, needs)
    return needs


def _ends(graph: Graph) -> set[Node]:
    """The nodes that have no outputs, and those that have one inside."""
    found: set[Node] = set()
    for node in graph.nodes:
        inside = [_ends(region) for region in node.regions]
        found.update(*inside)
        if any(inside) or not (node.outputs or node.regions):
            found.add(node)
    return found


def _needed(graph: Graph, ends: set[Node]) -> list[Value]:
    """What nodes without outputs read, and what decides whether they are done."""
    found: list[Value] = []
    for node in graph.nodes:
        if node not in ends:
            continue
        found += node.inputs[: {"if": 1, "loop": 2}.get(node.op)]
        for region in node.regions:
            found += region.outputs[: node.op == "loop"]
            found += _needed(region, ends)
    return found


def _note(node: Node, needs: dict[Value, list[Value]]) -> None:
    """Note what the outputs of a node, and the parameters of its regions, depend on."""
    if node.op == "if":
        for i, output in enumerate(node.outputs):
            needs[output] = [node.inputs[0], *(region.outputs[i] for region in node.regions)]
    elif node.op == "loop":
        (body,) = node.regions
        for i, output in enumerate(node.outputs):
            carried = [node.inputs[0], node.inputs[1], node.inputs[i + 2], *body.outputs[:1]]
            needs[output] = [*carried, body.outputs[i + 1]]
            # A parameter is there only if the whole slot is.
            needs[body.inputs[i + 1]] = [output]
    else:
        for output in node.outputs:
            needs[output] = node.inputs


def _sweep(graph: Graph, live: set[Value], ends: set[Node]) -> None:
    graph.nodes = [node for node in graph.nodes if node in ends or any(output in live for output in node.outputs)]
    for node in graph.nodes:
        if node.op in ("if", "loop"):
            keep_outputs(node, [i for i, output in enumerate(node.outputs) if output in live])
        for region in node.regions:
            _sweep(region, live, ends)
