"""What is known of integers where a test holds, or in a round of a loop."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.opposites import are_opposite
from graph_program.extract.transform.orders import Range, both, either, without
from graph_program.extract.transform.range_rules import ANY
from graph_program.extract.transform.round_sums import most, span
from graph_program.extract.transform.wrapping import sum_of_signs
from graph_program.extract.types.dims import dim, provably_less_equal
from graph_program.extract.types.dims.integers import number_size

if TYPE_CHECKING:
    from graph_program.extract.transform.integer_ranges import Ranges

Fact = tuple[Value, Range | bool | None]
"""The range of an integer; None for a sum that has not left 64 bits, a truth for a test that does not yet say why."""
TRUTHS = {(dim(0), dim(0)): False, (dim(1), dim(1)): True}
CHOICES = frozenset(["if", "where"])
COMPARISONS = {
    "less": (True, True),
    "less_equal": (False, True),
    "greater": (True, False),
    "greater_equal": (False, False),
}
"""Of each whether it is strict, and whether the first operand is the smaller one."""


def in_a_round(ranges: Ranges, number: Value) -> Iterator[Fact]:
    """What follows from a number of rounds being at least 1."""
    yield number, (dim(1), ANY[1])
    form = span(ranges, number)
    for value, factor in form.terms.items():
        rest = most(ranges, form.without(value)) if len(form.terms) > 1 else dim(form.constant)
        end = None if rest is None else number_size("floor_divide", [rest - 1, dim(abs(factor))])
        if end is not None:
            yield value, (-end, ANY[1]) if factor > 0 else (ANY[0], end)
        if factor == 1 and len(form.terms) == 1 and form.constant <= 0:
            yield from _divisor(ranges, value)


def _divisor(ranges: Ranges, number: Value) -> Iterator[tuple[Value, Range]]:
    """What follows from a quotient of what is not negative being at least 1."""
    node = ranges.maker(number)
    found = ranges.of(node.inputs[0]) if node is not None and node.op == "floor_divide" else None
    if node is not None and found is not None and provably_less_equal(0, found[0]):
        yield node.inputs[1], (dim(1), found[1])


def known_where(ranges: Ranges, test: Value, holds: bool, depth: int) -> Iterator[Fact]:
    """What a test says of integers that it compares; what several of its parts are made of is looked at once."""
    work, seen = [(test, holds)], set[tuple[Value, bool]]()
    while work:
        value, truth = part = work.pop()
        node = ranges.maker(value)
        if part in seen or node is None or depth <= 0 or value.type.rank:
            continue
        seen.add(part)
        if node.op == "invert":
            work.append((node.inputs[0], not truth))
        elif node.op == ("bitwise_and" if truth else "bitwise_or"):
            work += [(operand, truth) for operand in reversed(node.inputs)]
        else:
            yield from _said_by(ranges, value, node, truth, depth)


def _said_by(ranges: Ranges, test: Value, node: Node, holds: bool, depth: int) -> Iterator[Fact]:
    """What a test says that is no negation, nor made of parts that must all come out alike."""
    if node.op in ("bitwise_and", "bitwise_or") and test.type.dtype == np.bool_:
        yield from _by_its_parts(ranges, node, holds, depth)
    elif node.op in CHOICES:
        yield from _where_it_is(ranges, test, holds, depth)
    elif any(value.type.dtype != np.int64 for value in node.inputs):
        return
    elif node.op in ("equal", "not_equal"):
        a, b = node.inputs
        for value, other in ((a, b), (b, a)):
            found, given = (ranges.of(v, depth - 1) or ANY for v in (value, other))
            are_one = (node.op == "equal") is holds
            yield from _terms(ranges, value, given if are_one else without(found, given), depth - 1)
            number = given[0].lower
            if are_one and number is not None and given[0] == given[1]:
                yield from _where_it_is(ranges, value, number, depth - 1)
    elif node.op in COMPARISONS:
        strict, order = COMPARISONS[node.op]
        a, b = node.inputs if order == holds else node.inputs[::-1]
        step = int(strict is holds)  # a < b, or a <= b
        low, high = (ranges.compared(value, depth - 1) or ANY for value in (a, b))
        yield from _terms(ranges, a, (ANY[0], high[1] - step), depth - 1)
        yield from _terms(ranges, b, (low[0] + step, ANY[1]), depth - 1)
        yield from ((value, None) for value in _unwrapped(ranges, a, b, depth - 1))


def _by_its_parts(ranges: Ranges, node: Node, holds: bool, depth: int) -> Iterator[Fact]:
    """What is known where an `and` does not hold, or an `or` does: of the one part that may be why."""
    truths = {value: TRUTHS.get(ranges.of(value, depth - 1) or ANY) for value in node.inputs}
    left = [value for value, truth in truths.items() if truth is None]
    if holds in truths.values():
        return
    if len(left) == 1:
        yield from known_where(ranges, left[0], holds, depth - 1)
    else:
        yield node.outputs[0], holds


def _unwrapped(ranges: Ranges, low: Value, high: Value, depth: int) -> Iterator[Value]:
    """The sum that has not left 64 bits where one number is not above another one; see `overflow_checks`."""
    total = sum_of_signs(high, ranges.maker) if ranges.is_constant(low) and ranges.number(low) == dim(0) else None
    if total is not None:
        yield from total.outputs
    for result, other, op in ((high, low, "add"), (low, high, "subtract")):
        node = ranges.maker(result)
        if node is not None and node.op == op and other in node.inputs[: 2 if op == "add" else 1]:
            change = ranges.of(node.inputs[1 - node.inputs.index(other)], depth)
            if change is not None and provably_less_equal(0, change[0]):
                yield result


def _terms(ranges: Ranges, value: Value, found: Range, depth: int) -> Iterator[tuple[Value, Range]]:
    """A number in a range, and what follows for the number that it is the sum of with a known one."""
    yield value, found
    node = ranges.maker(value)
    if node is None or node.op not in ("add", "subtract") or depth <= 0 or not ranges.is_exact(value, depth):
        return
    x, y = node.inputs
    for number, known in ((x, ranges.of(y, 1)), *([(y, ranges.of(x, 1))] if node.op == "add" else [])):
        if known is not None and known[0] == known[1]:
            by = known[0] if node.op == "add" else -known[0]
            low, high = (end if end in ANY else end - by for end in found)
            yield from _terms(ranges, number, (low, high), depth - 1)


def _where_it_is(ranges: Ranges, value: Value, wanted: int, depth: int) -> Iterator[Fact]:
    """What is known where a choice has come out as a number, or as a truth: what all ways there have in common."""
    node = ranges.maker(value)
    if node is None or depth <= 0 or node.op not in CHOICES or value.type.rank:
        return
    ways: list[dict[Value, Range]] = []
    for given, side in _sides(node, value):
        if _may_be(ranges, given, side, node.inputs[0], wanted, depth):
            known = dict[Value, Range]()
            more = known_where(ranges, given, bool(wanted), depth - 1) if given.type.dtype == np.bool_ else ()
            for number, found in (
                *known_where(ranges, node.inputs[0], side, depth - 1),
                *(more or _where_it_is(ranges, given, wanted, depth - 1)),
            ):
                if not isinstance(found, bool | None):
                    known[number] = both(known[number], found) if number in known else found
            ways.append(known)
    for number in ways[0] if ways else ():
        if all(number in way for way in ways):
            found_in_each: list[Range | None] = [way[number] for way in ways]
            together = functools.reduce(either, found_in_each)
            if together is not None:
                yield number, together


def _may_be(ranges: Ranges, value: Value, side: bool, test: Value, wanted: int, depth: int) -> bool:
    """Whether what a side of a choice gives may be a number, or a truth; it may be the choice's own test."""
    if value is test:
        return side is bool(wanted)
    made, asked = ranges.maker(value), ranges.maker(test)
    if made is not None and asked is not None and _is_opposite(value, made, asked):
        return side is not bool(wanted)
    if made is not None and made.op == "constant":
        return int(made.attrs["value"]) == wanted
    if made is not None and made.op == "placeholder":
        return not ranges.only_read
    if made is None or made.op not in CHOICES or depth <= 0:
        return True
    return any(_may_be(ranges, v, s, made.inputs[0], wanted, depth - 1) for v, s in _sides(made, value))


def _is_opposite(value: Value, made: Node, asked: Node) -> bool:
    """Whether a truth is what a test asks not to hold."""
    return (asked.op == "invert" and asked.inputs[0] is value) or are_opposite(made, asked)


def _sides(node: Node, output: Value) -> list[tuple[Value, bool]]:
    """What the sides of a choice give for an output, and whether the test of the choice holds there."""
    given = node.inputs[1:]
    if node.op == "if":
        place = node.outputs.index(output)
        given = [region.outputs[place] for region in node.regions]
    return list(zip(given, (True, False), strict=True))


__all__ = ["CHOICES", "COMPARISONS", "Fact", "in_a_round", "known_where"]
