"""How many rounds a loop has that goes on while one sum of counters is less than another one.

    while lo < hi: lo += 1; hi -= 1         the gap is hi - lo, and each round closes it by 2

A gap is in sums of what the loop carries where a round begins, and of what is outside of the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

import numpy as np

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir import range_lengths
from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.ir.range_lengths import LARGEST, SMALLEST, Writer, applied
from graph_program.extract.records import dataclass
from graph_program.extract.transform.conjuncts import Conjunct
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.transform.linear import Linear, linear
from graph_program.extract.transform.range_facts import COMPARISONS
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.transform.truths import Truths
from graph_program.extract.types.dims import provably_less_equal
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT, Kind, TensorType

FAR = 2**61
"""Differences of numbers that are nearer to 0 are integers of 64 bits."""


@dataclass(frozen=True)
class Gap:
    """A loop goes on while `low` is less than `high`, or, where that is not strict, at most `high`."""

    low: Linear
    high: Linear
    is_strict: bool
    closing: int
    """By how much a round closes it."""


def step_of(value: Value, parameter: Value, goes_on: Value, truths: Truths) -> int | None:
    """By how much each round behind which the loop goes on changes a number; None if that is not known.

    Parameters
    ----------
    value, parameter : Value
        The number behind a round, and before it.
    goes_on : Value
        Whether there is another round.
    truths : Truths
        What holds where the value is asked for.
    """
    node = truths.makers.get(value)
    if node is None or node.op not in ("if", "where"):
        form = linear(value, truths.makers.get) - Linear({parameter: 1})
        return None if form.terms else form.constant
    found = set()
    for number, holds in enumerate((True, False)):
        inner = truths.where(node.inputs[0], holds)
        if inner.truth(goes_on) is not False:
            place = node.outputs.index(value)
            given = node.regions[number].outputs[place] if node.op == "if" else node.inputs[1 + number]
            found.add(step_of(given, parameter, goes_on, inner))
    return found.pop() if len(found) == 1 else None


def compared(test: Conjunct, maker: Callable[[Value], Node | None]) -> tuple[Value, Value, bool] | None:
    """The lower and the higher one of two int64 numbers that a test compares, and whether they must differ."""
    node = maker(test.value)
    if node is None or node.op not in COMPARISONS:
        return None
    if any(value.type.rank or value.type.dtype != np.int64 for value in node.inputs):
        return None
    strict, order = COMPARISONS[node.op]
    low, high = node.inputs if order == test.holds else node.inputs[::-1]
    return low, high, strict is test.holds


@dataclass
class Counters:
    """What a loop counts.

    Attributes
    ----------
    makers : dict of Value to Node
    inside : set of Value
        What is defined in the loop.
    steps : dict of Value to int
        The carried numbers that each round changes by the same, as they are before a round.
    results : dict of Value to Value
        Of numbers behind a round what they were before it.
    """

    makers: Mapping[Value, Node]
    inside: set[Value]
    steps: dict[Value, int] = field(default_factory=dict)
    results: dict[Value, Value] = field(default_factory=dict)

    def gap(self, test: Conjunct, is_behind: bool) -> Gap | None:
        """The gap of a comparison of counters; None if it is not one that each round closes.

        `is_behind` says that it is asked behind a round, of what the next one begins with.
        """
        operands = compared(test, self.makers.get) if test.value in self.inside else None
        return None if operands is None else self.between(*operands, is_behind)

    def meeting(self, test: Conjunct) -> Gap | None:
        """The gap of two numbers of which a test asks whether they are not yet the same, and that come nearer by 1."""
        node = self.makers.get(test.value)
        if node is None or node.op != ("not_equal" if test.holds else "equal"):
            return None
        a, b = node.inputs
        if any(value.type.rank or value.type.dtype != np.int64 for value in (a, b)):
            return None
        found = [self.between(low, high, is_strict=True, is_behind=False) for low, high in ((a, b), (b, a))]
        return next((gap for gap in found if gap is not None and gap.closing == 1), None)

    def between(self, low_value: Value, high_value: Value, is_strict: bool, is_behind: bool) -> Gap | None:
        """The gap of two numbers, the first one less than the other; see `gap`."""
        values = (low_value, high_value)
        low, high = (self._counted(linear(value, self.makers.get)) for value in values)
        if low is None or high is None:
            return None
        changes = [self._change(form) for form in (low, high)]
        closing = changes[0] - changes[1]
        if is_behind:
            low, high = (form + Linear({}, -change) for form, change in ((low, changes[0]), (high, changes[1])))
        gap = Gap(low, high, is_strict, closing)
        wraps = not self._is_direct(gap) and not all(map(self._is_python, values))
        return None if closing <= 0 or wraps else gap

    def _counted(self, form: Linear) -> Linear | None:
        """A sum with what was before the round instead of what is behind it; None if it reads what else changes."""
        total = Linear({}, form.constant)
        for value, factor in form.terms.items():
            if value in self.results:
                before = self.results[value]
                total += Linear({before: factor}, factor * self.steps[before])
            elif value in self.steps or value not in self.inside:
                total += Linear({value: factor})
            else:
                return None
        return total

    def _change(self, form: Linear) -> int:
        return sum(factor * self.steps.get(value, 0) for value, factor in form.terms.items())

    def _is_direct(self, gap: Gap) -> bool:
        """Whether a gap is that of one counter that takes every number up to the end: it cannot wrap around."""
        sides = [[value for value in form.terms if value in self.steps] for form in (gap.low, gap.high)]
        if not gap.is_strict or gap.closing != 1 or sorted(map(len, sides)) != [0, 1]:
            return False
        counter, form = (sides[0][0], gap.low) if sides[0] else (sides[1][0], gap.high)
        return form == Linear({counter: 1})

    def _is_python(self, value: Value) -> bool:
        """Whether a sum of counters is one of Python's ints, which do not wrap around."""
        if value not in self.inside:
            return True
        node = self.makers.get(value)
        if value.type.kind is not Kind.PYTHON:
            return False
        is_sum = node is not None and node.op in ("add", "subtract", "multiply", "negative", "cast")
        return not is_sum or node is None or all(map(self._is_python, node.inputs))


