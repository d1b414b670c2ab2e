"""Rows that a loop inside has collected, and that are all there, are what it has written.

    z = scatter_nd(y, v, iota(3), k)                        z = scatter_nd(y, v, iota(3), k)
    w = concatenate(z, slice(y, 3, end))            to      w = z

    z = scatter_nd(take(y, 2 - iota(3)), v, iota(3), k)
    w = z[::-1]                                     to      w = scatter_nd(y, v, 2 - iota(3), k)

So the loop around sees that it writes.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.transform.vectorize.maker import Numbers
from graph_program.extract.types.dims import Dim, dim, provably_less_equal


def rejoined(rewriter: Rewriter, numbers: Numbers, node: Node) -> Value | Node | None:
    """The value that a node gives in any case, or another node for it; None if there is no other."""
    if node.op == "concatenate":
        return _only_part(rewriter, numbers, node)
    return _turned_back(rewriter, numbers, node) if node.op == "slice" else None


def _only_part(rewriter: Rewriter, numbers: Numbers, node: Node) -> Value | None:
    axis = node.attrs["axis"]
    parts = [value for value in node.inputs if not _is_empty(rewriter, numbers, value, axis)]
    return parts[0] if len(parts) == 1 and parts[0].type == node.outputs[0].type else None


def _is_empty(rewriter: Rewriter, numbers: Numbers, value: Value, axis: int) -> bool:
    """Whether an array is what lies behind the end of another one."""
    node = rewriter.made_by(value, "slice")
    if node is None or tuple(node.attrs["axes"]) != (axis,) or tuple(node.attrs["steps"]) != (1,):
        return False
    start = numbers.of(node.inputs[1])
    return start is not None and provably_less_equal(node.inputs[0].type.shape[axis], start)


def _turned_back(rewriter: Rewriter, numbers: Numbers, node: Node) -> Node | None:
    """The write into an array of which the rows have been turned round for it."""
    write = rewriter.made_by(node.inputs[0], "scatter_nd")
    if write is None or write.attrs["axis"] or not _is_reversed(numbers, node):
        return None
    turned, value, first, *rest = write.inputs
    read = rewriter.made_by(turned, "take")
    if read is None or read.attrs["axis"] or rewriter.made_by(first, "iota") is None:
        return None
    x, places = read.inputs
    size = x.type.shape[0]
    if first.type.shape != (size,) or not _counts_down(rewriter, numbers, places, size):
        return None
    return rewriter.node("scatter_nd", [x, value, places, *rest], node.outputs[0], write.attrs, node.loc)


def _is_reversed(numbers: Numbers, node: Node) -> bool:
    """Whether a slice is a whole array from the last row to the first."""
    if tuple(node.attrs["axes"]) != (0,) or tuple(node.attrs["steps"]) != (-1,):
        return False
    size, (start, stop) = node.inputs[0].type.shape[0], map(numbers.of, node.inputs[1:])
    from_last = start is not None and (start == dim(-1) or provably_less_equal(size - 1, start))
    return bool(from_last and stop is not None and provably_less_equal(stop, -1 - size))


def _counts_down(rewriter: Rewriter, numbers: Numbers, places: Value, size: Dim) -> bool:
    """Whether places are all of so many, from the last one to the first."""
    node = rewriter.made_by(places, "subtract")
    counter = None if node is None else rewriter.made_by(node.inputs[1], "iota")
    if node is None or counter is None or places.type.shape != (size,):
        return False
    return not node.inputs[0].type.rank and numbers.of(node.inputs[0]) == size - 1


__all__ = ["rejoined"]
