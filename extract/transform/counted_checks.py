"""Checks of what counts the rounds of a loop: in which round the first of them fails is a number.

    loop(k < n) with x:                         first = maximum(m - 2, 0)
        if k + 2 >= m:          # fails         if first < n:                           # fails
            give ...                    to          give what round `first` gives
        else:                                   else:
            give step(x, k)                         loop(k < n) with x:
                                                        give step(x, k)

So may a check be made of several such tests, and of what is the same in every round, which holds from the first round
on or never (`k >= m and n > 0`).  An index may count on from what the rounds of a loop around count by strides, as in
`x[k * w + i]`: that loop has a round in which it is outside from a number on that is a quotient.  Of several checks,
the one fails that fails in the earliest round, in one round the first of them.  A part of `round_checks`, which needs
no memory for rounds that the program may never come to.
"""

from __future__ import annotations

from collections.abc import Iterable

from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.transform.linear import linear
from graph_program.extract.transform.orders import FAR
from graph_program.extract.transform.rewrite import Rewriter, defined_in
from graph_program.extract.transform.round_numbers import NEVER, RoundNumbers
from graph_program.extract.transform.rounds_of_tests import Rounds
from graph_program.extract.transform.wrapping import far_product
from graph_program.extract.types.dims import provably_less_equal
from graph_program.extract.types.tensors.tensor_type import INT64

FAILING_FROM = {("greater_equal", 0): (0, 1), ("less", 1): (0, 1), ("less_equal", 0): (1, 0), ("greater", 1): (1, 0)}
"""Comparisons that fail as soon as one operand is not less than the other, by the side that fails: which ones."""
JOINED = {"bitwise_or": ("maximum", "minimum"), "bitwise_and": ("minimum", "maximum")}
"""When two tests fail by one of which both are made: where it does not hold, and where it does."""


@dataclass(frozen=True)
class Round:
    """A round of a loop, the first in which a check fails if the loop comes to it, and what computes its number.

    `test` is there where a check is the same in all rounds: whether it fails in the first one.
    """

    number: Value
    nodes: list[Node]
    test: Value | None = None


