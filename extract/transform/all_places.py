"""Reads and writes of all places of an array are the array, its axes perhaps in another order.

    r, c: [n, 1], [m] = expand_dims(iota(n), 1), iota(m)
    y = gather_nd(x, r, c)                                  y = x
    z = scatter_nd(y0, v, c, r)                 to          z = transpose(v, (1, 0))
    w = gather_nd(x, c, r)                                  w = transpose(x, (1, 0))

Loops over the pixels of a picture that write colours first come to that.
"""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.counted_places import counted_axis
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
            axis = counted_axis(self.producer.get, index, size)
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


__all__ = ["all_places"]