def counters_of(loop: Node, truths: Truths, inside: set[Value]) -> Counters:
    """What a loop counts."""
    (body,) = loop.regions
    found = Counters(truths.makers, inside)
    for parameter, result in zip(body.inputs[1:], body.outputs[1:], strict=True):
        if not parameter.type.rank and parameter.type.dtype == np.int64 and result is not parameter:
            step = step_of(result, parameter, body.outputs[0], truths)
            if step:
                found.steps[parameter], found.results[result] = step, parameter
    return found


class Arithmetic:
    """Writes operations on integers.

    Parameters
    ----------
    rewriter : Rewriter
    loc : Loc
        Of what is written.
    """

    def __init__(self, rewriter: Rewriter, loc: Loc):
        self.rewriter, self.loc = rewriter, loc
        self.nodes: list[Node] = []

    def number(self, number: int) -> Value:
        return self.rewriter.integer(number)

    def op(self, op: str, *inputs: Value, type: TensorType = PY_INT) -> Value:
        output = Value(self.rewriter.names.fresh("rounds"), type)
        self.add(self.rewriter.node(op, inputs, output, loc=self.loc))
        return output

    def add(self, node: Node) -> None:
        """Write an operation."""
        self.nodes.append(node)
        self.rewriter.producer.update(dict.fromkeys(node.outputs, node))

    def sum(self, form: Linear) -> Value:
        """What a sum is."""
        total: Value | None = None
        for value, factor in sorted(form.terms.items(), key=lambda term: term[1] < 0):
            term = value
            if abs(factor) != 1:
                term = self.op("multiply", term, self.number(abs(factor)))
            if total is None:
                total = term if factor > 0 else self.op("negative", term)
            else:
                total = self.op("add" if factor > 0 else "subtract", total, term)
        if total is None or not form.constant:
            return self.number(form.constant) if total is None else total
        return self.op("add", total, self.number(form.constant))


