"""Parts of an axis that become longer or shorter from round to round, as the whole axis and where its elements count.

    b = x[:, k + 1 :]               b is x, of which the places from k + 1 on count
    v = a[k] @ b            to      v = a @ x                                           # all rounds, all places
    s = sum(v)                      s = sum(where(k[:, None] + 1 <= places, v, 0), axis=1)

One bound moves by one place in each round, and the other one is an end of the axis, so that what is computed in vain is
about as much as what is not.  Places that do not count hold anything, so nothing may fail for what it finds there.
"""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.vectorize.affine import Bound, Part
from graph_program.extract.transform.vectorize.batching import batched
from graph_program.extract.transform.vectorize.lanes import NO_MASK, Lanes
from graph_program.extract.transform.vectorize.maker import INT64_MAX
from graph_program.extract.transform.vectorize.reasons import StaysLoop
from graph_program.extract.types.dims import Dim, dim, provably_less_equal
from graph_program.extract.types.tensors.tensor_type import TensorType
from graph_program.tensor_api.opdef import OPS

ELEMENTWISE = frozenset({"elementwise", "predicate", "where", "cast"})
NOTHING = {"sum": 0, "any": False}
"""Reductions that can do without the places that do not count, by what these hold for them."""


def moving_bound(lanes: Lanes, size: Dim, start: Value, stop: Value) -> tuple[Bound, Value] | None:
    """The one bound that moves, of a slice of an axis, with its value; None if it is another slice."""
    first, behind = lanes.affine_of(start), lanes.affine_of(stop)
    if first is None or behind is None or first.base is None or behind.base is None:
        return None
    to_the_end = behind.base.constant == INT64_MAX or provably_less_equal(size, behind.base)
    if first.factor == 1 and not behind.factor and to_the_end:
        found = Bound(True, first), start
    elif behind.factor == 1 and not first.factor and first.base.constant == 0:
        found = Bound(False, behind), stop
    else:
        return None
    ends = lanes.range_of(found[1])
    return found if ends is not None and provably_less_equal(0, ends[0]) else None


def moving_slice(lanes: Lanes, node: Node) -> Part | None:
    """What stands for a slice, if it is such a part."""
    x = node.inputs[0]
    if len(node.attrs["axes"]) != 1 or tuple(node.attrs["steps"]) != (1,):
        return None
    (axis,) = node.attrs["axes"]
    found = moving_bound(lanes, x.type.shape[axis], *node.inputs[1:])
    return None if found is None else Part(lanes.get(x), lanes.varies(x), axis, *found, node.loc)


def set_part(lanes: Lanes, node: Node) -> None:
    """Do a write into such a part of an array that a round has for itself.

    Raises
    ------
    StaysLoop
        If it is another write.
    """
    x, value, *bounds = node.inputs
    part, others = lanes.parts.get(value), StaysLoop(node.loc, "each round writes another slice")
    if len(node.attrs["axes"]) != 1 or tuple(node.attrs["steps"]) != (1,):
        raise others
    if not lanes.is_known(x) or lanes.maker.is_unset(x):
        raise others
    (axis,), shape = node.attrs["axes"], x.type.shape
    found = moving_bound(lanes, shape[axis], *bounds) if all(map(lanes.is_known, bounds)) else None
    if found is None or (part is None and value.type.rank):
        raise others
    if part is not None and (part.shape, part.axis, part.bound) != (shape, axis, found[0]):
        raise others
    maker = lanes.maker
    mask = counts(lanes, *found, maker.op("dim", lanes.get(x), axis=axis + lanes.varies(x)))
    mask = maker.expand(mask, *(place + 1 for place in range(len(shape)) if place != axis))
    values = lanes.aligned(value, len(shape)) if part is None else part.made
    lanes.define(node.outputs[0], maker.op("where", mask, values, lanes.aligned(x, len(shape))), varying=True)


def counts(lanes: Lanes, bound: Bound, at: Value, size: Value) -> Value:
    """Which places of an axis count in each round."""
    maker = lanes.maker
    places, ends = maker.expand(maker.op("iota", size), 0), maker.expand(lanes.each(at), 1)
    return maker.op("less_equal", ends, places) if bound.begins else maker.op("less", places, ends)


