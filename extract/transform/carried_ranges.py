"""Between which sizes the integers lie that loops carry, as numbers or as the elements of arrays.

    loop with i = 0:                    i is in 0 .. n: it is 0 where the loop begins, and what a round
        if less(i, n) and ...:          gives is in 0 .. n if i was
            i1 = add(i, 1)
        give ..., i1

What holds where a loop begins is supposed of each round, and given up where a round may end it (Flanagan and Leino,
"Houdini, an annotation assistant", 2001): a lower bound then is 0, if the value begins above it, and an upper one that
of what it is compared with, or of another carried number; behind these nothing is supposed.  Of the elements of arrays
that is supposed, too, which a round has put there (`last[c] = i`).  What rounds give then is what is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.integer_ranges import DEEPEST, Ranges
from graph_program.extract.transform.orders import Range, either, most_of_sizes
from graph_program.extract.transform.range_facts import COMPARISONS
from graph_program.extract.transform.range_rules import ANY, MOST_ROUNDS
from graph_program.extract.transform.rewrite import defined_in
from graph_program.extract.types.dims import Dim, dim, provably_less_equal

COUNTED, GROWN = dim(2**52), dim(2 * MOST_ROUNDS)
STEPS = {COUNTED: 2**4, GROWN: 2**20}
"""What a number that a round changes by so little does not come to in any time there is."""
DEEP = 3 * DEEPEST
"""So many operations of a round are looked through: what a round gives stands behind all of its checks."""
MOST_TRIES = 8
"""So often bounds are given up before all that do not hold are."""
MOST_STORED = 3
"""So often what rounds put into an array is supposed of its elements."""


@dataclass
class _Carried:
    """A number that a loop carries, with the bounds that are left to suppose: the first of them is."""

    parameter: Value
    given: Value
    output: Value
    initial: Range
    lows: list[Dim]
    highs: list[Dim]
    stored: int = 0

    @property
    def supposed(self) -> Range:
        return self.lows[0], self.highs[0]


def carried_ranges(graph: Graph) -> Mapping[Value, Range]:
    """Between which sizes the integers lie that the loops of a graph carry, and give."""
    ranges = Ranges(only_read=True)
    _note_all(ranges, graph)
    return ranges.kept


def _note_all(ranges: Ranges, graph: Graph) -> None:
    for node in graph.nodes:
        ranges.note(node)
    for node in graph.nodes:
        if node.op == "loop":
            note_carried(ranges, node)
            _note_all(ranges, node.regions[0])
        elif node.op == "if":
            for region, holds in zip(node.regions, (True, False), strict=True):
                with ranges.where(node.inputs[0], holds):
                    _note_all(ranges, region)


def note_carried(ranges: Ranges, loop: Node) -> None:
    """Note between which sizes the integers lie that a loop carries, and gives."""
    (body,) = loop.regions
    for node in body.walk():
        ranges.note(node)
    carried = _carried(ranges, loop)
    if all(one.parameter in ranges.kept and not {*ANY} & {*ranges.kept[one.parameter]} for one in carried):
        return  # where it is part of another loop, that was found before
    for inner in _loops(body):  # what they give is told of rounds below
        note_carried(ranges, inner)
    sizes = ranges.sizes_outside(loop, DEEPEST)
    found = next((found for _ in range(MOST_TRIES) if (found := _kept_to(ranges, body, carried, sizes))), None)
    for one, given in zip(carried, found or (), strict=False):
        known = either(given, one.initial)
        if known is None or not sizes >= known[0].symbols | known[1].symbols:
            known = one.supposed
        if known != ANY:
            ranges.keep(one.parameter, known)
            ranges.keep(one.output, known)


def _loops(graph: Graph) -> Iterator[Node]:
    """The loops of a graph that are in no other one of its loops."""
    for node in graph.nodes:
        if node.op == "loop":
            yield node
        elif node.op == "if":
            for region in node.regions:
                yield from _loops(region)


def _carried(ranges: Ranges, loop: Node) -> list[_Carried]:
    (body,) = loop.regions
    found: list[tuple[Value, Value, Value, Range]] = []
    parts = zip(loop.inputs[2:], body.inputs[1:], body.outputs[1:], loop.outputs, strict=True)
    for initial, parameter, given, output in parts:
        if (
            parameter.type.dtype == np.int64
            and given is not parameter
            and not (ranges.only_read and ranges.is_undefined(initial))
        ):
            found.append((parameter, given, output, ranges.of(initial) or ANY))
    begun = [high for *_, (_, high) in found if high != ANY[1]]
    tested = _compared_with(ranges, body, [parameter for parameter, *_ in found])
    carried = []
    for parameter, given, output, (low, high) in found:
        ends = [*tested[parameter], *begun]
        lows = [low, *([dim(0)] if low != dim(0) and provably_less_equal(0, low) else [])]
        highs = [high, *dict.fromkeys(end for end in ends if end != high and provably_less_equal(high, end))]
        lows += [-end for end in STEPS if _is_near(low, end)]
        highs += [end for end in STEPS if _is_near(high, end)]
        carried.append(_Carried(parameter, given, output, (low, high), [*lows, ANY[0]], [*highs, ANY[1]]))
    return carried if any(one.supposed != ANY for one in carried) else []


def _is_near(number: Dim, end: Dim) -> bool:
    """Whether a number is one from which rounds do not come to an end that is far from it."""
    most = [most_of_sizes(one) for one in (number, -number)]
    return all(one is not None and provably_less_equal(2 * one, end) for one in most)


def _keeps(bound: Dim, end: Dim) -> bool:
    """Whether an end is not above a bound, or only by what a round adds to a number that it may come near to."""
    return provably_less_equal(end, bound + STEPS.get(bound, 0))


def _compared_with(ranges: Ranges, body: Graph, numbers: list[Value]) -> dict[Value, list[Dim]]:
    """What each of the numbers is compared with that is one number, or a size from outside; the least numbers first."""
    inside, found = defined_in([body]), {value: dict[Dim, None]() for value in numbers}
    for node in body.walk():
        for value, other in (node.inputs, node.inputs[::-1]) if node.op in COMPARISONS else ():
            if value not in found or (other in inside and not ranges.is_constant(other)):
                continue
            known = ranges.compared(other)
            if known is not None and known[0] == known[1]:
                found[value][known[0]] = None
    return {
        value: sorted(ends, key=lambda end: (end.constant is None, end.constant or 0)) for value, ends in found.items()
    }


def _kept_to(ranges: Ranges, body: Graph, carried: list[_Carried], sizes: frozenset[str]) -> list[Range] | None:
    """What rounds give, if they keep to what is supposed; None behind what is given up else."""
    outside, holds = ranges.here, True
    supposed = {one.parameter: one.supposed for one in carried}
    ranges.here = replace(outside, facts=(*outside.facts, supposed))
    found = [ranges.of_behind(body, one.given, DEEP) or ANY for one in carried]
    ranges.here = outside
    for one, (low, high) in zip(carried, found, strict=True):
        begun, end = one.initial
        for bounds, stored, keeps, begins_so in (
            (one.lows, low, _keeps(-one.lows[0], -low), provably_less_equal(low, begun)),
            (one.highs, high, _keeps(one.highs[0], high), provably_less_equal(end, high)),
        ):
            if len(bounds) > 1 and not keeps:
                bounds.pop(0)
                bounds[:0] = _stored(one, stored, sizes) if begins_so else []
                holds = False
    return found if holds else None


def _stored(one: _Carried, end: Dim, sizes: frozenset[str]) -> list[Dim]:
    """The end of what a round puts into an array that begins with less, if sizes from outside tell it."""
    if not one.parameter.type.shape or end in ANY or one.stored == MOST_STORED or not sizes >= end.symbols:
        return []
    one.stored += 1
    return [end]


__all__ = ["carried_ranges", "note_carried"]
