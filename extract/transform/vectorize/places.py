"""How many rounds a loop has at most that goes on only while the places it counts are inside.

    loop(k < r):                                loop(k < minimum(r, n - i + 1)):
        give less(add(i, k), n), ...    to          give less(add(i, k), n), ...

A number that is an argument says nothing of how much memory all rounds take at once; what they read does.  The last
round of those that are left is one that ends the loop, or fails.
"""

from __future__ import annotations

from collections.abc import Iterator

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.conjuncts import conjuncts
from graph_program.extract.transform.linear import linear
from graph_program.extract.transform.orders import HIGHEST
from graph_program.extract.transform.range_facts import COMPARISONS
from graph_program.extract.transform.ranged import RangedRewriter
from graph_program.extract.transform.rewrite import defined_in
from graph_program.extract.transform.totality import INDICES
from graph_program.extract.transform.vectorize.lanes import indexed
from graph_program.extract.types.dims import provably_less_equal
from graph_program.extract.types.tensors.tensor_type import INT64, PY_INT, Kind

FARTHEST = -(2**31)
"""Places begin with no number that is less."""


@dataclass(frozen=True)
class _Place:
    """A number that is less than another one in each round but the last.

    Attributes
    ----------
    index, end : Value
    least : Value, optional
        It is not less than this.
    nodes : tuple of Node
        What makes these numbers.
    """

    index: Value
    end: Value
    least: Value | None = None
    nodes: tuple[Node, ...] = ()


def rounds_within(rewriter: RangedRewriter, loop: Node) -> list[Node]:
    """Nodes of which the last gives the number of rounds that a loop has at most; none where that is known anyway."""
    known = rewriter.ranges.of(loop.inputs[0])
    if known is not None and known[1] != HIGHEST:
        return []
    body = loop.regions[0]
    inside = defined_in([body])
    for place in (*_tested(rewriter, loop, inside), *_read(rewriter, loop, inside)):
        start = _start(rewriter, place.index, body.inputs[0])
        if _is_counted(rewriter, place.index, body.inputs[0], inside) and (start, place.least) != (None, None):
            nodes, length = [*place.nodes], place.end
            if start is None and place.least is not None:
                length = rewriter.append(nodes, "subtract", [length, place.least], PY_INT, "rounds")
            if start != 1:
                length = rewriter.append(nodes, "add", [length, rewriter.integer(1 - (start or 0))], PY_INT, "rounds")
            if not _is_before(rewriter, place, start):  # then the first round ends the loop, or fails
                length = rewriter.append(nodes, "maximum", [length, rewriter.integer(1)], PY_INT, "rounds")
            rewriter.append(nodes, "minimum", [loop.inputs[0], length], PY_INT, "rounds")
            return nodes
    return []


def _is_before(rewriter: RangedRewriter, place: _Place, start: int | None) -> bool:
    """Whether a place is not behind the end in the first round."""
    if start is None:
        return bool(place.nodes)  # it is not less than the negative size of what is read
    found = rewriter.ranges.of(place.end)
    return found is not None and provably_less_equal(start, found[0])


def _tested(rewriter: RangedRewriter, loop: Node, inside: set[Value]) -> Iterator[_Place]:
    """Places of which each round asks whether there is another one."""
    pairs = list[tuple[Value, Value, bool]]()
    for test in conjuncts(loop.regions[0].outputs[0], True, rewriter.producer.get):
        node = rewriter.producer.get(test.value)
        if node is not None and node.op in COMPARISONS:
            strict, order = COMPARISONS[node.op]
            low, high = node.inputs if order is test.holds else node.inputs[::-1]
            pairs.append((low, high, strict is test.holds))
    least = {high: low for low, high, _ in pairs if low not in inside}
    for low, high, strict in pairs:
        if strict and high not in inside:
            yield _Place(low, high, least.get(low))


def _read(rewriter: RangedRewriter, loop: Node, inside: set[Value]) -> Iterator[_Place]:
    """Places that each round reads at, or fails."""
    for node in loop.regions[0].nodes:
        if node.op not in INDICES or node.inputs[0] in inside:
            continue
        for k, (index, _) in enumerate(indexed(node)):
            nodes = list[Node]()
            axis = node.attrs.get("axis", 0) + k
            size = rewriter.append(nodes, "dim", [node.inputs[0]], PY_INT, "size", axis=axis)
            least = rewriter.append(nodes, "subtract", [rewriter.integer(0), size], PY_INT, "size")
            yield _Place(index, size, least, tuple(nodes))


def _is_counted(rewriter: RangedRewriter, index: Value, counter: Value, inside: set[Value]) -> bool:
    """Whether a number is greater in each round, by the same."""
    if index.type.rank or index.type.dtype != INT64 or index.type.kind is not Kind.PYTHON:
        return False  # others may wrap around
    terms = linear(index, rewriter.producer.get).terms
    return terms.get(counter, 0) > 0 and inside.isdisjoint(terms.keys() - {counter})


def _start(rewriter: RangedRewriter, index: Value, counter: Value) -> int | None:
    """What a number is at least in the first round, if that is known and not far below 0."""
    form = linear(index, rewriter.producer.get).without(counter)
    least = form.constant
    for value, factor in form.terms.items():
        found = rewriter.ranges.of(value)
        end = None if found is None else found[0].lower if factor > 0 else found[1].constant
        if end is None:
            return None
        least += factor * end
    return least if least >= FARTHEST else None


__all__ = ["rounds_within"]
