"""One loop as array operations, at once or in blocks, or the reason why it stays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.rewrite import Rewriter, defined_in
from graph_program.extract.transform.vectorize.blocks import LARGEST, Shape, beyond, rounds_at_once
from graph_program.extract.transform.vectorize.body import read_by
from graph_program.extract.transform.vectorize.loop import Context, Made, Vectorized
from graph_program.extract.transform.vectorize.maker import INT64_MAX, Maker
from graph_program.extract.transform.vectorize.reasons import StaysLoop
from graph_program.extract.types.dims import Dim, provably_less_equal

FEW = 2**13
"""So many rounds are done at once where the loop may end in any of them."""


def vectorized_loop(rewriter: Rewriter, context: Context, node: Node, is_outermost: bool) -> Made:
    """The nodes that do a loop at once, and what they give for its outputs.

    One that may end early, and is in no other one, does a block of rounds at once.

    Raises
    ------
    StaysLoop
        If the loop has to stay.
    """
    if not node.outputs:
        raise StaysLoop(node.loc, "it gives nothing")
    trips = rewriter.constant_of(node.inputs[0])
    if trips is not None and int(trips) == INT64_MAX:
        raise StaysLoop(node.loc, "how many rounds it has is not known when it begins")
    all_at_once = Vectorized(rewriter, context, node)
    made = all_at_once.make()
    many = not provably_less_equal(all_at_once.lanes.size, FEW)
    may_lose = all_at_once.lanes.lost is not None
    if all_at_once.ends_early and many and is_outermost and not may_lose and node not in context.failing:
        return _ending_in_blocks(rewriter, context, node) or made
    around = rewriter.producer.values()
    large = beyond(_read(*made), context.there, [*node.outputs, *all_at_once.read], around, context.ranges)
    if may_lose:
        return in_blocks(rewriter, context, node, (large, made[0], all_at_once.lanes.size), may_lose)
    if not large:
        return made
    if not all_at_once.lanes.size.symbols:
        raise StaysLoop(node.loc, "all its rounds at once would take much more memory than its arrays do")
    if all(slot.is_last for slot in all_at_once.slots):
        raise StaysLoop(node.loc, "only its last round counts")
    return in_blocks(rewriter, context, node, (large, made[0], all_at_once.lanes.size))


def _read(nodes: Sequence[Node], outputs: Iterable[Value]) -> list[Node]:
    """Of nodes, those that make what somebody reads, beside those of their inner graphs."""
    kept, read = list[Node](), set(outputs)
    for node in reversed(nodes):
        if read.isdisjoint(node.outputs):
            continue
        for region in node.regions:
            kept += _read(region.nodes, region.outputs)
        kept.append(replace(node, regions=[]))
        read.update(read_by(node))
    return kept


def _ending_in_blocks(rewriter: Rewriter, context: Context, node: Node) -> Made | None:
    """A loop that does few rounds at once, as it may end in any; None if a block is not known to be like all of it."""
    try:
        return in_blocks(rewriter, context, node)
    except StaysLoop:
        return None


def in_blocks(
    rewriter: Rewriter,
    context: Context,
    node: Node,
    large: tuple[list[Shape], list[Node], Dim] | None = None,
    may_lose: bool = False,
) -> Made:
    """A loop that does a block of rounds at once; one that may lose some begins the next block with the first of them.

    Parameters
    ----------
    large : tuple of list of Shape and list of Node and Dim, optional
        What all rounds at once would make that is too large, what makes it, and the number of lanes in it.
    may_lose : bool
        See `endless`.
    """
    maker = Maker(rewriter, context.numbers, node.loc)
    maker.is_unset, maker.there = context.is_unset, {*context.there, *context.arrays}
    _note_sizes(maker, node)
    trips, condition, *initial = node.inputs
    rounds = rounds_at_once(maker, *large) if large and large[0] else maker.constant(FEW)
    if large and large[0] and may_lose:
        rounds = maker.op("minimum", rounds, maker.constant(FEW))
    blocks = trips if may_lose else _blocks(maker, context, trips, rounds)
    most = maker.op("minimum", rounds, trips) if rewriter.depth else rounds  # which the loop around may ask for
    number = Value(rewriter.names.fresh("block"), node.regions[0].inputs[0].type)
    carried = [rewriter.like(p) for p in node.regions[0].inputs[1:]]
    position = Value(rewriter.names.fresh("position"), number.type)
    mark = maker.mark()
    first = position if may_lose else maker.op("multiply", number, rounds)
    block = first, maker.op("minimum", most, maker.op("subtract", trips, first))
    inner = Vectorized(rewriter, context, node, block, carried)
    nodes, outputs = inner.make()
    again = inner.again(outputs)
    region = maker.graph([number, *carried], [again, *outputs], mark)
    region.nodes += nodes
    made = Node("loop", [blocks, condition, *initial], list(node.outputs), {}, [region], node.loc)
    if may_lose:
        _carry_position(inner, made, position)
    maker.nodes.append(made)
    return maker.nodes, node.outputs


def _blocks(maker: Maker, context: Context, trips: Value, rounds: Value) -> Value:
    """How many blocks all rounds are; of more than 64 bits hold with those of a block nobody waits for the last."""
    found = context.ranges.of(trips)
    if found is None or not provably_less_equal(found[1], INT64_MAX - LARGEST):
        trips = maker.op("minimum", trips, maker.constant(INT64_MAX - LARGEST))
    rest = maker.op("subtract", maker.op("add", trips, rounds), maker.constant(1))
    return maker.op("floor_divide", rest, rounds)


def _carry_position(inner: Vectorized, loop: Node, position: Value) -> None:
    """Have a block begin where the one before has ended."""
    maker, (body,) = inner.maker, loop.regions
    count, trips = inner.carried.cut, inner.trips
    assert count is not None
    mark = maker.mark()
    behind = maker.op("add", position, count)
    again = maker.op("bitwise_and", body.outputs[0], maker.op("less", behind, trips))
    body.nodes += maker.forget(mark)
    body.inputs, body.outputs = [*body.inputs, position], [again, *body.outputs[1:], behind]
    loop.inputs = [*loop.inputs, maker.constant(0)]
    loop.outputs = [*loop.outputs, maker.rewriter.like(position)]


def _note_sizes(maker: Maker, node: Node) -> None:
    """Take note of sizes that can be read before a loop."""
    inside = defined_in(node.regions)
    for inner in node.regions[0].walk():
        for value in inner.inputs:
            if value not in inside:
                maker.note(value)
    for value in node.inputs[2:]:
        maker.note(value)


__all__ = ["vectorized_loop"]
