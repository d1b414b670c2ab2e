"""Ranges as values: their length, rounds, items, slices, members and equality."""

from __future__ import annotations

import numpy as np

from graph_program.extract.ir import range_lengths
from graph_program.extract.ir.range_lengths import LARGEST, SMALLEST, Length, Writer, applied, at_most_largest
from graph_program.extract.records import dataclass
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.numbers.python_numbers import as_int, known_with, overflow_where
from graph_program.extract.stage.operations import items, iteration, known_and_truth, operator_slots, operators
from graph_program.extract.stage.operations.known_and_truth import settled, static, truth_value
from graph_program.extract.stage.operations.of_numbers.conversions import index_of
from graph_program.extract.stage.operations.static_evaluation import OPAQUE, call_now, from_python, python_object
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.paths.several import member_numbers
from graph_program.extract.stage.values.exception_values import python_text
from graph_program.extract.stage.values.questions import (
    are_known,
    is_false,
    is_just,
    is_known,
    is_known_as,
    is_of_numpy,
    is_optional,
    known_value,
)
from graph_program.extract.stage.values.structure import number_bits
from graph_program.extract.stage.values.values import Range, SliceValue, Static, Tensor, Value, is_numeric, size_of
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensors.tensor_type import INT64, Kind

ZERO = Static(0)


def known(m: Machine, value: Value) -> range | None:
    """The range, where its bounds are known."""
    found = python_object(m, value)
    return None if found is OPAQUE else found


COMPARISONS = ("less", "equal", "greater", "less_equal", "greater_equal")


@dataclass(frozen=True)
class InStage(Writer[Value | int]):
    """Writes operations of the program."""

    m: Machine

    def op(self, name: str, *operands: Value | int) -> Value:
        values = [Static(v) if isinstance(v, int) else v for v in operands]
        if name in COMPARISONS or name == "where":
            numbers = [self.m.cast(v, INT64) for v in (values[1:] if name == "where" else values)]
            return self.m.op(name, *values[: name == "where"], *numbers, kind=Kind.PYTHON)
        result = self.m.op(name, *(self.m.cast(v, INT64) for v in values), kind=Kind.PYTHON)
        widths = [number_bits(v) for v in values]
        result.bits = min(63, sum(widths) if name == "multiply" else max(widths) + (name in ("add", "subtract")))
        return result

    def ends(self, number: Value | int) -> tuple[int, int]:
        bits = number_bits(_value(number))
        return (SMALLEST, LARGEST) if bits > 62 else (1 - 2**bits, 2**bits - 1)


def range_trips(m: Machine, value: Range) -> Value:
    """How many rounds a loop over a range has, negative counts as none; not more than the greatest int64."""
    write, step = InStage(m), _known_step(m, value)
    if step is not None and step != SMALLEST:
        return _value(range_lengths.rounds(write, *_upwards(value, step), abs(step)))
    return _value(_by_computed_step(m, write, value, is_cut=True).number)


def range_length(m: Machine, value: Range) -> Length[Value | int]:
    """How many numbers a range has; negative where these are none, or 2**63 or more."""
    write, step = InStage(m), _known_step(m, value)
    if step is not None and step != SMALLEST:
        return range_lengths.length(write, *_upwards(value, step), abs(step))
    return _by_computed_step(m, write, value, is_cut=False)


def certain_length(m: Machine, value: Range) -> Value:
    """`len(range(...))`."""
    found = range_length(m, value)
    number = _value(found.number)
    if found.may_be_huge:
        m.check(arithmetic.compare(m, "<", number, Static(0)), *python_text(lambda: len(range(2**63))))
    return InStage(m).op("maximum", number, 0) if found.may_be_none else number


def length_in_bits(m: Machine, value: Range) -> tuple[Value, Value]:
    """The length of a range, and whether it is the number with these bits that is 2**64 more."""
    found = range_length(m, value)
    number = _value(found.number)
    if found.may_be_none:
        number = InStage(m).op("maximum", number, 0)
    return number, InStage(m).op("less", number, 0) if found.may_be_huge else Static(False)