def trip_count(made: Arithmetic, ranges: Ranges, gap: Gap, initial: Mapping[Value, Value]) -> Value:
    """The number of rounds, where those of 64 bits are enough to count them; not more than 0 if there is none.

    Parameters
    ----------
    made : Arithmetic
    ranges : Ranges
    gap : Gap
    initial : dict of Value to Value
        What the loop begins with.
    """
    forms = [put_in(form, initial, made.rewriter) for form in (gap.low, gap.high)]
    low, high = _beginning(made, ranges, gap, initial)
    distance = forms[1] - forms[0]
    if gap.closing < FAR and _is_near(ranges, low) and _is_near(ranges, high):
        size = distance if gap.is_strict else distance + Linear({}, 1)
        if gap.closing == 1:
            return made.sum(size)
        rest = made.sum(size + Linear({}, gap.closing - 1))
        return made.op("floor_divide", rest, made.number(gap.closing))
    write = _Lengths(made, ranges)
    first, end = write.known(low), write.known(high)
    if not gap.is_strict:
        first, end = _with_end(write, first, end)
    rounds = range_lengths.rounds(write, first, end, gap.closing)
    return made.number(rounds) if isinstance(rounds, int) else rounds


def _with_end(write: _Lengths, first: Value | int, end: Value | int) -> tuple[Value | int, Value | int]:
    """A range that has as many numbers as there are from the first one to the last, with that."""
    if write.ends(first)[0] > SMALLEST:
        return applied(write, "subtract", first, 1), end
    if write.ends(end)[1] < LARGEST:
        return first, applied(write, "add", end, 1)
    last: Value | int = applied(write, "minimum", end, LARGEST - 1)
    behind = applied(write, "add", last, 1)
    is_least = write.op("less", first, SMALLEST + 1)
    before = write.op("subtract", first, 1)
    return write.op("where", is_least, first, before), write.op("where", is_least, behind, end)


class _Lengths(Writer[Value]):
    """Writes the operations that say how many numbers a range has."""

    def __init__(self, made: Arithmetic, ranges: Ranges):
        self.made, self.ranges = made, ranges

    def op(self, name: str, *operands: Value | int) -> Value:
        values = [self.made.number(v) if isinstance(v, int) else v for v in operands]
        result = self.made.op(name, *values, type=PY_BOOL if name in COMPARISONS else PY_INT)
        for value in (*values, result):
            if value in self.made.rewriter.producer:
                self.ranges.note(self.made.rewriter.producer[value])
        return result

    def ends(self, number: Value | int) -> tuple[int, int]:
        if isinstance(number, int):
            return number, number
        found = self.ranges.of(number)
        if found is None:
            return SMALLEST, LARGEST
        low, high = (end.constant for end in found)
        return -FAR if low is None else low, FAR if high is None else high

    def known(self, number: Value) -> Value | int:
        constant = self.made.rewriter.constant_of(number)
        return number if constant is None else int(constant)


def is_in_order(made: Arithmetic, ranges: Ranges, gap: Gap, initial: Mapping[Value, Value]) -> bool:
    """Whether the lower number of a gap is certainly not above the other one where the loop begins."""
    found = [ranges.of(value) for value in _beginning(made, ranges, gap, initial)]
    return found[0] is not None and found[1] is not None and provably_less_equal(found[0][1], found[1][0])


def _beginning(made: Arithmetic, ranges: Ranges, gap: Gap, initial: Mapping[Value, Value]) -> list[Value]:
    """The numbers of a gap where the loop begins."""
    values = list(map(made.sum, _balanced(*(put_in(form, initial, made.rewriter) for form in (gap.low, gap.high)))))
    read = [value for node in made.nodes for value in node.inputs]
    for value in (*read, *values):  # constants among them are new
        if value in made.rewriter.producer:
            ranges.note(made.rewriter.producer[value])
    return values


def _balanced(low: Linear, high: Linear) -> tuple[Linear, Linear]:
    """The same gap, of which nothing is added to a number where that may leave 64 bits, if the other end is known."""
    for more, by in ((low, high.constant), (high, low.constant)):
        if not more.terms and SMALLEST <= more.constant - by <= LARGEST:
            return low + Linear({}, -by), high + Linear({}, -by)
    return low, high


def put_in(form: Linear, initial: Mapping[Value, Value], rewriter: Rewriter) -> Linear:
    """A sum of what a loop begins with."""
    total = Linear({}, form.constant)
    for value, factor in form.terms.items():
        total += linear(initial.get(value, value), rewriter.producer.get).times(factor)
    return total


def _is_near(ranges: Ranges, value: Value) -> bool:
    found = ranges.of(value)
    return found is not None and all(end.constant is None or abs(end.constant) <= FAR for end in found)


__all__ = ["Arithmetic", "Counters", "Gap", "compared", "counters_of", "is_in_order", "put_in", "step_of", "trip_count"]
