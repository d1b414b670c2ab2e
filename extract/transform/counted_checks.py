"""Checks of what counts the rounds of a loop: in which round the first of them fails is a number.

    loop(k < n) with x:                         first = maximum(m - 2, 0)
        if k + 2 >= m:          # fails         if first < n:                           # fails
            give ...                    to          give what round `first` gives
        else:                                   else:
            give step(x, k)                         loop(k < n) with x:
                                                        give step(x, k)

Of several such checks, the one fails that fails in the earliest round, in one round the first of them.  A part of
`round_checks`, which needs no memory for rounds that the program may never come to.
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


@dataclass(frozen=True)
class Round:
    """A round of a loop, the first in which a check fails if the loop comes to it, and what computes its number."""

    number: Value
    nodes: list[Node]


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
        test = self.rewriter.producer.get(check.inputs[0])
        if test is not None and test.op == "bitwise_or" and check.attrs["fails"] == 0:
            test = self._without_wrapping(test)
        places = None if test is None else FAILING_FROM.get((test.op, check.attrs["fails"]))
        if test is None or places is None:
            return None
        index, bound = (test.inputs[place] for place in places)
        start = self._start(body, index)
        if start is None or bound in defined_in([body]) or not self._is_not_negative(bound):
            return None
        return self._behind(bound, start)

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

    def _is_not_negative(self, bound: Value) -> bool:
        """Whether a number is at least 0, so that numbers can be taken off it."""
        found = self.ranges.of(bound)
        is_number = not bound.type.rank and bound.type.dtype == INT64
        return is_number and found is not None and provably_less_equal(0, found[0])

    def _behind(self, bound: Value, start: int) -> Round:
        """Round `bound` of a counter that begins with `start`; the first one where it is behind that."""
        if not start:
            return Round(bound, [])
        nodes: list[Node] = []
        rest = self.made(nodes, "subtract", bound, self.rewriter.integer(start))
        return Round(self.made(nodes, "maximum", rest, self.rewriter.integer(0)), nodes)

    def fails(self, nodes: list[Node], trips: Value, first: Round, others: list[Round]) -> Value:
        """Whether a check fails in a loop of so many rounds, and none of those behind it in an earlier one."""
        found = self.made(nodes, "less", first.number, trips, type_=PY_BOOL)
        for other in others:
            if other.number is not first.number:
                earliest = self.made(nodes, "less_equal", first.number, other.number, type_=PY_BOOL)
                found = self.made(nodes, "bitwise_and", found, earliest, type_=PY_BOOL)
        return found

    def made(self, nodes: list[Node], op: str, *inputs: Value, type_: TensorType | None = None) -> Value:
        """What a new operation gives, which is one more of `nodes`."""
        return self.rewriter.append(nodes, op, inputs, type_ or TensorType(INT64), "first")


__all__ = ["CountedChecks", "Round"]