def last_number(m: Machine, value: Range) -> Value:
    """The last number of a range that has any."""
    write, step = InStage(m), _number(value.step)
    if step in (1, -1):
        return _value(applied(write, "subtract", _number(value.stop), step))
    before = applied(write, "subtract", range_length(m, value).number, 1)
    last = applied(write, "add", _number(value.start), write.op("multiply", before, value.step))
    return within(value, _value(last))


def number_at(m: Machine, value: Range, k: Value) -> Value:
    """`start + k * step`, which lies between the bounds, so that no overflow is to be looked for."""
    by, first = _number(value.step), _number(value.start)
    scaled = k if by == 1 else _between(m, "*", k, value.step)
    return scaled if first == 0 else within(value, _between(m, "+", value.start, scaled))


def _between(m: Machine, op: str, a: Value, b: Value) -> Value:
    widths = number_bits(a), number_bits(b)
    if (sum(widths) if op == "*" else max(widths) + 1) > 62:
        return InStage(m).op({"+": "add", "*": "multiply"}[op], a, b)
    return arithmetic.arithmetic(m, op, a, b)


def number_from_end(m: Machine, value: Range, k: Value) -> Value:
    """The number that has k others behind it."""
    scaled = k if _number(value.step) == 1 else _between(m, "*", k, value.step)
    return within(value, InStage(m).op("subtract", last_number(m, value), scaled))


def next_round(m: Machine, k: Value) -> Value:
    """The number of the round behind another one; there are not so many that it could overflow."""
    result = _value(applied(InStage(m), "add", _number(k), 1))
    if isinstance(result, Tensor):
        result.bits = min(result.bits, 62)
    return result


def within(value: Range, number: Value) -> Value:
    """A number of a range, with the width that it has for that."""
    if isinstance(number, Tensor):
        number.bits = min(number.bits, max(number_bits(value.start), number_bits(value.stop)))
    return number


def _value(number: Value | int) -> Value:
    """A number; one that is known with the bits that it has as an int64."""
    return Static((number - SMALLEST) % 2**64 + SMALLEST) if isinstance(number, int) else number


def _number(value: Value) -> Value | int:
    return int(value.value) if is_known(value) else value


def _known_step(m: Machine, value: Range) -> int | None:
    """The step, if it is known."""
    step = _number(value.step)
    if step == 0:
        m.raise_(ValueError, ("range() arg 3 must not be zero",))
    return step if isinstance(step, int) else None


def _upwards(value: Range, step: int) -> tuple[Value | int, Value | int]:
    """The lower and the upper bound."""
    bounds = _number(value.start), _number(value.stop)
    return bounds if step > 0 else bounds[::-1]


def _by_computed_step(m: Machine, write: InStage, value: Range, is_cut: bool) -> Length[Value | int]:
    """The length of a range whose step is computed, or -2**63, which has no absolute value; see `at_most_largest`."""
    step = m.cast(value.step, INT64, Kind.PYTHON)
    m.check(arithmetic.compare(m, "==", value.step, Static(0)), ValueError, "range() arg 3 must not be zero")
    up = write.op("greater", step, 0)
    pairs = (value.start, value.stop), (value.stop, value.start)
    low, high = (within(value, write.op("where", up, *pair)) for pair in pairs)
    found = range_lengths.distance(write, low, high)
    d = write.op("maximum", found.number, 0) if found.may_be_none else _value(found.number)
    positive = write.op("maximum", step, -LARGEST) if write.ends(step)[0] < -LARGEST else step
    size = write.op("maximum", write.op("absolute", positive), 1)

    def near() -> Value:
        first = write.op("minimum", d, 1)
        return write.op("add", write.op("floor_divide", write.op("subtract", d, first), size), first)

    if not found.may_be_huge:
        return Length(near())

    def far() -> Value:
        number = Length[Value | int](_far(write, d, step, size), may_be_huge=True)
        return _value(at_most_largest(write, number) if is_cut else number.number)

    return Length(flow.choose(m, write.op("less", d, 0), far, near), may_be_huge=not is_cut)