@dataclass(frozen=True)
class Outside:
    """An index `begun + k` into an axis of a size."""

    begun: Value
    size: Value


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
        self.outside: dict[Value, Outside] = {}
        """By numbers of rounds, what is outside from them on."""
        self.wrapped: dict[Value, Value] = {}
        """The same of sums with the counter that have wrapped: with what."""

    def first_round(self, body: Graph, check: Node) -> Round | None:
        """The first round in which a check fails, if it does from some number on that the counter comes to."""
        own = {value: node for node in body.nodes for value in node.outputs}  # without what earlier checks give
        loop = Rounds(body, defined_in([body]), lambda value: own.get(value) or self.rewriter.producer.get(value))
        test, holds = check.inputs[0], check.attrs["fails"] == 0
        numbers = RoundNumbers(self.rewriter, [])
        if test not in loop.inside:
            bad = test if holds else numbers.op("invert", test)
            return Round(self.rewriter.integer(0), numbers.nodes, bad)
        found = self._first(loop, test, holds, numbers)
        return None if found is None else Round(found, numbers.nodes)

    def _first(
        self, loop: Rounds, test: Value, holds: bool, numbers: RoundNumbers, lasts: bool = False
    ) -> Value | None:
        """The first round in which a test holds, or does not; if it `lasts`, so it is in all rounds behind it."""
        node = loop.maker(test)
        if test not in loop.inside:
            ends = [self.rewriter.integer(end) for end in ((0, NEVER) if holds else (NEVER, 0))]
            return numbers.op("where", test, *ends)
        if node is None:
            return None
        if node.op == "invert":
            return self._first(loop, node.inputs[0], not holds, numbers, lasts)
        found = self._first_of_whole(loop, node, numbers, lasts) if holds else None
        if found is not None:
            return found
        if node.op in JOINED:
            joined, one, other = JOINED[node.op][holds], *node.inputs
            both = joined == "maximum"  # what holds now and then has to hold when the other test does
            first = self._first(loop, one, holds, numbers, lasts or (both and other in loop.inside))
            second = self._first(loop, other, holds, numbers, lasts or (both and one in loop.inside))
            return None if first is None or second is None else numbers.op(joined, first, second)
        places = FAILING_FROM.get((node.op, 1 - holds))
        if places is None:
            return self._first_beyond(loop, node, numbers) if holds else None
        index, bound = (node.inputs[place] for place in places)
        start = self._start(loop, index)
        if start is None or bound in loop.inside or bound.type.rank or bound.type.dtype != INT64:
            return None
        return self._behind(bound, start, numbers)

    def _first_of_whole(self, loop: Rounds, node: Node, numbers: RoundNumbers, lasts: bool) -> Value | None:
        """The first round in which an index is outside, here or in a loop inside."""
        if node.op == "bitwise_or":
            return self._first_outside(loop, node, numbers, lasts)
        if lasts:  # a loop inside may come back to places that are inside
            return None
        if node.op == "bitwise_and":
            return self._first_of_several(loop, node, numbers)
        return self._first_inside(loop, node, numbers) if node.op == "less" else None

    def _first_beyond(self, loop: Rounds, node: Node, numbers: RoundNumbers) -> Value | None:
        """The first round in which a comparison finds that a product, or a sum, has wrapped."""
        if node.op == "greater":
            product = far_product(node, loop.maker)
            factor = None if product is None else self._factor(loop, product.outputs[0])
            return None if factor is None else numbers.first_far(factor)
        if node.op != "less" or self._begun(loop, node.inputs[0]) is not node.inputs[1]:
            return None
        found = numbers.first_wrapped(node.inputs[1])
        self.wrapped[found] = node.inputs[1]
        return found

    def _first_of_several(self, loop: Rounds, both: Node, numbers: RoundNumbers) -> Value | None:
        """The first round with a loop in which an index is outside of one axis, of some no later than of the others.

        Of a smaller axis it always is; of a larger one only where its first place is outside already.
        """
        first, *others = self._conjuncts(loop, both.outputs[0])
        if (
            first is None
            or first.op != "less"
            or first.inputs[0] not in self.outside
            or first.inputs[1] in loop.inside
            or not others
        ):
            return None
        one, (number, trips) = self.outside[first.inputs[0]], first.inputs
        for order in others:
            if order is None or order.op != "less_equal" or order.inputs[0] is not number:
                return None
            other = self.outside.get(order.inputs[1])
            if other is None or other.begun is not one.begun or other.size in loop.inside:
                return None
            is_smaller = numbers.op("less_equal", one.size, other.size)
            trips = numbers.op("where", is_smaller, trips, numbers.op("minimum", trips, 1))
        return self._inner_outside(loop, one, trips, numbers)

    def _first_inside(self, loop: Rounds, less: Node, numbers: RoundNumbers) -> Value | None:
        """The first round with a loop that has a round in which an index is outside."""
        number, trips = less.inputs
        if number not in self.outside or trips in loop.inside:
            return None
        return self._inner_outside(loop, self.outside[number], trips, numbers)

    def _inner_outside(self, loop: Rounds, inner: Outside, trips: Value, numbers: RoundNumbers) -> Value | None:
        factor = self._factor(loop, inner.begun)
        if factor is None or inner.size in loop.inside:
            return None
        return numbers.first_inner_outside(factor, inner.size, trips)

    def _conjuncts(self, loop: Rounds, test: Value) -> list[Node | None]:
        """What makes the tests that all hold where one does, in order; None for what a round is given."""
        node = loop.maker(test)
        if node is None or node.op != "bitwise_and":
            return [node]
        return [one for value in node.inputs for one in self._conjuncts(loop, value)]

    def _factor(self, loop: Rounds, product: Value) -> Value | None:
        """What the counter is multiplied by, the same in all rounds."""
        node, counter = loop.maker(product), loop.body.inputs[0]
        if node is None or node.op != "multiply" or counter not in node.inputs:
            return None
        factor = node.inputs[1 - node.inputs.index(counter)]
        return None if factor in loop.inside or factor.type.rank else factor

    def may_be_first(self, found: Round, rounds: Iterable[Round]) -> bool:
        """Whether a check may fail before others: a sum is outside of any axis before it wraps."""
        begun = self.wrapped.get(found.number)
        others = (self.outside.get(other.number) for other in rounds)
        return begun is None or not any(other is not None and other.begun is begun for other in others)

    def _first_outside(self, loop: Rounds, either: Node, numbers: RoundNumbers, lasts: bool) -> Value | None:
        """The first round of `i < -n or i >= n`: an index that goes up is less in the first round, or never."""
        tests = [loop.maker(value) for value in either.inputs]
        for below, above in (tests, tests[::-1]):
            if below is None or above is None or below.op != "less" or above.op != "greater_equal":
                continue
            (index, least), (same, size) = below.inputs, above.inputs
            made = loop.maker(least)
            is_size = made is not None and made.op == "negative" and made.inputs[0] is size
            if index is not same or not is_size or {least, size} & loop.inside:
                continue
            start = self._start(loop, index)
            if start is not None:
                return self._behind(size, start, numbers)
            begun = None if lasts else self._begun(loop, index)
            if begun is not None and self._is_size(loop, size):
                found = numbers.first_outside(begun, size)
                self.outside[found] = Outside(begun, size)
                return found
        return None

    def _is_size(self, loop: Rounds, value: Value) -> bool:
        made, found = loop.maker(value), self.ranges.of(value)
        return (made is not None and made.op == "dim") or (found is not None and provably_less_equal(0, found[0]))

    def _start(self, loop: Rounds, index: Value) -> int | None:
        """What an index is in the first round, if each round has the next one, from a number that is not negative."""
        terms = linear(index, loop.maker)
        is_counter = dict(terms.terms) == {loop.body.inputs[0]: 1}
        return terms.constant if is_counter and 0 <= terms.constant <= FAR else None

    def _begun(self, loop: Rounds, index: Value) -> Value | None:
        """What is added to the counter, if that makes an index."""
        node, counter = loop.maker(index), loop.body.inputs[0]
        if node is None or node.op != "add" or counter not in node.inputs:
            return None
        begun = node.inputs[1 - node.inputs.index(counter)]
        is_number = not begun.type.rank and begun.type.dtype == INT64
        return begun if is_number and begun not in loop.inside else None

    def _behind(self, bound: Value, start: int, numbers: RoundNumbers) -> Value:
        """Round `bound` of a counter that begins with `start`; the first one where it is behind that."""
        found = self.ranges.of(bound)
        if found is None or not provably_less_equal(start, found[0]):
            bound = numbers.op("maximum", bound, start)
        return numbers.op("subtract", bound, start) if start else bound

    def fails(self, nodes: list[Node], trips: Value, rounds: list[Round], place: int) -> Value:
        """Whether one of several checks fails in a loop of so many rounds before the others.

        Of those that are the same in all rounds, the ones before it do not, and else none of these does.
        """
        one, numbers = rounds[place], RoundNumbers(self.rewriter, nodes)
        if one.test is not None:
            earlier = [other for other in rounds[:place] if other.test is None]
            found = numbers.op("bitwise_and", one.test, numbers.op("less", 0, trips))
            orders = [numbers.op("less", 0, other.number) for other in earlier]
        else:
            later = [other for other in rounds[place + 1 :] if other.test is None and other.number is not one.number]
            found = numbers.op("less", one.number, trips)
            orders = [numbers.op("less_equal", one.number, other.number) for other in later]
        for order in orders:
            found = numbers.op("bitwise_and", found, order)
        return found


__all__ = ["CountedChecks", "Round"]
