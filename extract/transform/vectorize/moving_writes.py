"""Writes into parts of rows and columns of a matrix that become longer or shorter from round to round.

    for i in range(n):
        c[i, i:] = v[i, i:]                 c = where(places >= i[:, None], v, c)
        c[i:, i] = v[i, i:]         to      c = where(places[:, None] >= i, v.T, c)

A round writes its own row, or its own column, so rounds of one such write are apart.  Of one of rows and one of columns
they are, too, where both begin, or both stop, at the diagonal: what is before it in one is behind it in the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.vectorize.affine import Bound
from graph_program.extract.transform.vectorize.batching import covers, in_order, is_in_order
from graph_program.extract.transform.vectorize.body import Step
from graph_program.extract.transform.vectorize.lanes import Lanes
from graph_program.extract.transform.vectorize.moving import counts, moving_bound
from graph_program.extract.transform.vectorize.writes import Write
from graph_program.extract.types.dims import Dim


@dataclass(frozen=True)
class Body:
    """The body of a loop: what is known of all rounds, and what makes each value."""

    lanes: Lanes
    makers: Mapping[Value, Step]


@dataclass(frozen=True)
class _Line:
    """`x[index, start:] = value`, or `x[start:, index] = value` for the axis 1.

    Attributes
    ----------
    axis : int
        That of the index.
    index : Value
    value : Value
    bound : Bound
    at : Value
        The bound in the body.
    inner : tuple of Value
        What the body makes on the way.
    """

    axis: int
    index: Value
    value: Value
    bound: Bound
    at: Value
    inner: tuple[Value, ...] = ()


def lines(body: Body, writes: list[Write], chain: set[Value]) -> tuple[list[_Line], set[Value]] | None:
    """Writes as such lines, with all that the body makes on the way; None if one is something else."""
    found = [_line(body, write) for write in writes]
    known = [line for line in found if line is not None]
    if len(known) < len(found) or not _are_apart(body, known):
        return None
    return known, chain.union(*(line.inner for line in known))


def placed(body: Body, x: Value, found: list[_Line]) -> Callable[[], Value]:
    """What makes the matrix behind all rounds of what it was before the loop."""

    def final() -> Value:
        made = x
        for line in found:
            made = _place(body, made, line)
        return made

    return final


def _line(body: Body, write: Write) -> _Line | None:
    x = write.node.inputs[0].type
    if x.rank != 2 or write.mask or write.adds:
        return None
    found = _of_row(body, write.node) if write.node.op == "set_index" else _of_places(body, write)
    if found is None or not _is_fitting(body, found, x.shape[1 - found.axis]):
        return None
    return found if is_in_order(body.lanes, found.index, x.shape[found.axis]) else None


def _of_row(body: Body, node: Node) -> _Line | None:
    """`set_index(x, set_slice(take(x, i), value, start, stop), i)`."""
    x, row, *indices = node.inputs
    step = body.makers.get(row)
    if len(indices) != 1 or step is None or step.node.op != "set_slice" or step.node.attrs["steps"] != (1,):
        return None
    before, value, start, stop = step.node.inputs
    read = body.makers.get(before)
    if read is None or read.node.op != "take" or read.node.attrs["axis"] or read.node.inputs != [x, indices[0]]:
        return None
    found = moving_bound(body.lanes, x.type.shape[1], start, stop)
    return None if found is None else _Line(0, indices[0], value, *found, inner=(row, before))


def _of_places(body: Body, write: Write) -> _Line | None:
    """`scatter_nd(x, value, places, i)`, where the places are some of 0, 1, ..."""
    lanes = body.lanes
    for axis, index in enumerate(write.indices):
        part = lanes.parts.get(write.indices[1 - axis]) if len(write.indices) == 2 else None
        if part is None or part.varying:
            continue
        number, size = spread_number(body, index), write.node.inputs[0].type.shape[1 - axis]
        if number is not None and part.shape == (size,) and _are_numbers(body, part.made):
            return _Line(axis, number, write.value, part.bound, part.at, (index,) if index.type.rank else ())
    return None


def spread_number(body: Body, index: Value) -> Value | None:
    """The number of which indices are made, or which they are; None if they are others."""
    if not index.type.rank:
        return index
    step = body.makers.get(index)
    spread = step is not None and step.node.op == "broadcast_to" and not step.node.inputs[0].type.rank
    return step.node.inputs[0] if step is not None and spread else None


def _are_numbers(body: Body, made: Value) -> bool:
    """Whether an array is 0, 1, ..."""
    node = body.lanes.maker.rewriter.producer.get(made)
    return node is not None and node.op == "iota"


def in_block(body: Body, x: Value, write: Write) -> Value | None:
    """A write of the same part of a row or column, in each round of the next one, as one slice of both axes."""
    lanes, maker = body.lanes, body.lanes.maker
    is_of_lines = len(write.indices) == x.type.rank == 2 and not write.mask and write.node.op == "scatter_nd"
    if not is_of_lines or write.value.type.rank != 1 or not lanes.varies(write.value):
        return None
    for axis, index in enumerate(write.indices):
        number, places = spread_number(body, index), body.makers.get(write.indices[1 - axis])
        if number is None or places is None or not _is_part_of_numbers(body, places.node, x.type.shape[1 - axis]):
            continue
        run, part = in_order(lanes, number, x.type.shape[axis]), tuple(map(lanes.get, places.node.inputs[1:]))
        if run is None:
            continue
        starts, stops = zip(*((part, run) if axis else (run, part)), strict=True)
        values = lanes.get(write.value)
        values = maker.op("transpose", values, perm=(1, 0)) if axis else values
        return maker.op("set_slice", x, values, *starts, *stops, axes=(0, 1), steps=(1, 1))
    return None


def _is_part_of_numbers(body: Body, node: Node, size: Dim) -> bool:
    """Whether indices are a slice of 0, 1, ... up to a size that is the same in each round."""
    lanes = body.lanes
    if node.op != "slice" or tuple(node.attrs["steps"]) != (1,) or any(map(lanes.varies, node.inputs)):
        return False
    return node.inputs[0].type.shape == (size,) and _are_numbers(body, lanes.get(node.inputs[0]))


def _is_fitting(body: Body, line: _Line, size: Dim) -> bool:
    """Whether what is written is as long as the part, or one number."""
    lanes, part = body.lanes, body.lanes.parts.get(line.value)
    if not lanes.is_known(line.index) or not lanes.is_known(line.at):
        return False
    if part is None:
        return not line.value.type.rank and lanes.is_known(line.value)
    return part.shape == (size,) and part.bound == line.bound


def _are_apart(body: Body, found: list[_Line]) -> bool:
    """Whether no round writes where another one does."""
    for a, b in itertools.combinations(found, 2):
        if body.lanes.affine_of(a.index) != body.lanes.affine_of(b.index):
            return False
        if a.axis == b.axis:
            continue
        if a.bound.begins != b.bound.begins or not all(_is_on_one_side(body, line) for line in (a, b)):
            return False
    return True


def _is_on_one_side(body: Body, line: _Line) -> bool:
    """Whether all that is written is on the diagonal and behind it, or on it and before it."""
    index, bound = body.lanes.affine_of(line.index), line.bound.affine
    if index is None or index.base is None or bound.base is None:
        return False
    gap = (bound.base - index.base).constant
    return gap is not None and (gap >= 0 if line.bound.begins else gap <= 1)


def _place(body: Body, x: Value, line: _Line) -> Value:
    """What the lines of all rounds make of a matrix."""
    lanes, maker = body.lanes, body.lanes.maker
    part = lanes.parts.get(line.value)
    mask = counts(lanes, line.bound, line.at, maker.op("dim", x, axis=1 - line.axis))
    values = lanes.get(line.value) if part is None else part.made
    if part is None and lanes.varies(line.value):
        values = maker.expand(values, 1)
    if line.axis:
        mask = maker.op("transpose", mask, perm=(1, 0))
        if values.type.rank == 2:
            values = maker.op("transpose", values, perm=(1, 0))
        elif values.type.rank:
            values = maker.expand(values, 1)
    if covers(lanes, line.index, x.type.shape[line.axis]):
        return maker.op("where", mask, values, x)
    bounds, where = in_order(lanes, line.index, x.type.shape[line.axis]), {"axes": (line.axis,), "steps": (1,)}
    assert bounds is not None
    rows = maker.op("where", mask, values, maker.op("slice", x, *bounds, **where))
    return maker.op("set_slice", x, rows, *bounds, **where)


__all__ = ["Body", "in_block", "lines", "placed", "spread_number"]
