"""Whether rounds may write in another order than they do: all of one write before all of the next one.

    for j in range(i + 1, n):
        d[i, j] = v[j]          to      d[i, i + 1 :] = v
        d[j, i] = v[j]                  d[i + 1 :, i] = v

They may where no place is written in two rounds, or by sides of a choice that exclude each other.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from graph_program.extract.ir.graph import Value
from graph_program.extract.transform.linear import DEEPEST, Linear, linear
from graph_program.extract.transform.vectorize.lanes import Lanes
from graph_program.extract.transform.vectorize.writes import Write
from graph_program.extract.types.dims import Dim, dim, provably_less_equal, put_in
from graph_program.extract.types.tensors.shape_arithmetic import Shape


def may_be_ordered(lanes: Lanes, writes: list[Write], shape: Shape) -> bool:
    """Whether one write into an array may be done in all rounds before another one is."""
    if any(w.adds for w in writes):
        return len(writes) == 1 or all(w.adds for w in writes)
    if len(writes) == 1:
        return True
    if all(w.indices == writes[0].indices for w in writes) and _sides_exclude(writes):
        return True
    axes = ([w.indices[k] if len(w.indices) > k else None for w in writes] for k in range(len(shape)))
    if any(_rounds_apart(lanes, *pair) for pair in zip(axes, shape, strict=True)):
        return True
    return all(_meet_in_one_round(lanes, *pair) for pair in itertools.combinations(writes, 2))


def is_apart(lanes: Lanes, index: Value, size: Dim) -> bool:
    """Whether an index is another place in each round, or indices are other places."""
    if index.type.rank:
        return _spans_apart(lanes, [index])
    found = lanes.affine_of(index)
    if found is None or not found.factor:
        return False
    ends = lanes.range_of(index)
    if ends is None:
        return False
    return (
        provably_less_equal(0, ends[0])
        or provably_less_equal(ends[1] + 1, 0)
        or provably_less_equal(ends[1] - ends[0] + 1, size)
    )


def _spans_apart(lanes: Lanes, indices: Sequence[Value]) -> bool:
    """Whether all places of each round are behind those of the round before, which count from the front."""
    counter = lanes.maker.numbers.of(lanes.counter)
    found = [_span(lanes, index) for index in indices]
    spans = [span for span in found if span is not None]
    if counter is None or counter.atom is None or len(spans) < len(found):
        return False
    (name,) = counter.symbols
    if not all(provably_less_equal(0, put_in(low, {name: dim(0)})) for low, _ in spans):
        return False
    behind = [put_in(low, {name: counter + 1}) for low, _ in spans]
    rises = all(provably_less_equal(low, later) for (low, _), later in zip(spans, behind, strict=True))
    return rises and all(provably_less_equal(high + 1, later) for _, high in spans for later in behind)


def _span(lanes: Lanes, index: Value, depth: int = DEEPEST) -> tuple[Dim, Dim] | None:
    """The first place of a round, and the last one, of sums of numbers and multiples of 0, 1, ..."""
    place, node = lanes.maker.numbers.of(index), lanes.maker.rewriter.producer.get(index)
    if place is not None:
        return place, place
    if node is not None and node.op == "iota":
        return dim(0), index.type.shape[0] - 1
    if node is None or node.op not in ("add", "multiply") or not depth:
        return None
    a, b = (_span(lanes, value, depth - 1) for value in node.inputs)
    if a is None or b is None:
        return None
    (low, high), (least, most) = a, b
    if node.op == "add":
        return low + least, high + most
    return (low * least, high * most) if provably_less_equal(0, low) and provably_less_equal(0, least) else None


def _sides_exclude(writes: list[Write]) -> bool:
    """Whether two writes are on the two sides of one choice."""
    return len(writes) == 2 and any((test, not side) in writes[1].mask for test, side in writes[0].mask)


def _rounds_apart(lanes: Lanes, indices: list[Value | None], size: Dim) -> bool:
    """Whether no round writes where another one does, by an index of each write."""
    found = [None if index is None else lanes.affine_of(index) for index in indices]
    if any(f is None or f.base is None or not f.factor or f.factor != found[0].factor for f in found):  # type: ignore[union-attr]
        known = [index for index in indices if index is not None]
        same = len(known) == len(indices) and all(index is known[0] for index in known)
        return (same and is_apart(lanes, known[0], size)) or (len(known) == len(indices) and _spans_apart(lanes, known))
    if not all(index is not None and _counts_from_front(lanes, index) for index in indices):
        return False
    for a, b in itertools.combinations(found, 2):
        gap = (a.base - b.base).constant  # type: ignore[union-attr, operator]
        if gap is None or (gap and not gap % a.factor):  # type: ignore[union-attr]
            return False
    return True


def _meet_in_one_round(lanes: Lanes, a: Write, b: Write) -> bool:
    """Whether two writes can be to one place in one round only, as `x[i, j]` and `x[j, i]` are.

    One axis then says of the round of the first what another one says of that of the second.
    """
    if len(a.indices) != len(b.indices):
        return False
    found: list[list[tuple[int, Linear]]] = [[], []]
    for pair in zip(a.indices, b.indices, strict=True):
        first, second = (_of_round(lanes, index) for index in pair)
        if first is None or second is None:
            return False
        for rounds, (factor, rest), (other_factor, other) in ((found[0], first, second), (found[1], second, first)):
            if factor and not other_factor:
                rounds.append((factor, other - rest))
    return any(rounds in found[1] for rounds in found[0])


def _of_round(lanes: Lanes, index: Value) -> tuple[int, Linear] | None:
    """By what a place that counts from the front changes from round to round, and what else it is the sum of."""
    if index.type.rank or not _counts_from_front(lanes, index):
        return None
    form = linear(index, lanes.maker.rewriter.producer.get)
    rest = form.without(lanes.counter)
    shared = all(lanes.is_known(value) and not lanes.varies(value) for value in rest.terms)
    return (form.terms.get(lanes.counter, 0), rest) if shared else None


def _counts_from_front(lanes: Lanes, index: Value) -> bool:
    """Whether an index is never negative."""
    ends = lanes.range_of(index)
    return ends is not None and provably_less_equal(0, ends[0])


__all__ = ["is_apart", "may_be_ordered"]
