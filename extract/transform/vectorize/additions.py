"""Elements to which the rounds of a loop add, wherever they are: histograms.

    for i in range(n):
        h[a[i]] += 1            to      h = scatter_add(h, 1, a)

        t[a[i], b[i]] += x[i]   to      places = gather_nd(reshape(iota(size), *sizes), a, b)
                                        t = reshape(scatter_add(reshape(t, -1), x, places), *sizes)

Places are added to one after the other, as the rounds do it.  Of several indices, the first lane that is outside
fails, and of that the first axis, as in Python; indices that are inside for certain are computed with instead.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.vectorize.carried import Slot
from graph_program.extract.transform.vectorize.lanes import Lanes
from graph_program.extract.types.dims import Dim, provably_less_equal

if TYPE_CHECKING:
    from graph_program.extract.transform.vectorize.writes import Write
    from graph_program.extract.transform.vectorize.written import Written


def histogram(written: Written, slot: Slot, writes: list[Write], chain: set[Value]) -> Callable[[], Value] | None:
    """`h[k] = h[k] + c` and `h[k, l] = h[k, l] + c`, wherever k and l are; None if a round does something else."""
    lanes, carried = written.lanes, written.carried
    if len(writes) != 1 or writes[0].adds or len(writes[0].indices) != slot.parameter.type.rank:
        return None
    (write,) = writes
    if write.node.op != "set_index" or write.node.inputs[0] is not slot.parameter:
        return None
    step = carried.step(write.value, "add", "subtract")
    if step is None or write.value.type.rank:
        return None
    a, b = step.node.inputs
    if step.node.op == "add" and b in slot.dependent:
        a, b = b, a
    old = carried.step(a, "take", "gather_nd")
    if old is None or old.node.inputs[0] is not slot.parameter or tuple(old.node.inputs[1:]) != write.indices:
        return None
    known = (b, *write.indices, *(test for test, _ in write.mask))
    once = all(lanes.maker.uses.get(value, 0) == 1 for value in (a, write.value))
    if not once or not all(map(lanes.is_known, known)):
        return None
    if {s.output for s in carried.readers.get(slot.parameter, ())} - chain - {a}:
        return None
    dtype = slot.parameter.type.dtype
    if dtype.kind not in "iu" and dtype.itemsize < 4:
        return None
    addition = replace(write, value=b, unique=False, adds=True)
    return lambda: added(written, slot.initial, addition, step.node.op == "subtract")


def flat_addition(written: Written, node: Node) -> tuple[Node, Node] | None:
    """Of what a loop inside has added to the elements of an array in a row, the addition, and the row."""
    step = written.carried.step
    addition = step(node.inputs[0], "scatter_add") if node.op == "reshape" else None
    row = step(addition.node.inputs[0], "reshape") if addition is not None else None
    if addition is None or row is None or row.node.inputs[0].type.shape != node.outputs[0].type.shape:
        return None
    return addition.node, row.node


def added(written: Written, x: Value, write: Write, minus: bool = False) -> Value:
    """Add values at places, one after the other."""
    lanes, maker = written.lanes, written.lanes.maker
    index = write.indices[0]
    rank = index.type.rank
    sizes = [maker.op("dim", lanes.get(index), axis=k + lanes.varies(index)) for k in range(rank)]
    made = written.filled(lanes.get(write.value), lanes.varies(write.value), (index.type.shape, sizes))
    if minus:
        made = maker.op("negative", made)
    indices = list(map(lanes.each, write.indices))
    mask = lanes.mask_of(write.mask)
    if mask is not None or written.carried.cut is not None:
        chosen = written.chosen(mask, written.carried.cut)
        made, *indices = (maker.op("take", v, chosen, axis=0) for v in (made, *indices))
    if rank:
        made, *indices = (maker.op("reshape", v, maker.constant(-1)) for v in (made, *indices))
    if x.type.rank == 1:
        return maker.op("scatter_add", x, made, *indices)
    sizes = [maker.op("dim", x, axis=k) for k in range(x.type.rank)]
    places = indices[0] if len(indices) == 1 else _places(lanes, write, indices, sizes, x.type.shape)
    flat = maker.op("scatter_add", maker.op("reshape", x, maker.constant(-1)), made, places)
    return maker.op("reshape", flat, *sizes)


def _places(lanes: Lanes, write: Write, indices: list[Value], sizes: list[Value], shape: tuple[Dim, ...]) -> Value:
    """Where elements with an index for each axis are among all elements in a row."""
    maker = lanes.maker
    if not all(_is_certain(lanes, index, size) for index, size in zip(write.indices, shape, strict=True)):
        count = functools.reduce(lambda a, b: maker.op("multiply", a, b), sizes)
        return maker.op("gather_nd", maker.op("reshape", maker.op("iota", count), *sizes), *indices, axis=0)
    wide = [i if i.type.dtype == np.int64 else maker.op("cast", i, dtype=np.dtype(np.int64)) for i in indices]
    total = wide[0]
    for index, size in zip(wide[1:], sizes[1:], strict=True):
        total = maker.op("add", maker.op("multiply", total, size), index)
    return total


def _is_certain(lanes: Lanes, index: Value, size: Dim) -> bool:
    """Whether an index is inside, and not counted from the end."""
    found = lanes.range_of(index)
    return found is not None and provably_less_equal(0, found[0]) and provably_less_equal(found[1] + 1, size)


__all__ = ["added", "flat_addition", "histogram"]
