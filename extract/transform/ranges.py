"""Which comparisons of integers their ranges decide, and which integers are one number.

    c = take(codes, k)                  # uint8
    i = cast(c, dtype=int64)            to      i = cast(c, dtype=int64)
    bad = greater_equal(i, 256)                 bad = false

    if greater(left, 0):                        if greater(left, 0):
        low = less(left, 1)             to          low = false

    loop(k < subtract(n, i)):
        bad = less_equal(n, subtract(add(i, k), 1))         to      bad = false

    j = take(iota(n), k)                to      j is k, which is inside

    same = equal(add(k, 1), add(1, k))              to      same = true

    m = maximum(n, add(k, 1))           to      m is n, where k counts n rounds

    loop(k < subtract(maximum(n, 1), 1))        loop(k < subtract(n, 1)), where n is no number of that 1 cannot be taken

    bad = not_equal(right_shift(left_shift(u, 8), 8), u)        to      bad = false, where u has 8 bits

    y = slice(x, 1, add(1, n))          to      y = slice(x, 1, 9223372036854775807)         # x has no more elements

    y = slice(x, 0, minimum(i, n))      to      y = slice(x, 0, i)                           # so, too

What a branch has asked is known on its sides.
"""

from __future__ import annotations

import itertools
from collections import Counter
from functools import cached_property

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.carried_ranges import note_carried
from graph_program.extract.transform.integer_ranges import DEEPEST, Ranges
from graph_program.extract.transform.linear import linear
from graph_program.extract.transform.orders import ORDERS, REFLEXIVE, Order, is_far_below
from graph_program.extract.transform.range_facts import COMPARISONS
from graph_program.extract.transform.range_rules import RULES, fits
from graph_program.extract.transform.rewrite import Rewriter, uses_of
from graph_program.extract.transform.sizes_read import sizes_read
from graph_program.extract.transform.wrapping import far_product, wrapping_product, wrapping_shift, wrapping_sum
from graph_program.extract.types.dims import dim, provably_less_equal, put_in

END = np.iinfo(np.int64).max
ASKED = {
    "bitwise_or": wrapping_product,
    "greater": far_product,
    "less": wrapping_sum,
    "equal": wrapping_shift,
    "not_equal": wrapping_shift,
}
"""What finds the operation of which a truth asks whether it has left 64 bits."""


def ranges(program: GraphProgram) -> None:
    """Decide comparisons of integers, in place."""
    _Decide(program).run()


