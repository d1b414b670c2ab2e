"""Blocks of an array that rounds write, as loops inside of them do.

    for y in range(h):                              y = reshape(v, -1)
        out[y * w : y * w + w] = v[y]       to      out = y, or set_slice(out, y, 0, h * w)

        out[4 * i : 4 * i + 3] = v[i]       to      out[4 * i], ... = v[i, 0], ...

Blocks that stand one behind the other are one slice; where a round begins and stops to write are polynomials in sizes
and in the number of the round.  Others are written by element, if they have few.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.linear import Linear, linear
from graph_program.extract.transform.vectorize.affine import Affine
from graph_program.extract.transform.vectorize.lanes import Lanes
from graph_program.extract.transform.vectorize.maker import INT64_MAX
from graph_program.extract.transform.vectorize.writes import Write
from graph_program.extract.types.dims import Dim, dim, provably_less_equal, put_in
from graph_program.extract.types.tensors.tensor_type import PY_INT, TensorType

FEW = 8
"""Elements of a block."""


def block_of(node: Node, maker: Callable[[Value], Node | None]) -> tuple[Node, list[Value]] | None:
    """A write of a slice of the first axis of an array, and what it reads of that on the way; None for others.

    `concatenate(x[:start], value, x[stop:])` is one.
    """
    if node.op == "set_slice":
        is_first = tuple(node.attrs["axes"]) == (0,) and tuple(node.attrs["steps"]) == (1,)
        return (node, []) if is_first and node.inputs[0].type.rank == node.inputs[1].type.rank else None
    if node.op != "concatenate" or node.attrs["axis"] or len(node.inputs) != 3:
        return None
    before, value, behind = node.inputs
    sides = [side for side in map(maker, (before, behind)) if side is not None and side.op == "slice"]
    if len(sides) < 2 or any(side.attrs != {"axes": (0,), "steps": (1,)} for side in sides):
        return None
    (x, zero, start), (other, stop, end) = (side.inputs for side in sides)
    ends, length = [linear(one, maker) for one in (zero, end)], linear(stop, maker) - linear(start, maker)
    is_rest = x is other and ends == [Linear(), Linear({}, INT64_MAX)] and value.type.rank == x.type.rank
    if not is_rest or length.terms or value.type.shape[0].constant != length.constant:
        return None
    written = Node("set_slice", [x, value, start, stop], node.outputs, {"axes": (0,), "steps": (1,)}, loc=node.loc)
    return written, [before, behind]


def are_adjacent(lanes: Lanes, node: Node) -> bool:
    """Whether all rounds write blocks of one size, each behind that of the round before, and all of them inside."""
    return _ends(lanes, node) is not None


def _ends(lanes: Lanes, node: Node) -> tuple[Dim, Dim] | None:
    """Where the first round begins to write, and the last one stops."""
    numbers = lanes.maker.numbers
    trips, counter = numbers.of(lanes.trips), numbers.of(lanes.counter)
    if trips is None or counter is None or counter.atom is None or lanes.first is not None:
        return None
    x, value, start, stop = node.inputs
    first, behind = numbers.of(start), numbers.of(stop)
    (name,) = counter.symbols or ("",)
    if first is None or behind is None or put_in(first, {name: counter + 1}) != behind:
        return None
    begin, end, length = put_in(first, {name: dim(0)}), put_in(first, {name: trips}), behind - first
    fits = name not in length.symbols and value.type.shape == (length, *x.type.shape[1:])
    inside = all(provably_less_equal(0, size) for size in (trips, begin, length))
    return (begin, end) if fits and inside and provably_less_equal(end, x.type.shape[0]) else None


def written_behind_each_other(lanes: Lanes, x: Value, node: Node) -> Value:
    """What the blocks of all rounds, which are adjacent, make of an array."""
    maker, ends = lanes.maker, _ends(lanes, node)
    assert ends is not None
    rows = lanes.each(node.inputs[1])
    rest = [maker.op("dim", x, axis=axis) for axis in range(1, x.type.rank)]
    flat = maker.op("reshape", rows, maker.constant(-1), *rest)
    if ends == (dim(0), x.type.shape[0]):
        return flat
    return maker.op("set_slice", x, flat, *map(maker.size, ends), axes=(0,), steps=(1,))


def by_element(lanes: Lanes, writes: Sequence[Write]) -> list[Write] | None:
    """Writes with each element of a block for itself; None if one has many, or may be outside."""
    found = list[Write]()
    for write in writes:
        elements = _elements(lanes, write) if write.is_block else [write]
        if elements is None:
            return None
        found += elements
    return found


def _elements(lanes: Lanes, write: Write) -> list[Write] | None:
    x, value, start, _ = write.node.inputs
    if value.type.shape[1:] != x.type.shape[1:]:
        return None
    length, place, maker = value.type.shape[0].constant, lanes.affine_of(start), lanes.maker
    if length is None or length > FEW or place is None or place.base is None:
        return None
    size, found, mark = x.type.shape[0], list[Write](), maker.mark()
    for number in range(length):
        index = Value(maker.rewriter.names.fresh("place"), PY_INT)
        element = Value(maker.rewriter.names.fresh("element"), TensorType(value.type.dtype, value.type.shape[1:]))
        lanes.inside.update((index, element))
        lanes.define(index, maker.op("add", lanes.get(start), maker.constant(number)), lanes.varies(start))
        lanes.affine[index] = Affine(place.factor, place.base + number)
        part = maker.op("take", lanes.get(value), maker.constant(number), axis=int(lanes.varies(value)))
        lanes.define(element, part, lanes.varies(value))
        if not lanes.is_inside(index, size) or not provably_less_equal(0, place.base):
            maker.forget(mark)
            return None
        found.append(Write(write.node, (index,), element, write.mask))
    return found


__all__ = ["are_adjacent", "block_of", "by_element", "written_behind_each_other"]
