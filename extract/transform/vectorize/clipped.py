"""Loops inside of others whose ranges are cut at an end have as many rounds in each round of those around.

    loop(i < n):                                            loop(i < n):
        low = maximum(0, i - r)                                 low = maximum(0, i - r)
        trips = minimum(n, i + r + 1) - low         to          trips = minimum(n, i + r + 1) - low
        loop(k < trips): ...                                    loop(k < minimum(n, 2 * r + 1)):
                                                                    if k < trips: ...

All rounds of both are array operations then; the inner ones alone, of another number each time, are not those of an
array.  There are no more rounds than the least of what the ends that are not cut say, and the sizes that cut them.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack

import numpy as np

from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.transform.copies import copy_graph
from graph_program.extract.transform.endings import Around
from graph_program.extract.transform.linear import Linear
from graph_program.extract.transform.orders import is_far_below
from graph_program.extract.transform.range_facts import COMPARISONS
from graph_program.extract.transform.range_rules import MOST_ROUNDS
from graph_program.extract.transform.rewrite import uses_of
from graph_program.extract.transform.round_sums import in_any_round, span
from graph_program.extract.transform.vectorize.body import depending
from graph_program.extract.transform.vectorize.masked import keeps_sizes
from graph_program.extract.transform.vectorize.visitor import LoopRewriter
from graph_program.extract.types.dims import dim, provably_less_equal
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT

MOST_FACTORS = 3
"""So many numbers of no more than `MOST_ROUNDS` are added at most, so that their sum has 64 bits."""
MOST_SUMS = 16
DEEPEST = 3
"""So many ends in each other are looked through."""


def with_as_many_rounds(rewriter: LoopRewriter, loop: Node, around: Around, outside: set[Value]) -> list[Node]:
    """Nodes of which the last does the same, and its number of rounds is made of what stands outside; or the loop.

    Parameters
    ----------
    rewriter : LoopRewriter
    loop : Node
    around : sequence of pair of Node and int
        The loops and branches that it stands in, outer ones first, and in which of their regions.
    outside : set of Value
        What is the same in all rounds of the loops around.
    """
    trips = loop.inputs[0]
    if trips in outside or rewriter.numbers.of(trips) is not None or not keeps_sizes(loop):
        return [loop]
    if _follows(loop, next(one for one, _ in reversed(around) if one.op == "loop")):
        return [loop]
    nodes, ranges = list[Node](), rewriter.ranges
    with ExitStack() as known:
        for one, number in (*around, (loop, 0)):
            there = ranges.in_round(one) if one.op == "loop" else ranges.where(one.inputs[0], not number)
            known.enter_context(there)
        sums = _most_rounds(rewriter, span(ranges, trips), outside)
        counts = [_sum(rewriter, nodes, form) for form in sums]
    if not counts:
        return [loop]
    rounds = functools.reduce(lambda a, b: rewriter.append(nodes, "minimum", [a, b], PY_INT, "rounds"), counts)
    rounds = rewriter.append(nodes, "maximum", [rounds, rewriter.integer(0)], PY_INT, "rounds")
    return [*nodes, _asking(rewriter, loop, rounds)]


def _asking(rewriter: LoopRewriter, loop: Node, rounds: Value) -> Node:
    """A loop of more rounds, of which each asks whether it is one of those that there were."""
    trips, (body,) = loop.inputs[0], loop.regions
    counter, *carried = body.inputs
    again = rewriter.constant_of(body.outputs[0])
    first = 0 if again is None or not again else 1  # what says that the loop goes on needs no choice
    wanted = rewriter.node("less", [counter, trips], Value(rewriter.names.fresh("wanted"), PY_BOOL))
    given = [rewriter.like(value) for value in body.outputs[first:]]
    done = Graph([], copy_graph(body).nodes, body.outputs[first:])
    idle = Graph([], [], [rewriter.constant(np.array(True)), *carried][first:])
    branch = Node("if", wanted.outputs, given, {}, [done, idle], loop.loc)
    region = Graph(body.inputs, [wanted, branch], [*body.outputs[:first], *given])
    return Node("loop", [rounds, *loop.inputs[1:]], loop.outputs, loop.attrs, [region], loop.loc)


def _most_rounds(rewriter: LoopRewriter, rounds: Linear, outside: set[Value]) -> list[Linear]:
    """Sums that a number of rounds is not above, made of what stands outside.

    None if only arguments bound it, which may be huge, or only sizes, which may be much more than there are rounds.
    """

    def are_made(forms: Iterable[Linear]) -> list[Linear]:
        return _unequal(form for form in forms if form.terms.keys() <= outside and _is_counted(rewriter, form))

    def are_sizes(forms: Iterable[Linear]) -> list[Linear]:
        return [form for form in forms if all(_is_near(rewriter, value) for value in form.terms)]

    ends = list(itertools.islice(_ends(rewriter, rounds, True), MOST_SUMS))
    same = are_made(ends)
    sizes = are_sizes(same)
    if all(form in sizes and form.terms for form in same):
        return []
    if sizes:
        return same
    bounds = are_sizes(are_made(in_any_round(rewriter.ranges, form) for form in ends))
    return [*same, bounds[0]] if bounds else []


def _unequal(forms: Iterable[Linear]) -> list[Linear]:
    found = list[Linear]()
    found += (form for form in forms if form not in found)
    return found


def _follows(loop: Node, outer: Node) -> bool:
    """Whether a loop computes with what rounds before this one of the loop around have made."""
    (body,) = outer.regions
    changing = [p for p, result in zip(body.inputs[1:], body.outputs[1:], strict=True) if p is not result]
    return not depending(body.nodes, changing).isdisjoint(uses_of(loop.regions[0]))


# ---------------------------------------------------------------- ends


def _ends(rewriter: LoopRewriter, form: Linear, is_most: bool, depth: int = DEEPEST) -> Iterator[Linear]:
    """Sums that one is not above, or not below: with any of the numbers of which a term is the least, or greatest."""
    parts = [
        [one.times(factor) for one in _ends_of(rewriter, value, is_most is (factor > 0), depth)]
        for value, factor in form.terms.items()
    ]
    for chosen in itertools.product(*parts):
        yield sum(chosen, Linear({}, form.constant))


def _ends_of(rewriter: LoopRewriter, value: Value, is_most: bool, depth: int) -> Iterator[Linear]:
    yield Linear({value: 1})
    for operand in _chosen(rewriter, value, is_most) if depth else ():
        yield from _ends(rewriter, rewriter.ranges.sum(operand), is_most, depth - 1)


def _chosen(rewriter: LoopRewriter, value: Value, is_least: bool) -> Sequence[Value]:
    """The numbers of which a number is the least, or the greatest; none for others."""
    node = rewriter.ranges.maker(value)
    if node is None or value.type.rank:
        return ()
    if node.op == ("minimum" if is_least else "maximum"):
        return node.inputs
    test = rewriter.ranges.maker(node.inputs[0]) if node.op == "where" else None
    if test is None or test.op not in COMPARISONS:
        return ()
    ordered = test.inputs if COMPARISONS[test.op][1] is is_least else test.inputs[::-1]
    return ordered if ordered == node.inputs[1:] else ()


# ---------------------------------------------------------------- sums of 64 bits


def _is_counted(rewriter: LoopRewriter, form: Linear) -> bool:
    """Whether a sum keeps to 64 bits if the one number of which nothing is known is at most `MOST_ROUNDS`."""
    far = [value for value in form.terms if not _is_near(rewriter, value)]
    return len(far) <= 1 and sum(map(abs, form.terms.values())) <= MOST_FACTORS and abs(form.constant) <= MOST_ROUNDS


def _is_near(rewriter: LoopRewriter, value: Value) -> bool:
    found = rewriter.ranges.of(value)
    if found is None:
        return False
    far = dim(MOST_ROUNDS)
    return all(provably_less_equal(end, far) or is_far_below(end, far) for end in (found[1], -found[0]))


def _sum(rewriter: LoopRewriter, nodes: list[Node], form: Linear) -> Value:
    """A sum; what of a number is greater than `MOST_ROUNDS` does not count."""

    def op(name: str, *inputs: Value) -> Value:
        return rewriter.append(nodes, name, inputs, PY_INT, "rounds")

    total = None if form.terms and not form.constant else rewriter.integer(form.constant)
    for value, factor in form.terms.items():
        if not _is_near(rewriter, value):
            value = op("maximum", op("minimum", value, rewriter.integer(MOST_ROUNDS)), rewriter.integer(-MOST_ROUNDS))
        term = value if abs(factor) == 1 else op("multiply", value, rewriter.integer(abs(factor)))
        if total is None:
            total = term if factor > 0 else op("negative", term)
        else:
            total = op("add" if factor > 0 else "subtract", total, term)
    assert total is not None
    return total


__all__ = ["with_as_many_rounds"]
