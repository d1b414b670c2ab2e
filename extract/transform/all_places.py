"""Reads and writes of all places of an array are the array, its axes perhaps in another order.

    r, c: [n, 1], [m] = expand_dims(iota(n), 1), iota(m)
    y = gather_nd(x, r, c)                                  y = x
    z = scatter_nd(y0, v, c, r)                 to          z = transpose(v, (1, 0))
    w = gather_nd(x, c, r)                                  w = transpose(x, (1, 0))

Loops over the pixels of a picture that write colours first come to that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.transform.vectorize.fitting import fills
from graph_program.extract.types.dims import Dim


def all_places(program: GraphProgram) -> None:
    """Read and write whole arrays at once, in place."""
    if any(node.op in ("gather_nd", "scatter_nd") for node in program.graph.walk()):
        _AllPlaces(program).run()


class _AllPlaces(Rewriter):
    def visit(self, node: Node) -> list[Node]:
        if node.op == "gather_nd" and not node.attrs["axis"]:
            x, *indices = node.inputs
            axes = self._axes(indices, x.type.shape)
            order = None if axes is None else sorted(range(len(axes)), key=axes.__getitem__)
            return [node] if order is None else self._turned(node, x, order)
        if node.op == "scatter_nd" and not node.attrs["axis"]:
            x, value, *indices = node.inputs
            axes = self._axes(indices, x.type.shape)
            return [node] if axes is None or not fills(node) else self._turned(node, value, axes)
        return [node]

    def _axes(self, indices: Sequence[Value], shape: Sequence[Dim]) -> list[int] | None:
        """Along which axis of all indices each one counts the places of an axis; None if they are other places."""
        rank, found = max(index.type.rank for index in indices), []
        for index, size in zip(indices, shape, strict=False):
            axis = counted_axis(self, index, size)
            if axis is None:
                return None
            found.append(rank + axis)
        return found if sorted(found) == list(range(rank)) else None

    def _turned(self, node: Node, x: Value, order: list[int]) -> list[Node]:
        """An array with its first axes in an order."""
        perm = (*order, *range(len(order), x.type.rank))
        if perm == tuple(range(x.type.rank)):
            self.replace(node.outputs[0], x)
            return []
        return [self.node("transpose", [x], node.outputs[0], {"perm": perm}, node.loc)]


def counted_axis(rewriter: Rewriter, index: Value, size: Dim) -> int | None:
    """The axis, from the last one, along which an index is 0, 1, ... up to a size; None if it is something else."""
    node, axis = rewriter.made_by(index, "expand_dims"), -1
    if node is not None and node.inputs[0].type.rank == 1:
        (place,) = set(range(index.type.rank)) - set(node.attrs["axes"])
        index, axis = node.inputs[0], place - index.type.rank
    return axis if is_each_place(rewriter, index, size) else None


def is_each_place(rewriter: Rewriter, index: Value, size: Dim) -> bool:
    """Whether an index is 0, 1, ... up to a size."""
    if index.type.rank != 1 or index.type.shape[0] != size:
        return False
    known, node = rewriter.constant_of(index), rewriter.producer.get(index)
    if known is not None:
        return bool((known == np.arange(len(known))).all())
    return node is not None and node.op == "iota"


__all__ = ["all_places", "counted_axis", "is_each_place"]
