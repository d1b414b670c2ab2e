"""Numbers as vectors of one element, where nodes that only turn one into the other are saved by it.

    s = Shape<end=1>(x); n = Squeeze(s)             s = Shape<end=1>(x)
    m = Add(n, 1); v = Unsqueeze(m, [0])     ->     m = Add(s, 1)
    y = Slice(x, v, ...)                            y = Slice(x, m, ...)

What broadcasts a number broadcasts such a vector as well, and the test of a branch may be one.  So all numbers between
those nodes are vectors, if whoever makes them can make both; whoever reads them and takes only a number gets one by a
node of its own, where that is fewer nodes in all.  onnxruntime is known to take both; other runtimes keep numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

import onnx_ir as ir

from graph_program.backends.onnx.builder import Builder
from graph_program.backends.onnx.inside import all_nodes, readers_of, uses_of
from graph_program.backends.onnx.pruning import register_used
from graph_program.backends.onnx.shapes import ELEMENTWISE, attribute, known_rank

POSITIONS = frozenset(["ArgMax", "ArgMin"])
EITHER = frozenset(["Reshape"])
"""Operators whose result does not depend on whether their first operand is a number or a vector of one."""


def numbers_as_vectors(graph: ir.Graph, builder: Builder) -> None:
    """Save nodes in a graph and its inner graphs, in place.

    Parameters
    ----------
    graph : onnx_ir.Graph
        The main graph; its values know their shapes.
    builder : Builder
        Has the constants of the graph.
    """
    nodes = list(all_nodes(graph))
    for group in _groups(_worth_it(_vectors(nodes), nodes)):
        numbers = {value for value in group if not _can_be_read(value, group)}
        if len(_saved(group)) > len(numbers):
            _widen(group, builder)
            continue
        for part in _groups(_read_as_vectors(group)):
            if _saved(part):
                _widen(part, builder)
    register_used(graph, builder.initializers)


def _vectors(nodes: list[ir.Node]) -> set[ir.Value]:
    """The numbers that may be made as vectors: the greatest set that nothing speaks against."""
    found: set[ir.Value] = set()
    for node in nodes:
        if _can_be_made(node, found) and not node.outputs[0].is_graph_output():
            found.add(node.outputs[0])
    return found


def _worth_it(vectors: set[ir.Value], nodes: list[ir.Node]) -> set[ir.Value]:
    """Those of them that cost no more as vectors: who is read as a number needs a node to be one.

    Begins with the last ones: where one becomes a number, what it is computed of is read as a number, too.
    """
    found = set(vectors)
    as_numbers = {value for value in found if not _can_be_read(value, found)}
    for node in reversed(nodes):
        value = node.outputs[0] if node.outputs else None
        if value not in as_numbers or node.op_type == "Squeeze":
            continue
        operands = {operand for operand in node.inputs if operand in found}
        lost = len(operands - as_numbers) + sum(map(_is_saved, readers_of(value)))
        needed = (_made_of(reader, found) == {value} for reader in readers_of(value) if reader.outputs[0] in found)
        if lost <= 1 and not any(needed):
            found.discard(value)
            as_numbers = (as_numbers | operands) - {value}
    return found


def _made_of(node: ir.Node, vectors: set[ir.Value]) -> set[ir.Value]:
    """The vectors that a node reads."""
    return {value for value in node.inputs if value in vectors}


def _read_as_vectors(vectors: set[ir.Value]) -> set[ir.Value]:
    """Those of them that all their readers take as vectors."""
    found = set(vectors)
    while refused := {v for v in found if not _can_be_made(_made(v), found) or not _can_be_read(v, found)}:
        found -= refused
    return found


def _can_be_made(node: ir.Node, vectors: set[ir.Value]) -> bool:
    """Whether a node makes a number that it might make as a vector without another node."""
    if node.domain or len(node.outputs) != 1 or known_rank(node.outputs[0]) != 0:
        return False
    x = node.inputs[0] if node.inputs else None
    if node.op_type in ELEMENTWISE:
        return any(value in vectors for value in node.inputs)
    if node.op_type == "Squeeze":
        return _is_single(x)
    if node.op_type == "Size":
        return known_rank(x) == 1
    if node.op_type == "Gather":
        return known_rank(x) == 1 and node.inputs[1] is not None and node.inputs[1].const_value is not None
    if node.op_type.startswith("Reduce") or node.op_type in POSITIONS:
        return known_rank(x) == 1 and attribute(node, "keepdims", 1) == 0
    return False


def _can_be_read(value: ir.Value, vectors: set[ir.Value]) -> bool:
    """Whether all that read a number would do the same with a vector."""
    return all(_reads_either(node, position, vectors) for node, position in uses_of(value))


def _reads_either(node: ir.Node, position: int, vectors: set[ir.Value]) -> bool:
    if node.domain:
        return False
    if node.op_type in ELEMENTWISE:
        rank = known_rank(node.outputs[0])
        return bool(rank) or (rank == 0 and node.outputs[0] in vectors)
    if node.op_type == "Unsqueeze":
        return _is_saved(node)
    return position == 0 and (node.op_type in EITHER or node.op_type in ("If", "Loop"))


def _is_saved(node: ir.Node) -> bool:
    """Whether a node is none where numbers are vectors."""
    if node.op_type == "Squeeze":
        return _is_single(node.inputs[0]) and known_rank(node.outputs[0]) == 0
    return (
        node.op_type == "Unsqueeze"
        and known_rank(node.inputs[0]) == 0
        and known_rank(node.outputs[0]) == 1
        and not node.outputs[0].is_graph_output()
    )


def _saved(group: set[ir.Value]) -> set[ir.Node]:
    """The nodes that are none where these numbers are vectors."""
    return {node for value in group for node in (_made(value), *readers_of(value)) if _is_saved(node)}


def _groups(values: set[ir.Value]) -> Iterator[set[ir.Value]]:
    """Values that are only vectors together, as one is computed from the other."""
    left = dict.fromkeys(values)
    while left:
        group, new = set(), [left.popitem()[0]]
        while new:
            value = new.pop()
            group.add(value)
            near = [*_made(value).inputs, *(node.outputs[0] for node in readers_of(value))]
            found = [other for other in near if other is not None and other in left]
            new += found
            for other in found:
                left.pop(other, None)
        yield group


def _widen(group: set[ir.Value], builder: Builder) -> None:
    """Make vectors of numbers."""
    saved = _saved(group)
    for value in group:
        node = _made(value)
        _give_numbers(value, [use for use in uses_of(value) if not _reads_either(*use, group)], builder)
        value.shape = ir.Shape([1])
        if node.op_type == "Gather":
            place = node.inputs[1]
            assert place is not None and place.const_value is not None
            node.replace_input_with(1, builder.constant(place.const_value.numpy().reshape(1)).value)
        elif node.op_type == "Size":
            node.op_type = "Shape"
        elif node.op_type not in ELEMENTWISE and node.op_type != "Squeeze":
            node.attributes["keepdims"] = ir.AttrInt64("keepdims", 1)
    for node in saved:
        (output,), source = node.outputs, node.inputs[0]
        for user, position in list(output.uses()):
            user.replace_input_with(position, source)
        assert node.graph is not None
        node.graph.remove(node, safe=True)


def _give_numbers(vector: ir.Value, readers: list[tuple[ir.Node, int]], builder: Builder) -> None:
    """Give those who take only a number what a vector has."""
    if not readers:
        return
    maker = _made(vector)
    number = ir.Value(name=builder.unique(f"{vector.name}.number"), shape=ir.Shape([]), type=vector.type)
    node = ir.Node("", "Squeeze", [vector], outputs=[number])
    assert maker.graph is not None
    maker.graph.insert_after(maker, node)
    for reader, position in readers:
        reader.replace_input_with(position, number)


def _made(value: ir.Value) -> ir.Node:
    node = value.producer()
    assert node is not None
    return node


def _is_single(value: ir.Value | None) -> bool:
    """Whether a value is a vector of one element."""
    return value is not None and value.shape is not None and list(value.shape) == [1]


__all__ = ["numbers_as_vectors"]
