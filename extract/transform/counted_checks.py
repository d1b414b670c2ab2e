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
from graph_program.extract.transform.orders import FAR
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

    def _first(self, body: Graph, test: Value, holds: bool, nodes: list[Node], lasts: bool = False) -> Value | None:
        """The first round in which a test holds, or does not; if it `lasts`, so it is in all rounds behind it."""
        node, inside = self.rewriter.producer.get(test), defined_in([body])
        if test not in inside:
            ends = [self.rewriter.integer(end) for end in ((0, NEVER) if holds else (NEVER, 0))]
            return self.made(nodes, "where", test, *ends)
        if node is None:
            return None
        if node.op == "invert":
            return self._first(body, node.inputs[0], not holds, nodes, lasts)
        found = self._first_outside(body, node, nodes, lasts) if node.op == "bitwise_or" and holds else None
        if found is not None:
            return found
        if node.op in JOINED:
            joined, one, other = JOINED[node.op][holds], *node.inputs
            both = joined == "maximum"  # what holds now and then has to hold when the other test does
            first = self._first(body, one, holds, nodes, lasts or (both and other in inside))
            second = self._first(body, other, holds, nodes, lasts or (both and one in inside))
            return None if first is None or second is None else self.made(nodes, joined, first, second)
        places = FAILING_FROM.get((node.op, 1 - holds))
        if places is None:
            return None
        index, bound = (node.inputs[place] for place in places)
        start = self._start(body, index)
        if start is None or bound in inside or bound.type.rank or bound.type.dtype != INT64:
            return None
        return self._behind(bound, start, nodes)

    def _first_outside(self, body: Graph, either: Node, nodes: list[Node], lasts: bool) -> Value | None:
        """The first round of `i < -n or i >= n`: an index that goes up is less in the first round, or never."""
        tests = [self.rewriter.producer.get(value) for value in either.inputs]
        for below, above in (tests, tests[::-1]):
            if below is None or above is None or below.op != "less" or above.op != "greater_equal":
                continue
            (index, least), (same, size) = below.inputs, above.inputs
            made = self.rewriter.producer.get(least)
            is_size = made is not None and made.op == "negative" and made.inputs[0] is size
            if index is not same or not is_size or {least, size} & defined_in([body]):
                continue
            start = self._start(body, index)
            if start is not None:
                return self._behind(size, start, nodes)
            begun = None if lasts else self._begun(body, index)
            if begun is not None and self._is_size(size):
                rest = self.made(nodes, "subtract", self.made(nodes, "maximum", size, begun), begun)
                is_less = self.made(nodes, "less", begun, least, type_=PY_BOOL)
                return self.made(nodes, "where", is_less, self.rewriter.integer(0), rest)
        return None

    def _is_size(self, value: Value) -> bool:
        made = self.rewriter.producer.get(value)
        return made is not None and made.op == "dim"

    def _start(self, body: Graph, index: Value) -> int | None:
        """What an index is in the first round, if each round has the next one, from a number that is not negative."""
        terms = linear(index, self.rewriter.producer.get)
        is_counter = dict(terms.terms) == {body.inputs[0]: 1}
        return terms.constant if is_counter and 0 <= terms.constant <= FAR else None

    def _begun(self, body: Graph, index: Value) -> Value | None:
        """What is added to the counter, if that makes an index."""
        node, counter = self.rewriter.producer.get(index), body.inputs[0]
        if node is None or node.op != "add" or counter not in node.inputs:
            return None
        begun = node.inputs[1 - node.inputs.index(counter)]
        is_number = not begun.type.rank and begun.type.dtype == INT64
        return begun if is_number and begun not in defined_in([body]) else None

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
