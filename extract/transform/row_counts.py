"""How many rows a loop puts behind each other.

r = loop(k < n, while true) with v: [0] = []:
    give true, concatenate(v, expand_dims(x))           # r: [n]
"""

from __future__ import annotations

from collections.abc import Callable

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.types.dims import Dim


def row_count(loop: Node, output: Value, maker: Callable[[Value], Node | None], rounds: Dim) -> Dim | None:
    """The number of rows that a loop gives which goes on to its end; None if that is not known.

    Parameters
    ----------
    loop : Node
    output : Value
        One of what it gives.
    maker : callable
        The node that gives a value.
    rounds : Dim
        How many rounds it has.
    """
    (body,) = loop.regions
    place = loop.outputs.index(output)
    added, initial = maker(body.outputs[place + 1]), loop.inputs[place + 2]
    if added is None or added.op != "concatenate" or added.attrs["axis"] or not initial.type.rank:
        return None
    if added.inputs[0] is not body.inputs[place + 1] or not all(
        _holds(maker(v)) for v in (loop.inputs[1], body.outputs[0])
    ):
        return None
    counts = [value.type.shape[0].constant for value in (initial, *added.inputs[1:])]
    first, *each = counts
    if first is None or None in each:
        return None
    return first + rounds * sum(count for count in each if count is not None)


def _holds(node: Node | None) -> bool:
    return node is not None and node.op == "constant" and bool(node.attrs["value"])


__all__ = ["row_count"]
