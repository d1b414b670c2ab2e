"""What operations that have been done say of sizes: who takes an element has found one."""

from __future__ import annotations

from collections.abc import Callable

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.types.dims import Dim

INDICES = {"take": 1, "gather_nd": 1, "set_index": 2}
"""Operations that fail for an index outside, with the number of the first index."""
EXTREMES = frozenset({"max", "min", "argmax", "argmin"})
"""Reductions that fail where there is nothing to reduce."""
READERS = EXTREMES.union(INDICES)
"""Operations that take an element, and fail where there is none."""


def axes_of(node: Node) -> tuple[int, ...]:
    """The axes of a reduction."""
    return tuple(node.attrs["axes"]) if "axes" in node.attrs else (node.attrs["axis"],)


def sizes_read(
    node: Node,
    shapes: Callable[[Value], tuple[Dim, ...] | None] = lambda value: value.type.shape,
    arrays: bool = True,
) -> tuple[Dim, ...]:
    """The sizes of axes of which an operation takes an element: it would fail if they had none.

    Parameters
    ----------
    node : Node
    shapes : callable
        The sizes of a value, as far as they may be relied on.
    arrays : bool
        Whether arrays of indices count, of which there is one.
    """
    if node.op not in READERS:
        return ()
    shape = shapes(node.inputs[0])
    if shape is None:
        return ()
    if node.op in EXTREMES:
        return tuple(shape[axis] for axis in axes_of(node))
    first = INDICES[node.op]
    indices = [shapes(index) for index in node.inputs[first:]]
    if not all(index is not None and all(arrays and (size.lower or 0) > 0 for size in index) for index in indices):
        return ()
    axis = node.attrs.get("axis", 0)
    return shape[axis : axis + len(indices)]


__all__ = ["EXTREMES", "INDICES", "READERS", "axes_of", "sizes_read"]