def _far(write: InStage, d: Value, step: Value, size: Value) -> Value | int:
    """The length of a range whose ends are 2**63 or more apart; `d` is 2**64 less than that."""
    above = write.op("subtract", d, SMALLEST)  # the distance is LARGEST + 1 + above
    wholes = [write.op("floor_divide", part, size) for part in (LARGEST, above)]
    rests = [write.op("remainder", part, size) for part in (LARGEST, above)]
    carried = write.op("greater_equal", rests[0], write.op("subtract", size, rests[1]))
    number = applied(write, "add", write.op("add", *wholes), write.op("where", carried, 2, 1))
    of_smallest = write.op("where", write.op("equal", above, 0), 1, 2)
    return write.op("where", write.op("equal", step, SMALLEST), of_smallest, _value(number))


@iteration.source.of(Range)
def range_source(m: Machine, value: Range) -> iteration.Source:
    """`range(start, stop, step)` with bounds that may be computed."""
    start, stop, step = (operand for operand in (value.start, value.stop, value.step))

    def item(k: Value) -> Value:
        return placed(k, number_at(m, value, k))

    def from_end(k: Value) -> Value:
        return placed(k, number_from_end(m, value, k))

    def placed(k: Value, number: Value) -> Value:
        if isinstance(number, Tensor) and isinstance(k, Tensor) and number is not k:
            number.needs |= k.needs
            number.inside = number.inside or span_of_range(value)
        return number

    if are_known((start, stop, step)):
        known = range(*map(known_value, (start, stop, step)))
        return iteration.Source(lambda: Static(len(known)), item, lambda: [Static(i) for i in known], False, len(known))
    return iteration.Source(lambda: range_trips(m, value), item, from_end=from_end)


def span_of_range(value: Range) -> tuple[Dim, Dim] | None:
    """The least and the greatest number of a range that has any."""
    start, stop = size_of(value.start), size_of(value.stop)
    step = known_value(value.step)
    if start is None or stop is None or step is None:
        return None
    return (start, stop - 1) if step > 0 else (stop + 1, start)


@iteration.length.of(Range)
def length(m: Machine, value: Range) -> Value:
    """`len(range(...))`."""
    numbers = known(m, value)
    return certain_length(m, value) if numbers is None else Static(len(numbers))


@known_and_truth.truth.of(Range)
def _truth(m: Machine, value: Range) -> Value:
    """Whether there is a number."""
    step = known_value(value.step)
    if step is not None:
        return arithmetic.compare(m, "<" if step > 0 else ">", value.start, value.stop)
    up = arithmetic.compare(m, ">", value.step, ZERO)
    low, high = (arithmetic.select_int(m, up, *pair) for pair in ((value.start, value.stop), (value.stop, value.start)))
    return arithmetic.compare(m, "<", low, high)


@items.item.of(Range)
def item(m: Machine, value: Range, key: Value) -> Value:
    """`range(...)[key]`: a number, or the range that a slice selects."""
    numbers, place = known(m, value), python_object(m, key)
    if numbers is not None and place is not OPAQUE:
        found = call_now(m, range.__getitem__, [numbers, place], {})
        is_range = isinstance(found, range)
        return Range(*map(Static, (found.start, found.stop, found.step))) if is_range else Static(found)
    if isinstance(key, SliceValue):
        return part(m, value, key)
    k, (count, is_huge) = index_of(m, key), length_in_bits(m, value)
    low = arithmetic.compare(m, "<", k, InStage(m).op("negative", count))
    outside = booleans.either(m, low, arithmetic.compare(m, ">=", k, count))
    m.check(booleans.both(m, outside, booleans.negate(m, is_huge)), IndexError, "range object index out of range")
    from_end = arithmetic.compare(m, "<", k, ZERO)
    forward = is_false(from_end)
    inside = k if forward else arithmetic.select_int(m, from_end, InStage(m).op("add", k, count), k)
    return range_source(m, value).item(known_with(inside, k))


