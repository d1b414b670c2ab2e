"""Tensors that grow by the same number of rows in every round of a loop: ONNX's Loop collects the rows itself.

v = loop(...) with u = v0:                 r = Loop(...): collects y
    give again, concatenate(u, y)    ->    v = Concat(v0, r)

A tensor that is carried is copied in every round; what a Loop collects is copied once.
"""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from graph_program.backends.onnx.builder import INT64, Tensor
from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.rewrite import uses_of


@dataclass(frozen=True)
class Collected:
    """What a round appends to a carried value of a loop.

    Attributes
    ----------
    node : Node
        The concatenation, which is not needed.
    value : Value
        What a round gives instead.
    rows : int or None
        The rows of `value`; None if it is one row, without the axis.
    """

    node: Node
    value: Value
    rows: int | None

    @property
    def has_known_shape(self) -> bool:
        """Whether all sizes of `value` are known."""
        return all(d.constant is not None for d in self.value.type.shape)


def collected(loop: Node) -> dict[int, Collected]:
    """What a loop can collect, by the number of the carried value."""
    body = loop.regions[0]
    makers = {value: node for node in body.nodes for value in node.outputs}
    uses = uses_of(body)
    found = {}
    for i, (parameter, result) in enumerate(zip(body.inputs[1:], body.outputs[1:], strict=True)):
        node = makers.get(result)
        if node is None or not _appends(node, parameter) or uses[parameter] != 1 or uses[result] != 1:
            continue
        appended = node.inputs[1]
        maker = makers.get(appended)
        if maker is not None and maker.op == "expand_dims" and tuple(maker.attrs["axes"]) == (0,):
            found[i] = Collected(node, maker.inputs[0], None)
        elif appended.type.shape[0].constant is not None:
            found[i] = Collected(node, appended, appended.type.shape[0].constant)
    return found


def _appends(node: Node, parameter: Value) -> bool:
    """Whether a node puts rows behind those of a carried value."""
    return (
        node.op == "concatenate" and node.attrs["axis"] == 0 and len(node.inputs) == 2 and node.inputs[0] is parameter
    )


def only_read_in_rounds(graph: Graph, stack: Value, trips: Value) -> bool:
    """Whether what a loop has collected is only read by loops of as many rounds: where there are none, by nobody."""
    if stack in graph.outputs:
        return False
    for node in graph.nodes:
        if stack in node.inputs:
            return False
        if node.op == "loop" and node.inputs[0] is trips:
            continue
        if not all(only_read_in_rounds(region, stack, trips) for region in node.regions):
            return False
    return True


def declare_shapes(body: ir.Graph, found: Sequence[Collected]) -> None:
    """Say of what shape the last outputs of a body are, which are collected, where that is known."""
    outputs = body.outputs[len(body.outputs) - len(found) :]
    for output, one in zip(outputs, found, strict=True):
        if one.has_known_shape:
            output.shape = ir.Shape([d.constant for d in one.value.type.shape])


def appended(initial: Tensor, stack: Tensor, found: Collected, rank: int, empty: bool, runs: bool) -> Tensor:
    """The value behind the loop, of what it had collected; `empty` if there is nothing in front of it.

    The stack of a loop without rounds may have lost its sizes, unless the body declares them; those of the initial
    value are right.  `runs` says that the loop has a round, or that nobody reads what one without rounds gives.
    """
    rows, sizes = found.rows, [d.constant for d in found.value.type.shape]
    if rows is not None and rank == 1:
        stack = stack.op("Reshape", stack.builder.ints(-1), dtype=stack.dtype)
    elif rank > 2 and rows is None and all(sizes):  # onnx's reference evaluator puts matrices below each other
        target = stack.builder.ints(-1, *(size for size in sizes if size is not None))
        stack = stack.op("Reshape", target, dtype=stack.dtype)
    elif rank > 1 and (rows is not None or rank > 2 or not (runs or found.has_known_shape)):
        count = stack.shape(0, 1)
        first = count if rows is None else count * rows
        target = first.op("Concat", initial.shape(1), dtype=INT64, axis=0)
        stack = stack.op("Reshape", target, dtype=stack.dtype, allowzero=1)
    return stack if empty else initial.op("Concat", stack, dtype=initial.dtype, axis=0)


__all__ = ["Collected", "appended", "collected", "declare_shapes", "only_read_in_rounds"]
