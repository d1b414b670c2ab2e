"""Of an order, the first places only are found where nobody reads the others, with the elements that stand there.

order = argsort(x); best = slice(order, 0, 3); y = take(x, best)     ->     y, best = TopK(x, 3)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass

KINDS = frozenset("if")
"""Kinds of elements that are put in order as they are."""


@dataclass(frozen=True)
class FirstPlaces:
    """
    Attributes
    ----------
    order : Node
        The `argsort` of which the first places are read.
    places : Node
        The `slice` that reads them.
    count : int
        How many these are, at most.
    elements : Node, optional
        The `take` that reads the elements there, of the array or of what it is the negative of.
    """

    order: Node
    places: Node
    count: int
    elements: Node | None


def first_places(
    nodes: Sequence[Node], number: Callable[[Value], int | None], uses: Mapping[Value, int]
) -> dict[Node, FirstPlaces]:
    """The orders among nodes of which the first places only are read.

    Parameters
    ----------
    nodes : sequence of Node
    number : callable
        The content of a number; None if it is not known.
    uses : mapping of Value to int
        How often each value is read.
    """
    makers = {node.outputs[0]: node for node in nodes if node.op in ("argsort", "negative", "constant")}

    def content(value: Value) -> int | None:
        maker = makers.get(value)
        return int(maker.attrs["value"]) if maker is not None and maker.op == "constant" else number(value)

    found: dict[Node, FirstPlaces] = {}
    for place, node in enumerate(nodes):
        order = makers.get(node.inputs[0]) if node.op == "slice" else None
        if order is None or order.op != "argsort" or uses[order.outputs[0]] > 1:
            continue
        (x,) = order.inputs
        axis = order.attrs["axis"] % x.type.rank
        if x.type.dtype.kind in KINDS and tuple(node.attrs["axes"]) == (axis,) and tuple(node.attrs["steps"]) == (1,):
            start, stop = map(content, node.inputs[1:])
            if start == 0 and stop is not None and stop > 0:
                sources = [x, *(maker.inputs[0] for maker in [makers.get(x)] if maker and maker.op == "negative")]
                elements = _elements(nodes[place:], node.outputs[0], sources[-1])
                found[order] = FirstPlaces(order, node, stop, elements)
    return found


def _elements(nodes: Sequence[Node], places: Value, x: Value) -> Node | None:
    """What reads a vector at some places."""
    if x.type.rank != 1:
        return None
    return next((node for node in nodes if node.op == "take" and node.inputs == [x, places]), None)


__all__ = ["FirstPlaces", "first_places"]
