"""Ranges as values: their length, items, slices, comparison, `index` and `count`."""

from __future__ import annotations

from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations import items
from graph_program.extract.stage.operations.iteration import choose_scalar, range_source, range_trips
from graph_program.extract.stage.operations.known_and_truth import settled
from graph_program.extract.stage.operations.of_numbers.conversions import index_of
from graph_program.extract.stage.operations.operator_slots import comparison_of
from graph_program.extract.stage.operations.static_evaluation import OPAQUE, call_now, python_object
from graph_program.extract.stage.values.values import Range, SliceValue, Static, Tensor, Value
from graph_program.extract.types.tensors.tensor_type import INT64, Kind

ZERO = Static(0)


def known(m: Machine, value: Value) -> range | None:
    """The range, where its bounds are known."""
    found = python_object(m, value)
    return None if found is OPAQUE else found


def as_value(numbers: range) -> Range:
    return Range(Static(numbers.start), Static(numbers.stop), Static(numbers.step))


def length(m: Machine, value: Range) -> Value:
    """`len(range(...))`."""
    numbers = known(m, value)
    if numbers is not None:
        return Static(len(numbers))
    trips = range_trips(m, value)
    return trips if isinstance(trips, Static) else m.op("maximum", trips, m.cast(ZERO, INT64), kind=Kind.PYTHON)


@items.item.of(Range)
def item(m: Machine, value: Range, key: Value) -> Value:
    """`range(...)[key]`: a number, or the range that a slice selects."""
    numbers, place = known(m, value), python_object(m, key)
    if numbers is not None and place is not OPAQUE:
        found = call_now(m, range.__getitem__, [numbers, place], {})
        return as_value(found) if isinstance(found, range) else Static(found)
    if isinstance(key, SliceValue):
        return part(m, value, key)
    k, count = index_of(m, key), length(m, value)
    low = arithmetic.compare(m, "<", k, arithmetic.arithmetic(m, "*", count, Static(-1)))
    outside = booleans.either(m, low, arithmetic.compare(m, ">=", k, count))
    m.check(outside, IndexError, "range object index out of range")
    from_end = arithmetic.compare(m, "<", k, ZERO)
    forward = isinstance(from_end, Static) and not from_end.value
    inside = k if forward else choose_scalar(m, from_end, arithmetic.arithmetic(m, "+", k, count), k)
    if isinstance(inside, Tensor) and isinstance(k, Tensor):
        inside.needs |= k.needs
    return range_source(m, value).item(inside)


def part(m: Machine, value: Range, key: SliceValue) -> Range:
    """`range(...)[a:b:c]` of a computed length: the range of what `slice.indices` gives."""
    by = Static(1) if _is_none(key.step) else settled(m, key.step)
    if not isinstance(by, Static):
        raise m.error(
            "GP321",
            "a slice with a computed step of a range has no graph form",
            hint="compute the bounds: range(start + a * step, ...)",
        )
    if by.value == 0:
        m.raise_(ValueError, ("slice step cannot be zero",))
    count = length(m, value)
    last = arithmetic.arithmetic(m, "-", count, Static(1))
    low, high = (ZERO, count) if by.value > 0 else (Static(-1), last)
    first, end = (low, high) if by.value > 0 else (high, low)
    bounds = [_bound(m, b, d, count, (low, high)) for b, d in ((key.start, first), (key.stop, end))]
    places = [arithmetic.arithmetic(m, "*", b, value.step) for b in bounds]
    start, stop = (arithmetic.arithmetic(m, "+", value.start, p) for p in places)
    return Range(start, stop, arithmetic.arithmetic(m, "*", value.step, by))


def _bound(m: Machine, bound: Value, missing: Value, count: Value, span: tuple[Value, Value]) -> Value:
    """A bound of a slice as a position within `span`; a negative one counts from the end."""
    if _is_none(bound):
        return missing
    k = index_of(m, bound)
    k = choose_scalar(m, arithmetic.compare(m, "<", k, ZERO), arithmetic.arithmetic(m, "+", k, count), k)
    for limit, op in zip(span, ("<", ">"), strict=True):
        k = choose_scalar(m, arithmetic.compare(m, op, k, limit), limit, k)
    return k


def _is_none(value: Value) -> bool:
    return isinstance(value, Static) and value.value is None


def equal(m: Machine, a: Range, b: Range) -> Value:
    """Whether two ranges have the same numbers."""
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


@comparison_of.of(Range)
def _comparison(m: Machine, one: Range, op: str, a: Value, b: Value) -> Value | None:
    return equal(m, a, b) if op == "==" and isinstance(a, Range) and isinstance(b, Range) else None


__all__ = ["equal", "item", "length"]