class _Decide(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.ranges = Ranges(only_read=True)
        self.ranges.say_given(program.graph.inputs)
        self.fitting: set[Node] = set()
        """Questions whether something has left 64 bits that never does; parts of them may be decided before them."""

    @cached_property
    def uses(self) -> Counter[Value]:
        """How often each value was read when somebody first asked."""
        return uses_of(self.program.graph)

    def graph(self, graph: Graph) -> None:
        for node in graph.nodes:
            self.ranges.note(node)
        self.fitting |= {node for node in graph.nodes if self._stays(node)}
        here = self.ranges.here
        super().graph(graph)
        self.ranges.here = here

    def region(self, node: Node, number: int) -> None:
        if node.op != "if":
            note_carried(self.ranges, node)
            with self.ranges.in_round(node):
                super().region(node, number)
            return
        with self.ranges.where(node.inputs[0], number == 0):
            super().region(node, number)
            region = node.regions[number]
            region.outputs = [self._given(value) for value in region.outputs]

    def _given(self, value: Value) -> Value:
        """What a side gives, as a constant where what the branch has asked says that it is one number."""
        if value.type.rank or value.type.dtype != np.int64 or self.ranges.is_constant(value):
            return value
        numbers = (low.lower for low, high in self.ranges.all_of(value) if low.lower == high.constant)
        number = next((number for number in numbers if number is not None), None)
        if number is None:
            return value
        constant = self.integer(number)
        self.ranges.note(self.producer[constant])
        return constant

    def visit(self, node: Node) -> list[Node]:
        if node.op == "full":
            self.ranges.say_made(node)
        if node in self.fitting:
            self._known(node.outputs[0], self._truth(node.op == "equal"))
            return []
        order = ORDERS.get(node.op)
        if order is not None:
            return self._comparison(node, order)
        if node.op == "loop":
            return [*self._rounds(node), node]
        chosen = self._chosen(node) if node.op in ("maximum", "minimum") else None
        if chosen is not None and chosen.type == node.outputs[0].type:
            self.replace(node.outputs[0], chosen)
            return []
        if node.op not in ("constant", "placeholder", "loop"):
            for output in node.outputs:
                self._number(output)
        if node.op == "take" and self._is_place(node):
            self.replace(node.outputs[0], node.inputs[1])
            return []
        made: list[Node] = []
        if node.op == "slice":
            self._to_the_end(node)
            made = self._not_cut(node)
        self.ranges.note_positive(sizes_read(node))
        return [*made, node]

    def _stays(self, node: Node) -> bool:
        """Whether a sum, product or shift, of which this asks whether it has left 64 bits, never does."""
        if len(node.outputs) != 1 or node.outputs[0].type.rank:
            return False
        asked = ASKED.get(node.op)
        found = None if asked is None else asked(node, self.ranges.maker)
        return found is not None and RULES[found.op](self.ranges, found, DEEPEST) is not None

    def _to_the_end(self, node: Node) -> None:
        """A slice that stops nowhere before the end is one that goes to the end."""
        axes, steps = node.attrs["axes"], node.attrs["steps"]
        for place, (axis, step) in enumerate(zip(axes, steps, strict=True)):
            bound = 1 + len(axes) + place
            stop, size = node.inputs[bound], put_in(node.inputs[0].type.shape[axis], self.ranges.here.positive)
            if step != 1 or self.constant_of(stop) is not None or stop.type.dtype != np.int64:
                continue
            found = self.ranges.of(stop)
            if found is not None and provably_less_equal(size, found[0]):
                node.inputs[bound] = self.integer(END)

    def _not_cut(self, node: Node) -> list[Node]:
        """A slice stops at the end by itself, where only it asks; the nodes that add to where it may stop behind it."""
        made: list[Node] = []
        axes, steps = node.attrs["axes"], node.attrs["steps"]
        for place, (axis, step) in enumerate(zip(axes, steps, strict=True)):
            bound = 1 + len(axes) + place
            size = put_in(node.inputs[0].type.shape[axis], self.ranges.here.positive)
            stop, more = self._shifted(node.inputs[bound])
            cut = self.made_by(stop, "minimum")
            if step != 1 or cut is None or stop.type.dtype != np.int64 or stop.type.rank or self.uses[stop] > 1:
                continue
            for kept, least in (cut.inputs, cut.inputs[::-1]):
                found, (first, added) = self.ranges.of(least), self._shifted(kept)
                ends = found is not None and provably_less_equal(size, found[0] + more)
                if not ends or not self._may_add(first, more + added):
                    continue
                numbers = [first, self.integer(more + added)]
                node.inputs[bound] = self.append(made, "add", numbers, stop.type, stop.name) if more + added else first
                break
        for new in made:
            self.ranges.note(new)
        return made

    def _shifted(self, value: Value) -> tuple[Value, int]:
        """What a number is added to, and that number; 0 where none is."""
        node = self.made_by(value, "add")
        for x, y in () if node is None else (node.inputs, node.inputs[::-1]):
            more = self.integer_of(y)
            if more is not None and self._may_add(x, more):
                return x, more
        return value, 0

    def _may_add(self, value: Value, more: int) -> bool:
        """Whether what a number comes to with another one has 64 bits."""
        found = self.ranges.of(value)
        return not more or (found is not None and fits((found[0] + more, found[1] + more)) is not None)

    def _comparison(self, node: Node, order: Order) -> list[Node]:
        if node.outputs[0].type.rank or all(map(self.ranges.is_constant, node.inputs)):
            return [node]
        if node.inputs[0] is node.inputs[1] and node.inputs[0].type.dtype.kind in "biu":
            answer: bool | None = node.op in REFLEXIVE
        else:
            pairs = itertools.product(*map(self.ranges.all_of, node.inputs))
            answer = next((found for a, b in pairs if (found := order(a, b)) is not None), None)
        if answer is None:
            answer = self._by_rounds(node)
        if answer is None:
            answer = self._of_converted(node)
        if answer is None:
            answer = self._as_sums(node)
        if answer is None:
            return [node]
        self._known(node.outputs[0], self._truth(answer))
        return []

    def _chosen(self, node: Node) -> Value | None:
        """The greater or the smaller one of two numbers, where it is the same one in any case."""
        a, b = node.inputs
        if any(value.type.rank or value.type.dtype != np.int64 for value in (a, b)):
            return None
        for low, high in ((a, b), (b, a)):
            found = self.ranges.of(low), self.ranges.of(high)
            ends = None if found[0] is None or found[1] is None else (found[0][1], found[1][0])
            is_less = ends is not None and (provably_less_equal(*ends) or is_far_below(*ends))
            if is_less or self.ranges.is_at_most(low, high):
                return high if node.op == "maximum" else low
        return None

    def _rounds(self, loop: Node) -> list[Node]:
        """No care of a range that has no numbers, where the difference of its bounds is less than 0 then."""
        rounds = self.producer.get(loop.inputs[0])
        if rounds is None or rounds.op != "subtract":
            return []
        (high, low), cut = rounds.inputs, self.producer.get(rounds.inputs[0])
        if cut is None or cut.op != "maximum" or low not in cut.inputs:
            return []
        high = cut.inputs[1 - cut.inputs.index(low)]
        ends = self.ranges.of(high), self.ranges.of(low)
        if ends[0] is None or ends[1] is None or fits((ends[0][0] - ends[1][1], ends[0][1] - ends[1][0])) is None:
            return []
        output = Value(self.names.fresh(rounds.outputs[0].name), rounds.outputs[0].type)
        difference = self.node("subtract", [high, low], output, loc=rounds.loc)
        loop.inputs[0] = output
        for node in (difference, loop):
            self.ranges.note(node)
        return [difference]

    def _is_place(self, node: Node) -> bool:
        """Whether an access to 0, 1, ... is inside and counts from the front: then it gives its index."""
        numbers, index = node.inputs
        made, found = self.producer.get(numbers), self.ranges.of(index)
        if made is None or made.op != "iota" or index.type.rank or index.type.dtype != numbers.type.dtype:
            return False
        (size,) = numbers.type.shape
        if found is None or not provably_less_equal(0, found[0]):
            return False
        return provably_less_equal(found[1] + 1, size) or self.ranges.is_below(index, made.inputs[0])

    def _by_rounds(self, node: Node) -> bool | None:
        """What follows from what counts the rounds of loops."""
        if node.op not in COMPARISONS:
            return None
        strict, order = COMPARISONS[node.op]
        low, high = node.inputs if order else node.inputs[::-1]
        if self.ranges.is_below(low, high) if strict else self.ranges.is_at_most(low, high):
            return True
        if self.ranges.is_at_most(high, low) if strict else self.ranges.is_below(high, low):
            return False
        return None

    def _of_converted(self, node: Node) -> bool | None:
        """Whether 0 is what an integer was converted to, which it is of 0 alone."""
        if node.op not in ("equal", "not_equal"):
            return None
        for value, other in (node.inputs, node.inputs[::-1]):
            number, integer = self.constant_of(other), self.ranges.uncast(value)
            if integer is value or number is None or number.ndim or number != 0:
                continue
            if any(ORDERS["not_equal"](found, (dim(0), dim(0))) for found in self.ranges.all_of(integer)):
                return node.op == "not_equal"
        return None

    def _as_sums(self, node: Node) -> bool | None:
        """What follows from numbers being the same sum, or sums that differ by a constant."""
        if any(value.type.dtype != np.int64 for value in node.inputs):
            return None
        a, b = (linear(value, self.ranges.maker) for value in node.inputs)
        gap = a - b
        if gap.terms or (gap.constant and node.op not in ("equal", "not_equal")):
            return None
        return node.op in REFLEXIVE if not gap.constant else node.op == "not_equal"

    def _number(self, value: Value) -> None:
        """Read a constant where an integer can only be one number."""
        if value.type.rank or value.type.dtype not in (np.int64, np.bool_):
            return
        found = self.ranges.of(value)
        if found is not None:
            self.ranges.keep(value, found)
        if found is None or found[0] != found[1] or found[0].constant is None:
            return
        if value.type.dtype == np.bool_:
            self._known(value, self._truth(bool(found[0].constant)))
        else:
            self._known(value, self.integer(int(found[0].constant)))

    def _truth(self, holds: bool) -> Value:
        return self.constant(np.array(holds), str(holds).lower())

    def _known(self, value: Value, constant: Value) -> None:
        self.ranges.note(self.producer[constant])
        self.replace(value, constant)


__all__ = ["ranges"]
