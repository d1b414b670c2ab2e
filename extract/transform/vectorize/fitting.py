"""Whether operands fit each other, by the sizes that their types say."""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.types.dims import Dim, dim


def _squeezed(node: Node) -> bool:
    return all(node.inputs[0].type.shape[axis].constant == 1 for axis in node.attrs["axes"])


def _multiplied(node: Node) -> bool:
    x, y = (value.type.shape for value in node.inputs)
    return 0 < len(x) <= 2 and 0 < len(y) <= 2 and x[-1] == y[0]


def _joined(node: Node) -> bool:
    axis = node.attrs["axis"]
    return len({(*v.type.shape[:axis], *v.type.shape[axis + 1 :]) for v in node.inputs}) == 1


def broadcasts(shape: Sequence[Dim], sizes: Sequence[Dim | None]) -> bool:
    """Whether an array of a shape has these sizes but where it has 1."""
    pairs = zip(shape[::-1], sizes[::-1], strict=False)
    return all(own.constant == 1 or own == size for own, size in pairs)


def fits(node: Node) -> bool:
    """Whether what is written, if it is, has the sizes of the place."""
    if node.op != "set_index":
        return True
    value = node.inputs[1].type
    return not value.rank or value.shape == node.inputs[0].type.shape[len(node.inputs) - 2 :]


def widest(places: Sequence[Value], axis: int) -> Value | None:
    """Of indices that broadcast, one that has their size in an axis, counted from the last; None if they do not."""
    there = [index for index in places if index.type.rank >= -axis]
    found = next((index for index in there if index.type.shape[axis].constant != 1), there[0])
    fit = all(index.type.shape[axis] in (found.type.shape[axis], dim(1)) for index in there)
    return found if fit else None


def fills(node: Node) -> bool:
    """Whether what is written has as many elements as there are places, by its type."""
    x, value, *places = node.inputs
    axes = range(-max(index.type.rank for index in places), 0)
    found = [(widest(places, axis), axis) for axis in axes]
    lead = [index.type.shape[axis] for index, axis in found if index is not None]
    return len(lead) == len(axes) and value.type.shape == (*lead, *x.type.shape[len(places) :])


TOTAL = {"squeeze": _squeezed, "matmul": _multiplied, "concatenate": _joined}
"""Whether an operation cannot fail for operands of the sizes that their types say."""

__all__ = ["TOTAL", "broadcasts", "fills", "fits", "widest"]