def part_step(lanes: Lanes, node: Node) -> None:
    """Do an operation on parts.

    Raises
    ------
    StaysLoop
        If it has no form for whole axes.
    """
    parts = [lanes.parts[value] for value in node.inputs if value in lanes.parts]
    first = parts[0]
    if any(part.bound != first.bound for part in parts) or node.regions or len(node.outputs) != 1:
        raise _stays(first)
    if any(value.type.rank and lanes.maker.is_unset(value) for value in node.inputs):
        raise _stays(first)
    if node.op == "set_slice":
        set_part(lanes, node)
        return
    (output,) = node.outputs
    if _is_contracted(node, lanes):
        lanes.define(output, _made(lanes, node, [_without_rest(lanes, part, 0) for part in parts]), varying=True)
    elif node.op in NOTHING and first.axis in node.attrs["axes"]:
        lanes.define(output, _made(lanes, node, [_without_rest(lanes, first, NOTHING[node.op])]), varying=True)
    else:
        axis = _axis_behind(lanes, node, first)
        inputs: list[Value | Part] = [lanes.parts.get(value) or value for value in node.inputs]
        varying = any(part.varying if isinstance(part, Part) else lanes.varies(part) for part in inputs)
        lanes.parts[output] = Part(_made(lanes, node, inputs), varying, axis, first.bound, first.at, first.loc)


def _stays(part: Part) -> StaysLoop:
    return StaysLoop(part.loc, "each round reads another slice")


def _made(lanes: Lanes, node: Node, inputs: Sequence[Value | Part]) -> Value:
    """An operation on whole axes, in all rounds."""
    maker, operands = lanes.maker, list[Value]()
    for given in inputs:
        if isinstance(given, Part):
            operands.append(Value(maker.rewriter.names.fresh("part"), TensorType(given.made.type.dtype, given.shape)))
            lanes.inside.add(operands[-1])
            lanes.define(operands[-1], given.made, given.varying)
        else:
            operands.append(given)
    if any(map(lanes.varies, operands)):
        return batched(lanes, Node(node.op, operands, node.outputs, node.attrs, loc=node.loc), NO_MASK)
    return maker.op(node.op, *map(lanes.get, operands), **node.attrs)


def _without_rest(lanes: Lanes, part: Part, nothing: int | bool) -> Part:
    """A part with something in the places that do not count."""
    maker, rank = lanes.maker, len(part.shape)
    size = maker.op("dim", part.made, axis=part.axis + part.varying)
    mask = counts(lanes, part.bound, part.at, size)
    mask = maker.expand(mask, *(axis + 1 for axis in range(rank) if axis != part.axis))
    made = maker.op("where", mask, part.made, maker.constant(nothing, part.made.type.dtype))
    return Part(made, True, part.axis, part.bound, part.at, part.loc)


def _is_contracted(node: Node, lanes: Lanes) -> bool:
    """Whether a product sums up over parts."""
    if node.op != "matmul" or not all(value in lanes.parts for value in node.inputs):
        return False
    a, b = (lanes.parts[value] for value in node.inputs)
    return a.axis == len(a.shape) - 1 and b.axis == 0 and a.shape[-1] == b.shape[0]


def _axis_behind(lanes: Lanes, node: Node, part: Part) -> int:
    """The axis of which the result is a part."""
    family, axis = OPS[node.op].family if node.op in OPS else "", part.axis
    if family in ELEMENTWISE:
        place = len(part.shape) - axis
        if _fit(lanes, node, place):
            return node.outputs[0].type.rank - place
    elif node.op == "transpose":
        return int(node.attrs["perm"].index(axis))
    elif node.op == "take" and not node.inputs[1].type.rank and node.attrs["axis"] != axis:
        return axis - bool(node.attrs["axis"] < axis)
    elif node.op in NOTHING and not node.attrs["keepdims"]:
        return axis - len([other for other in node.attrs["axes"] if other < axis])
    elif node.op == "matmul" and len({*node.inputs} & {*lanes.parts}) == 1:
        a, b = (lanes.parts[v].shape if v in lanes.parts else v.type.shape for v in node.inputs)
        fit = 0 < len(a) <= 2 and 0 < len(b) <= 2 and a[-1] == b[0]
        if fit and node.inputs[1] in lanes.parts and axis == len(b) - 1 == 1:
            return len(a) - 1
        if fit and node.inputs[0] in lanes.parts and axis == 0 and len(a) == 2:
            return 0
    raise _stays(part)


def _fit(lanes: Lanes, node: Node, place: int) -> bool:
    """Whether operands have the same sizes, or none, and parts of the same axis, counted from the last one."""
    shapes = []
    for value in node.inputs:
        part = lanes.parts.get(value)
        if part is not None and len(part.shape) - part.axis != place:
            return False
        shape = value.type.shape if part is None else part.shape
        if part is None and len(shape) >= place and shape[-place] != dim(1):
            return False
        shapes.append((dim(1),) * (node.outputs[0].type.rank - len(shape)) + shape)
    return all(len({size for size in axis if size != dim(1)}) <= 1 for axis in zip(*shapes, strict=True))


__all__ = ["counts", "moving_bound", "moving_slice", "part_step", "set_part"]