def part(m: Machine, value: Range, key: SliceValue) -> Range:
    """`range(...)[a:b:c]` of a computed length: the range of what `slice.indices` gives."""
    by = Static(1) if is_just(key.step, None) else settled(m, key.step)
    if not is_known(by):
        raise m.error(
            "GP321",
            "a slice with a computed step of a range has no graph form",
            hint="compute the bounds: range(start + a * step, ...)",
        )
    if by.value == 0:
        m.raise_(ValueError, ("slice step cannot be zero",))
    count, is_huge = length_in_bits(m, value)
    overflow_where(m, is_huge)
    last = arithmetic.arithmetic(m, "-", count, Static(1))
    low, high = (ZERO, count) if by.value > 0 else (Static(-1), last)
    first, end = (low, high) if by.value > 0 else (high, low)
    bounds = [_bound(m, b, d, count, (low, high)) for b, d in ((key.start, first), (key.stop, end))]
    places = [arithmetic.arithmetic(m, "*", b, value.step) for b in bounds]
    start, stop = (arithmetic.arithmetic(m, "+", value.start, p) for p in places)
    return Range(start, stop, arithmetic.arithmetic(m, "*", value.step, by))


def _bound(m: Machine, bound: Value, missing: Value, count: Value, span: tuple[Value, Value]) -> Value:
    """A bound of a slice as a position within `span`; a negative one counts from the end."""
    if is_just(bound, None):
        return missing
    k = index_of(m, bound)
    k = arithmetic.select_int(m, arithmetic.compare(m, "<", k, ZERO), arithmetic.arithmetic(m, "+", k, count), k)
    for limit, op in zip(span, ("<", ">"), strict=True):
        k = arithmetic.select_int(m, arithmetic.compare(m, op, k, limit), limit, k)
    return k


@operator_slots.contained_in.of(Range)
def _contains(m: Machine, container: Range, item: Value) -> Value:
    """`item in range(start, stop, step)` for a static step."""
    item = member_numbers.number(m, settled(m, item))
    if not is_numeric(item):
        return Static(False)
    step = static(m, container.step, "the step of the range")
    first, last = ("<=", "<") if step > 0 else (">=", ">")
    low = truth_value(m, operators.comparison(m, first, container.start, item))
    high = truth_value(m, operators.comparison(m, last, item, container.stop))
    on_step: Value = Static(abs(step) == 1)
    if not _is_whole(item) or abs(step) != 1:
        on_step = truth_value(m, operators.comparison(m, "==", *_places_in_step(m, container, item)))
    return booleans.both(m, booleans.both(m, low, high), on_step)


def _is_whole(item: Value) -> bool:
    """Whether a number is an integer that int64 has."""
    if isinstance(item, Tensor):
        return item.type.dtype.kind in "biu" and item.type.dtype != np.uint64 and not item.rank
    return is_known_as(item, int)


def _places_in_step(m: Machine, container: Range, item: Value) -> tuple[Value, Value]:
    """Two numbers that are equal where a number between the bounds of a range is one of it."""
    if not _is_whole(item):
        step = Static(abs(container.step.value))  # type: ignore[attr-defined]
        return operators.binary(m, "%", operators.binary(m, "-", item, container.start), step), Static(0)
    number = as_int(m, item)
    one, other = (operators.binary(m, "%", v, container.step) for v in (number, container.start))
    return one, other


@operator_slots.equal.of(Range)
def equal(m: Machine, a: Range, b: Value) -> Value | operator_slots.Unsaid | None:
    """Whether two ranges have the same numbers; an array makes one of a range."""
    b = from_python(m, b.value) if is_known_as(b, range) else b
    if is_of_numpy(b):
        return None
    if not isinstance(b, Range):
        return operator_slots.UNSAID if is_optional(b) else Static(False)
    one, other = known(m, a), known(m, b)
    if one is not None and other is not None:
        return Static(one == other)
    counts = length(m, a), length(m, b)
    none = arithmetic.compare(m, "==", counts[0], ZERO)
    single = arithmetic.compare(m, "==", counts[0], Static(1))
    starts = arithmetic.compare(m, "==", a.start, b.start)
    steps = booleans.either(m, single, arithmetic.compare(m, "==", a.step, b.step))
    same = booleans.either(m, none, booleans.both(m, starts, steps))
    return booleans.both(m, arithmetic.compare(m, "==", *counts), same)
