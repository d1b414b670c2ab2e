"""Checks of what counts the rounds of a loop: in which round the first of them fails is a number.

    loop(k < n) with x:                         first = maximum(m - 2, 0)
        if k + 2 >= m:          # fails         if first < n:                           # fails
            give ...                    to          give what round `first` gives
        else:                                   else:
            give step(x, k)                         loop(k < n) with x:
                                                        give step(x, k)

So may a check be made of several such tests, and of what is the same in every round, which holds from the first round
on or never (`k >= m and n > 0`).  Of several checks, the one fails that fails in the earliest round, in one round the
first of them.  A part of `round_checks`, which needs no memory for rounds that the program may never come to.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.transform.linear import linear
from graph_program.extract.transform.rewrite import Rewriter, defined_in
from graph_program.extract.types.dims import provably_less_equal
from graph_program.extract.types.tensors.tensor_type import INT64, PY_BOOL, TensorType

FAILING_FROM = {("greater_equal", 0): (0, 1), ("less", 1): (0, 1), ("less_equal", 0): (1, 0), ("greater", 1): (1, 0)}
"""Comparisons that fail as soon as one operand is not less than the other, by the side that fails: which ones."""
JOINED = {"bitwise_or": ("maximum", "minimum"), "bitwise_and": ("minimum", "maximum")}
"""When two tests fail by one of which both are made: where it does not hold, and where it does."""
NEVER = 2**63 - 1
"""No loop has this round."""


@dataclass(frozen=True)
class Round:
    """A round of a loop, the first in which a check fails if the loop comes to it, and what computes its number.

    `test` is there where a check is the same in all rounds: whether it fails in the first one.
    """

    number: Value
    nodes: list[Node]
    test: Value | None = None


class CountedChecks:
    """Finds the first rounds in which checks fail.

    Parameters
    ----------
    rewriter : Rewriter
        Makes nodes and knows those of the program.
    ranges : Ranges
        What is known of integers around the loop.
    """

    def __init__(self, rewriter: Rewriter, ranges: Ranges):
        self.rewriter, self.ranges = rewriter, ranges

    def first_round(self, body: Graph, check: Node) -> Round | None:
        """The first round in which a check fails, if it does from some number on that the counter comes to."""
        test, holds = check.inputs[0], check.attrs["fails"] == 0
        nodes: list[Node] = []
        if test not in defined_in([body]):
            bad = test if holds else self.made(nodes, "invert", test, type_=PY_BOOL)
            return Round(self.rewriter.integer(0), nodes, bad)
        found = self._first(body, test, holds, nodes)
        return None if found is None else Round(found, nodes)

    def _first(self, body: Graph, test: Value, holds: bool, nodes: list[Node]) -> Value | None:
        """The first round in which a test holds, or does not, if it stays so in all rounds behind it."""
        node = self.rewriter.producer.get(test)
        if test not in defined_in([body]):
            ends = [self.rewriter.integer(end) for end in ((0, NEVER) if holds else (NEVER, 0))]
            return self.made(nodes, "where", test, *ends)
        if node is None:
            return None
        if node.op == "invert":
            return self._first(body, node.inputs[0], not holds, nodes)
        if node.op == "bitwise_or" and holds and (above := self._without_wrapping(node)) is not None:
            node = above
        if node.op in JOINED:
            parts = [self._first(body, part, holds, nodes) for part in node.inputs]
            one, other = parts
            return None if one is None or other is None else self.made(nodes, JOINED[node.op][holds], one, other)
        places = FAILING_FROM.get((node.op, 1 - holds))
        if places is None:
            return None
        index, bound = (node.inputs[place] for place in places)
        start = self._start(body, index)
        if start is None or bound in defined_in([body]) or bound.type.rank or bound.type.dtype != INT64:
            return None
        return self._behind(bound, start, nodes)

    def _without_wrapping(self, either: Node) -> Node | None:
        """Of `i < -n or i >= n`, the second test: a counter that comes to n has not wrapped around to be less."""
        tests = [self.rewriter.producer.get(value) for value in either.inputs]
        for below, test in (tests, tests[::-1]):
            if below is None or test is None or below.op != "less" or below.inputs[0] not in test.inputs[:1]:
                continue
            found = self.ranges.of(below.inputs[1])
            if found is not None and provably_less_equal(found[1], 0):
                return test
        return None

    def _start(self, body: Graph, index: Value) -> int | None:
        """What an index is in the first round, if each round has the next one, from a number that is not negative."""
        terms = linear(index, self.rewriter.producer.get)
        is_counter = dict(terms.terms) == {body.inputs[0]: 1}
        return terms.constant if is_counter and terms.constant >= 0 else None

    def _behind(self, bound: Value, start: int, nodes: list[Node]) -> Value:
        """Round `bound` of a counter that begins with `start`; the first one where it is behind that."""
        found = self.ranges.of(bound)
        first = self.rewriter.integer(start)
        if found is None or not provably_less_equal(start, found[0]):
            bound = self.made(nodes, "maximum", bound, first)
        return bound if not start else self.made(nodes, "subtract", bound, first)

    def fails(self, nodes: list[Node], trips: Value, rounds: list[Round], place: int) -> Value:
        """Whether one of several checks fails in a loop of so many rounds before the others.

        Of those that are the same in all rounds, the ones before it do not, and else none of these does.
        """
        one = rounds[place]
        if one.test is not None:
            earlier = [other for other in rounds[:place] if other.test is None]
            begins = self.made(nodes, "less", self.rewriter.integer(0), trips, type_=PY_BOOL)
            orders = [("less", self.rewriter.integer(0), other.number) for other in earlier]
            return self._all(nodes, self.made(nodes, "bitwise_and", one.test, begins, type_=PY_BOOL), orders)
        later = [other for other in rounds[place + 1 :] if other.test is None and other.number is not one.number]
        fails = self.made(nodes, "less", one.number, trips, type_=PY_BOOL)
        return self._all(nodes, fails, [("less_equal", one.number, other.number) for other in later])

    def _all(self, nodes: list[Node], found: Value, orders: list[tuple[str, Value, Value]]) -> Value:
        """Whether a test holds and several comparisons do."""
        for order, one, other in orders:
            test = self.made(nodes, order, one, other, type_=PY_BOOL)
            found = self.made(nodes, "bitwise_and", found, test, type_=PY_BOOL)
        return found

    def made(self, nodes: list[Node], op: str, *inputs: Value, type_: TensorType | None = None) -> Value:
        """What a new operation gives, which is one more of `nodes`."""
        return self.rewriter.append(nodes, op, inputs, type_ or TensorType(INT64), "first")


__all__ = ["CountedChecks", "Round"]
