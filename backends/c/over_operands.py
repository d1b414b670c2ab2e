"""An array is made over one that it is made of, where nobody reads that one any more.

    double *y_1 = gp_take(...);                        to      for (i ...) y[i] = y[i] * 0.5;
    for (i ...) y_1[i] = y[i] * 0.5;
    memcpy(y, y_1, ...);

Each element has to be made of what is at its own place.  What a round leaves is only made where the loop carries it:
elsewhere it would be exchanged with another array at the end of the round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graph_program.backends.c.arrays import Array, Place
from graph_program.backends.c.new_arrays import is_made_beforehand
from graph_program.extract.records import dataclass

if TYPE_CHECKING:
    import numpy as np

    from graph_program.backends.c.expression import Expr
    from graph_program.backends.c.function import Function
    from graph_program.extract.ir.graph import Graph, Node, Value


@dataclass(frozen=True)
class Room:
    """Memory of the function's own, and what it was taken for."""

    place: Place
    dtype: np.dtype[Any]
    shape: tuple[str, ...]


def room(place: Place, dtype: np.dtype[Any], shape: Sequence[Expr]) -> Room:
    """What is remembered of memory."""
    return Room(place, dtype, tuple(size.text for size in shape))


def operand_to_write_over(fn: Function, node: Node, made: Array) -> Place | None:
    """The memory for the result of an elementwise operation, if it is that of an operand."""
    value = node.outputs[0]
    if value in fn.destined or is_made_beforehand(fn, value):
        return None
    shape = tuple(size.text for size in made.shape)
    for name in sorted(made.reads - made.moved):
        found = fn.rooms.get(name)
        if found is None or (found.dtype, found.shape) != (made.dtype, shape):
            continue
        if _is_left_there(fn, value, name) and _is_free(fn, node, found.place):
            return found.place
    return None


def _is_free(fn: Function, node: Node, place: Place) -> bool:
    """Whether nobody reads memory behind a node."""
    for value in fn.liveness.behind(node):
        found = fn.values.get(value)
        if found is not None and not found.reads.isdisjoint(place.memory):
            return False
    return True


def _is_left_there(fn: Function, value: Value, name: str) -> bool:
    """Whether a value that a graph gives is given by it in that memory anyhow."""
    return all(
        reader is not None or _given_in(fn, graph, number) == name
        for reader, graph in fn.liveness.uses.get(value, [])
        for number, output in enumerate(graph.outputs)
        if output is value
    )


def _given_in(fn: Function, graph: Graph, number: int) -> str | None:
    """The memory in which an inner graph gives its result of a number, as far as others say."""
    node = fn.liveness.owners.get(graph)
    if node is None:
        return None
    if node.op == "loop":
        return _memory(fn, graph.inputs[number])
    other = next(region for region in node.regions if region is not graph).outputs[number]
    if other in fn.values:
        return _memory(fn, other)
    outer, value = fn.liveness.home[node.outputs[0]], node.outputs[number]
    return next((_given_in(fn, outer, place) for place, own in enumerate(outer.outputs) if own is value), None)


def _memory(fn: Function, value: Value) -> str | None:
    """The memory that an array is in."""
    found = fn.values.get(value)
    return found.place.name if isinstance(found, Array) and found.place is not None else None


__all__ = ["Room", "operand_to_write_over", "room"]
