"""Sums of what counts the rounds of loops: how great they are in the last of them.

for i in range(r, n - r):               i + j < n, as r + (n - 2 * r - 1) - r + 2 * r < n
    for j in range(-r, r + 1): x[i + j]

for i in range(n // k):                 i * k + j < n, as (n // k - 1) * k + k - 1 < n
    for j in range(k): x[i * k + j]
"""

from __future__ import annotations

from functools import partial
from typing import Protocol

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.linear import Linear, in_last_rounds
from graph_program.extract.transform.orders import HIGHEST, LOWEST, Range, both, is_far_below
from graph_program.extract.types.dims import Dim, dim, provably_less_equal


class Known(Protocol):
    """What is known of integers: see `integer_ranges`."""

    def of(self, value: Value) -> Range | None:
        """The range of a number."""

    def maker(self, value: Value) -> Node | None:
        """The node that gives a value."""

    def number(self, value: Value) -> Dim | None:
        """The number that a value is, if it is one."""

    def rounds_of(self, counter: Value) -> Value | None:
        """The number of rounds that a value counts."""

    def sum(self, value: Value) -> Linear:
        """A number as the sum that it is without wrapping around."""


def _is_far(ranges: Known, test: Value, distance: Value) -> bool:
    """Whether a test asks for a distance of 2**63 or more, which is less than 0 (see `range_lengths`)."""
    node = ranges.maker(test)
    if node is not None and node.op == "constant":
        return not node.attrs["value"].any()
    is_less = node is not None and node.op == "less" and node.inputs[0] is distance
    return is_less and node is not None and ranges.number(node.inputs[1]) == dim(0)


def most(ranges: Known, form: Linear) -> Dim | None:
    """The most that a sum can be; None if that is not known."""
    total = dim(form.constant)
    for value, factor in form.terms.items():
        found = ranges.of(value)
        end = None if found is None else found[factor > 0]
        if end is None or end in (LOWEST, HIGHEST):
            return None
        total += end * factor
    return total


def span(ranges: Known, number: Value) -> Linear:
    """A number of rounds as a sum, if it is at least 1; of a range, by how much its end is above its start."""
    cut = ranges.maker(number)
    if cut is not None and cut.op == "where" and _is_far(ranges, cut.inputs[0], cut.inputs[2]):
        number = cut.inputs[2]
    distance = ranges.maker(number)
    high = ranges.maker(distance.inputs[0]) if distance is not None and distance.op == "subtract" else None
    if distance is None or high is None or high.op != "maximum" or distance.inputs[1] not in high.inputs:
        return ranges.sum(number)
    low = distance.inputs[1]
    return ranges.sum(high.inputs[1 - high.inputs.index(low)]) - ranges.sum(low)


def is_within(ranges: Known, value: Value, bound: Value, by: int = 0) -> bool:
    """Whether a sum of numbers is less than another one by so much, in the last rounds of the loops around."""
    if any(number.type.dtype != np.int64 or number.type.rank for number in (value, bound)):
        return False
    gap = _in_last_rounds(ranges, ranges.sum(value) - ranges.sum(bound))
    return gap is not None and (provably_less_equal(gap + by, 0) or is_far_below(gap, dim(1 - by)))


def in_rounds(ranges: Known, value: Value, found: Range) -> Range:
    """The range of a number, with what is known if it is a sum of what counts rounds."""
    node = ranges.maker(value)
    form = ranges.sum(value) if node is not None and node.op in ("add", "subtract") else Linear()
    if all(ranges.rounds_of(term) is None for term in form.terms):
        return found
    low, high = (_in_last_rounds(ranges, one) for one in (form.times(-1), form))
    return both((found[0] if low is None else -low, found[1] if high is None else high), found)


def _in_last_rounds(ranges: Known, form: Linear) -> Dim | None:
    """The most that a sum is in any round of the loops around."""
    return most(ranges, _greatest(ranges, form))


def _greatest(ranges: Known, form: Linear) -> Linear:
    return in_last_rounds(form, partial(_counted, ranges), partial(_multiple, ranges))


def in_any_round(ranges: Known, form: Linear) -> Linear:
    """A sum that is not less in any round of the loops around, without what counts their rounds."""
    found = _greatest(ranges, form)
    counters = [value for value, factor in found.terms.items() if factor < 0 and ranges.rounds_of(value) is not None]
    return Linear({v: c for v, c in found.terms.items() if v not in counters}, found.constant)


def _counted(ranges: Known, counter: Value) -> Linear | None:
    """The number of rounds that a value counts, as a sum."""
    rounds = ranges.rounds_of(counter)
    return None if rounds is None else span(ranges, rounds)


def most_of_multiple(ranges: Known, product: Value) -> Dim | None:
    """The most that a multiple of what counts rounds is; None for others."""
    form = _multiple(ranges, product)
    return None if form is None else most(ranges, form)


def _multiple(ranges: Known, product: Value) -> Linear | None:
    """What `k * v` is at most, where k counts `x // v` rounds, or some more or less; v is at least 1."""
    node = ranges.maker(product)
    for counter, by in (node.inputs, node.inputs[::-1]) if node is not None and node.op == "multiply" else ():
        rounds = _counted(ranges, counter)
        if rounds is None or [*rounds.terms.values()] != [1]:
            continue
        division, found = ranges.maker(*rounds.terms), ranges.of(by)
        if division is None or division.op != "floor_divide" or division.inputs[1] is not by:
            continue
        if found is not None and provably_less_equal(1, found[0]):
            return ranges.sum(division.inputs[0]) + ranges.sum(by).times(rounds.constant - 1)
    return None


__all__ = ["in_any_round", "in_rounds", "is_within", "most", "most_of_multiple", "span"]
