"""How long slices are whose bounds are computed: as long as others of axes of the same size between the same bounds.

p = slice(x, 0, k)              p has d7 elements, and so has
y = set_slice(x, v, 0, k)       the part of x in which v is written
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Iterator

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.types.dims import Dim

FIRST_BOUNDS = {"slice": 1, "set_slice": 2}
"""Operations on parts of arrays, with the number of the first bound."""

_Part = tuple[Dim, Value, Value]


class SliceLengths:
    """The lengths of the slices of a graph and of those around it; what a branch finds of them may hold only there.

    Parameters
    ----------
    lengths : ChainMap, optional
        By the size of the axis and the bounds.
    """

    def __init__(self, lengths: ChainMap[_Part, Dim] | None = None):
        self._lengths = ChainMap[_Part, Dim]() if lengths is None else lengths

    def within(self, nodes: Iterable[Node]) -> SliceLengths:
        """The same with those of an inner graph."""
        inner = SliceLengths(self._lengths.new_child())
        for node in nodes:
            if node.op == "slice":
                inner._lengths.update((part, node.outputs[0].type.shape[axis]) for axis, part in _parts(node))
        return inner

    def of(self, node: Node) -> dict[int, Dim]:
        """The lengths of the part that a node reads or writes, by the axes, as far as they are known."""
        return {axis: self._lengths[part] for axis, part in _parts(node) if part in self._lengths}


def _parts(node: Node) -> Iterator[tuple[int, _Part]]:
    """The axes along which a part is cut out, element by element, with their sizes and the bounds."""
    axes, steps, bounds = node.attrs["axes"], node.attrs["steps"], node.inputs[FIRST_BOUNDS[node.op] :]
    for axis, step, start, stop in zip(axes, steps, bounds, bounds[len(axes) :], strict=False):
        if step == 1:
            yield axis, (node.inputs[0].type.shape[axis], start, stop)


__all__ = ["SliceLengths"]
