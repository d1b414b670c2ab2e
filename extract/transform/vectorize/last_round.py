"""Loops that count towards an end, and that other tests may end before it: the round that finds the end is apart.

    i = loop(while true) with i = 0:                i, more = loop(k < n, while true) with i = 0, more = true:
        t = if less(i, n):                              t = take(x, i)
            give take(x, i)                 to          give t, add(i, 1), t
        else:                                       i = if more:
            give false                                      give add(i, 1)          # the body with i not less than n
        give t, add(i, 1)                               else:
                                                            give i

Whatever else is asked, and wherever in the round, the test of the counter fails in the round of a number that is known
where the loop begins, and ends the loop.  Before that round it holds.  So all rounds before may be done at once, as in
`for i in range(n)` with `break`.
"""

from __future__ import annotations

import numpy as np

from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.conjuncts import Conjunct
from graph_program.extract.transform.copies import copy_graph
from graph_program.extract.transform.linear import linear
from graph_program.extract.transform.range_facts import COMPARISONS
from graph_program.extract.transform.ranged import RangedRewriter
from graph_program.extract.transform.rewrite import defined_in, replace_values
from graph_program.extract.transform.symbols import in_round
from graph_program.extract.transform.trip_counts import Arithmetic, Counters, Gap, counters_of, is_in_order, trip_count
from graph_program.extract.transform.truths import Truths
from graph_program.extract.types.tensors.tensor_type import PY_BOOL


@dataclass(frozen=True)
class Test:
    """A comparison of counters; the loop ends where it is not what it must be."""

    asked: Conjunct
    gap: Gap


@dataclass(frozen=True)
class Apart:
    """A loop without its last round.

    Attributes
    ----------
    before : list of Node
        Compute the number of rounds.
    loop : Node
        All rounds but the one that finds the end, if there is one; its last output says whether there is.
    original : Node
        The loop with all rounds.
    test : Test
    """

    before: list[Node]
    loop: Node
    original: Node
    test: Test

    def joined(
        self, rewriter: RangedRewriter, made: list[Node], outputs: list[Value]
    ) -> tuple[list[Node], list[Value]]:
        """The nodes and outputs of all rounds, for those of the rounds but the last."""
        body, asked = self.original.regions[0], self.test.asked
        *given, more = outputs
        replace_values(body, {asked.value: rewriter.constant(np.array(not asked.holds))})
        round_ = in_round(body, [self.loop.inputs[0], *given])
        last = Graph([], round_.nodes, round_.outputs[1:])
        results = [rewriter.like(value) for value in self.original.outputs]
        branch = Node("if", [more], results, {}, [last, Graph([], [], given)], self.original.loc)
        return [*self.before, *made, branch], results


def without_last_round(rewriter: RangedRewriter, loop: Node) -> Apart | None:
    """A loop whose number of rounds is not known as one of which it is; None if no test is of counters."""
    (body,) = loop.regions
    made = Arithmetic(rewriter, loop.loc)
    initial = dict(zip(body.inputs[1:], loop.inputs[2:], strict=True))
    test = _test(made, rewriter, loop, initial)
    if test is None:
        return None
    trips = trip_count(made, rewriter.ranges, test.gap, initial)
    more, still = (Value(rewriter.names.fresh("more"), PY_BOOL) for _ in range(2))
    inner = Graph([*body.inputs, more], copy_graph(body).nodes, [*body.outputs, body.outputs[0]])
    inputs = [trips, *loop.inputs[1:], loop.inputs[1]]
    return Apart(made.nodes, Node("loop", inputs, [*loop.outputs, still], loop.attrs, [inner], loop.loc), loop, test)


def _test(made: Arithmetic, rewriter: RangedRewriter, loop: Node, initial: dict[Value, Value]) -> Test | None:
    """The first test of counters without which a loop does not go on."""
    (body,) = loop.regions
    truths, goes_on = Truths(rewriter.producer), body.outputs[0]
    counters: Counters | None = None
    for node in body.nodes:
        if node.op not in (*COMPARISONS, "equal", "not_equal") or node.outputs[0].type.rank:
            continue
        for holds in (True, False):
            asked = Conjunct(node.outputs[0], holds)
            if truths.where(asked.value, not holds).truth(goes_on) is not False:
                continue
            counters = counters or counters_of(loop, truths, defined_in([body]))
            gap = _gap(counters, asked) if _is_of_beginning(counters, node) else None
            if gap is not None and (node.op in COMPARISONS or is_in_order(made, rewriter.ranges, gap, initial)):
                return Test(asked, gap)
    return None


def _gap(counters: Counters, asked: Conjunct) -> Gap | None:
    return counters.gap(asked, is_behind=False) or counters.meeting(asked)


def _is_of_beginning(counters: Counters, comparison: Node) -> bool:
    """Whether numbers follow from what a round begins with; one that ends the loop may have changed it otherwise."""
    forms = [linear(value, counters.makers.get) for value in comparison.inputs]
    return all(value not in counters.results for form in forms for value in form.terms)


__all__ = ["Apart", "without_last_round"]
