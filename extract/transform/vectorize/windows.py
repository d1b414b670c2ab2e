"""Parts of an array that move with the rounds: frames behind each other, and windows that overlap.

    x[k * 160 : (k + 1) * 160]      to      reshape(x[: n * 160], (n, 160))
    x[k : k + 3]                    to      x[k[:, None] + [0, 1, 2]]
    x[i : i + 3, k : k + 3]         to      x[i : i + 3][:, k[:, None] + [0, 1, 2]]

All of them are equally long and inside the array.  One axis moves: others are cut before, as they are in any round.
"""

from __future__ import annotations

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.vectorize.affine import Affine
from graph_program.extract.transform.vectorize.lanes import Lanes
from graph_program.extract.types.dims import dim, provably_equal, provably_less_equal
from graph_program.extract.types.tensors.tensor_type import TensorType


def windows(lanes: Lanes, node: Node) -> Value | None:
    """The part of an axis that each round reads; None if they are not all equally long, or not all inside."""
    axes, steps, count = node.attrs["axes"], node.attrs["steps"], len(node.attrs["axes"])
    bounds = list(zip(node.inputs[1 : count + 1], node.inputs[count + 1 :], strict=True))
    moving = [i for i in range(count) if any(map(lanes.varies, bounds[i]))]
    if len(moving) != 1 or steps[moving[0]] != 1 or lanes.varies(node.inputs[0]):
        return None
    x, axis, (start, stop) = lanes.get(node.inputs[0]), axes[moving[0]], bounds[moving[0]]
    first, behind = lanes.affine_of(start), lanes.affine_of(stop)
    if first is None or behind is None or first.base is None or behind.base is None:
        return None
    if first.factor != behind.factor:
        return None
    length = behind.base - first.base
    least, most = lanes.range_of(start), lanes.range_of(stop)
    if least is None or most is None or not provably_less_equal(0, length):
        return None
    if not provably_less_equal(0, least[0]) or not provably_less_equal(most[1], x.type.shape[axis]):
        return None
    others = [i for i in range(count) if i not in moving]
    if others:
        ends = [lanes.get(bounds[i][k]) for k in range(2) for i in others]
        where = {"axes": tuple(axes[i] for i in others), "steps": tuple(steps[i] for i in others)}
        whole, part = x.type, node.outputs[0].type
        x = lanes.maker.op("slice", x, *ends, **where)
        x.type = TensorType(whole.dtype, (*part.shape[:axis], whole.shape[axis], *part.shape[axis + 1 :]), whole.kind)
    if first.factor == length.constant and length.constant and not axis:
        return _frames(lanes, x, first)
    maker = lanes.maker
    constant = length.constant
    counted = maker.op("iota", maker.size(length)) if constant is None else maker.constant(np.arange(constant))
    made = maker.op("take", x, maker.op("add", maker.expand(lanes.get(start), 1), counted), axis=axis)
    if not axis:
        return made
    return maker.op("transpose", made, perm=(axis, *(k for k in range(made.type.rank) if k != axis)))


def _frames(lanes: Lanes, x: Value, first: Affine) -> Value:
    """Parts that lie behind each other."""
    maker, length = lanes.maker, lanes.maker.constant(first.factor)
    begin = lanes.start(first)
    if (
        first.base != dim(0)
        or lanes.first is not None
        or not provably_equal(lanes.size * first.factor, x.type.shape[0])
    ):
        x = maker.rows(x, begin, maker.op("add", begin, maker.op("multiply", lanes.count, length)))
    rest = [maker.op("dim", x, axis=axis) for axis in range(1, x.type.rank)]
    return maker.op("reshape", x, lanes.count, length, *rest)


__all__ = ["windows"]
