"""Slices that cut an array into pieces, one behind the other, are one Split.

i = x[:16]; f = x[16:32]; o = x[48:]    ->    i, f, _, o = Split(x, [16, 16, 16, 16])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graph_program.extract.ir.graph import Node, Value

TYPES = frozenset(["float32", "float64", "int32", "int64"])
"""Element types that all versions of onnxruntime split."""

Pieces = list[tuple[int, Node | None]]
"""The sizes of pieces along an axis, one behind the other, and the slices that they are; None for what is not read."""


def cut_into_pieces(nodes: Sequence[Node], number: Callable[[Value], int | None]) -> dict[Node, Pieces]:
    """The slices among nodes that are pieces of an array, each with all of them.

    Parameters
    ----------
    nodes : sequence of Node
    number : callable
        The content of a number from before; None if it is not known.
    """
    here = {node.outputs[0]: node.attrs["value"] for node in nodes if node.op == "constant"}

    def content(value: Value) -> int | None:
        return int(here[value]) if value in here else number(value)

    found: dict[tuple[Value, int], list[tuple[int, int, Node]]] = {}
    for node in nodes:
        place = _place(node, content) if node.op == "slice" else None
        if place is not None:
            found.setdefault((node.inputs[0], node.attrs["axes"][0]), []).append((*place, node))
    pieces: dict[Node, Pieces] = {}
    for (x, axis), places in found.items():
        cut = _between(sorted(places, key=lambda place: place[:2]), x.type.shape[axis].constant)
        if cut is not None:
            pieces.update((node, cut) for _, _, node in places)
    return pieces


def _between(places: Sequence[tuple[int, int, Node]], size: int | None) -> Pieces | None:
    """Slices with what lies between them; None if they overlap, or are fewer than that."""
    end, pieces = 0, Pieces()
    for start, stop, node in [*places, (size, size, None)]:
        if start is None or stop is None or start < end:
            return None
        if start > end:
            pieces.append((start - end, None))
        if node is not None:
            pieces.append((stop - start, node))
        end = stop
    return pieces if len(places) > max(1, len(pieces) - len(places)) else None


def _place(node: Node, number: Callable[[Value], int | None]) -> tuple[int, int] | None:
    """From where to where a slice goes along its one axis."""
    x, axes = node.inputs[0], node.attrs["axes"]
    if len(axes) != 1 or tuple(node.attrs["steps"]) != (1,) or x.type.dtype.name not in TYPES:
        return None
    size = x.type.shape[axes[0]].constant
    bounds = [number(value) for value in node.inputs[1:]]
    if size is None or None in bounds:
        return None
    start, stop, _ = slice(*bounds).indices(size)
    return (start, stop) if start < stop else None


__all__ = ["Pieces", "cut_into_pieces"]
