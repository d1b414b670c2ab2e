"""Tests are asked the way round that takes no negation.

    y = If(Not(t)): a, else: b              ->    y = If(t): b, else: a

    t = And(Less(i, n), Less(0, m))               g = Or(GreaterOrEqual(i, n), GreaterOrEqual(0, m))
    e = Where(t, 3, 0)                      ->    e = Where(g, 0, 3)
    x = Loop(m, Not(t))                           x = Loop(m, g)

    c = Concat(Not(t), [True])                    c = Concat(t, [False])
    i = ArgMax(Cast(c))                     ->    i = ArgMin(Cast(c))

    m = And(a, b);  x = And(Not(m), b)      ->    x = Xor(m, b)

A branch has its sides the other way round for nothing, and so has a choice of integers; of floats, one operand of a
choice may be no -0.0 in onnxruntime (`rules/elementwise`).  The first that holds is the first of whose opposites none
holds.  Comparisons of integers, and what joins them, are computed as their opposites where all that reads them is
turned for nothing, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from graph_program.backends.onnx.inside import all_nodes, uses_of
from graph_program.backends.onnx.merging import SIDES, inner_graphs
from graph_program.backends.onnx.pruning import register_used

if TYPE_CHECKING:
    from graph_program.backends.onnx.builder import Builder

OPPOSITES = {"Less": "GreaterOrEqual", "LessOrEqual": "Greater"}
OPPOSITES |= {opposite: operator for operator, opposite in OPPOSITES.items()}
POSITIONS = {"ArgMax": "ArgMin", "ArgMin": "ArgMax"}
"""What finds the first place, of bytes, at which a test holds, by what finds the first at which it does not."""
JOINTS = {"And": "Or", "Or": "And"}
"""What joins opposites to the opposite of what the other one joins (De Morgan)."""
RESTS = {"And": "Xor", "Or": "Equal"}
"""What one truth is without, or but for, another that it joins itself, by the operator that joins the two."""
COMPARED = frozenset([ir.DataType.INT32, ir.DataType.INT64])
"""Element types that onnxruntime compares by all operators, and that have no NaN, for which neither of two holds."""
FLOATS = frozenset([ir.DataType.BFLOAT16, ir.DataType.FLOAT16, ir.DataType.FLOAT, ir.DataType.DOUBLE])


def without_negations(graph: ir.Graph, builder: Builder) -> None:
    """Leave out negations in a graph and its inner graphs, in place.

    Parameters
    ----------
    graph : onnx_ir.Graph
        The main graph.
    builder : Builder
        Has the constants of the graph.
    """
    for node in [node for node in all_nodes(graph) if node.op_type == "Not" and not node.domain]:
        test, opposite = node.inputs[0], node.outputs[0]
        if test is None or node.graph is None:  # left out with another one
            continue
        for reader, position in uses_of(opposite):
            if _can_turn(reader, position):
                _turn(reader, builder)
                reader.replace_input_with(position, test)
            elif _is_rest(reader, position, test):
                reader.op_type = RESTS[reader.op_type]
                reader.replace_input_with(position, test)
        if not opposite.is_graph_output() and uses_of(opposite) and _is_free(test, node):
            _turn_all(test, node, builder)
        if not opposite.is_graph_output() and not uses_of(opposite):
            _remove(node)
    register_used(graph, builder.initializers)


def _can_turn(reader: ir.Node, position: int) -> bool:
    """Whether what reads a test may read the opposite instead, for nothing."""
    if reader.domain:
        return False
    if reader.op_type in ("Cast", "Concat"):
        return bool(_places(reader))
    chooses = reader.op_type == "Where" and reader.outputs[0].dtype not in FLOATS
    return not position and (reader.op_type == "If" or chooses)


def _is_rest(reader: ir.Node, position: int, test: ir.Value) -> bool:
    """Whether a truth is joined with the opposite of what it is joined to already."""
    joined = test.producer()
    if reader.domain or reader.op_type not in RESTS or joined is None or joined.op_type != reader.op_type:
        return False
    return not joined.domain and reader.inputs[1 - position] in joined.inputs


def _places(reader: ir.Node) -> list[ir.Node]:
    """The nodes that find the first place at which a test, or one beside constants, holds; none if not all do.

    Nothing else may read the vector of tests.
    """
    uses = [] if reader.outputs[0].is_graph_output() else uses_of(reader.outputs[0])
    if reader.op_type == "Cast":
        bytes_ = reader.outputs[0].dtype == ir.DataType.UINT8
        return [node for node, _ in uses] if bytes_ and all(node.op_type in POSITIONS for node, _ in uses) else []
    known = [value is not None and value.const_value is not None for value in reader.inputs]
    if sum(known) != len(known) - 1 or len(uses) != 1 or uses[0][0].op_type != "Cast":
        return []
    return _places(uses[0][0])


def _turn(reader: ir.Node, builder: Builder) -> None:
    """Have a branch, a choice or a search do the same by the opposite of its test."""
    if reader.op_type == "Where":
        _, chosen, other = reader.inputs
        reader.replace_input_with(1, other)
        reader.replace_input_with(2, chosen)
    elif reader.op_type == "If":
        for side, turned in zip(SIDES, reversed(inner_graphs(reader)), strict=True):
            reader.attributes[side] = ir.AttrGraph(side, turned)
    else:
        for node in _places(reader):
            node.op_type = POSITIONS[node.op_type]
        for position, value in enumerate(reader.inputs):
            if value is not None and value.const_value is not None:
                reader.replace_input_with(position, builder.constant(~value.const_value.numpy()).value)


def _is_free(test: ir.Value, negation: ir.Node) -> bool:
    """Whether the opposite of a test can be computed in its place."""
    readers = uses_of(test)
    others = [(reader, position) for reader, position in readers if reader is not negation]
    return all(_can_turn(*use) for use in others) and _has_opposite(test)


def _has_opposite(test: ir.Value) -> bool:
    """Whether a node computes the opposite of a test if it has another operator, and so what it reads."""
    node = test.producer()
    if node is None or node.domain or test.is_graph_output():
        return False
    if node.op_type in OPPOSITES:
        return all(value is not None and value.dtype in COMPARED for value in node.inputs)
    return node.op_type in JOINTS and all(_is_free_part(value) for value in node.inputs)


def _is_free_part(part: ir.Value | None) -> bool:
    node = None if part is None else part.producer()
    if part is None or node is None:
        return False
    return (node.op_type == "Not" and not node.domain) or (len(uses_of(part)) == 1 and _has_opposite(part))


def _turn_all(test: ir.Value, negation: ir.Node, builder: Builder) -> None:
    """Compute the opposite of a test in its place, and have all that reads either read that."""
    for reader, _ in uses_of(test):
        if reader is not negation:
            _turn(reader, builder)
    _compute_opposite(test)
    for reader, position in uses_of(negation.outputs[0]):
        reader.replace_input_with(position, test)


def _compute_opposite(test: ir.Value) -> None:
    node = test.producer()
    assert node is not None
    if node.op_type in OPPOSITES:
        node.op_type = OPPOSITES[node.op_type]
        return
    node.op_type = JOINTS[node.op_type]
    for position, part in enumerate(node.inputs):
        assert part is not None
        made = part.producer()
        assert made is not None
        if made.op_type != "Not":
            _compute_opposite(part)
            continue
        node.replace_input_with(position, made.inputs[0])
        if not part.is_graph_output() and not uses_of(part):
            _remove(made)


def _remove(node: ir.Node) -> None:
    """Leave out a node that no other one in a graph reads."""
    if node.graph is not None:
        for reader, position in node.outputs[0].uses():
            reader.replace_input_with(position, None)
        node.graph.remove(node, safe=True)


__all__ = ["without_negations"]
