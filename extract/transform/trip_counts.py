"""How many rounds a loop has that goes on while one sum of counters is less than another one.

    while lo < hi: lo += 1; hi -= 1         the gap is hi - lo, and each round closes it by 2

A gap is in sums of what the loop carries where a round begins, and of what is outside of the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.conjuncts import Conjunct
from graph_program.extract.transform.integer_ranges import COMPARISONS, Ranges
from graph_program.extract.transform.linear import Linear, linear
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.transform.truths import Truths
from graph_program.extract.types.dims import provably_less_equal
from graph_program.extract.types.tensors.shape_arithmetic import INT64_MAX
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT, Kind, TensorType

FAR = 2**62
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
        if operands is None:
            return None
        low, high = (self._counted(linear(value, self.makers.get)) for value in operands[:2])
        if low is None or high is None:
            return None
        changes = [self._change(form) for form in (low, high)]
        closing = changes[0] - changes[1]
        if is_behind:
            low, high = (form + Linear({}, -change) for form, change in ((low, changes[0]), (high, changes[1])))
        gap = Gap(low, high, operands[2], closing)
        wraps = not self._is_direct(gap) and not all(map(self._is_python, operands[:2]))
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
        return self.rewriter.constant(np.array(number, np.int64), f"int_{number}".replace("-", "minus_"))

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
    low, high = map(made.sum, forms)
    read = [value for node in made.nodes for value in node.inputs]
    for value in (*read, low, high):  # constants among them are new
        if value in made.rewriter.producer:
            ranges.note(made.rewriter.producer[value])
    distance = forms[1] - forms[0]
    if _is_near(ranges, low) and _is_near(ranges, high):
        size = distance if gap.is_strict else distance + Linear({}, 1)
        if gap.closing == 1:
            return made.sum(size)
        rest = made.sum(size + Linear({}, gap.closing - 1))
        return made.op("floor_divide", rest, made.number(gap.closing))
    if gap.is_strict and not forms[0].terms and not forms[0].constant:
        rounds = high  # there is nothing to subtract
        if gap.closing > 1:
            rounds = made.op("maximum", rounds, made.number(0))
    elif gap.is_strict and _is_positive(ranges, low):
        rounds = made.op("subtract", made.op("maximum", high, low), low)
    else:
        rounds = _far(made, gap, low, high)
    if gap.closing == 1:
        return rounds
    less = made.op("subtract", rounds, made.number(1))
    return made.op("add", made.op("floor_divide", less, made.number(gap.closing)), made.number(1))


def _far(made: Arithmetic, gap: Gap, low: Value, high: Value) -> Value:
    """The distance of two numbers, or the greatest number if that is less; nobody waits for so many rounds."""
    begins = made.op("less" if gap.is_strict else "less_equal", low, high, type=PY_BOOL)
    distance = made.op("subtract", high, low)
    if not gap.is_strict:
        distance = made.op("add", distance, made.number(1))
    fits = made.op("less", made.number(0), distance, type=PY_BOOL)
    distance = made.op("where", fits, distance, made.number(INT64_MAX))
    return made.op("where", begins, distance, made.number(0))


def put_in(form: Linear, initial: Mapping[Value, Value], rewriter: Rewriter) -> Linear:
    """A sum of what a loop begins with."""
    total = Linear({}, form.constant)
    for value, factor in form.terms.items():
        total += linear(initial.get(value, value), rewriter.producer.get).times(factor)
    return total


def _is_near(ranges: Ranges, value: Value) -> bool:
    found = ranges.of(value)
    return found is not None and all(end.constant is None or abs(end.constant) <= FAR for end in found)


def _is_positive(ranges: Ranges, value: Value) -> bool:
    found = ranges.of(value)
    return found is not None and provably_less_equal(0, found[0])


__all__ = ["Arithmetic", "Counters", "Gap", "compared", "put_in", "step_of", "trip_count"]
