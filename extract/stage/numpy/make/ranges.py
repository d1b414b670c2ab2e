"""`np.arange`: integers and floats in a row, counted as NumPy counts them.

    np.arange(a, b, s)   ->   a + iota(ceil((b - a) / s)) * s

NumPy divides the numbers that it is given, so that their classes decide what a step of 0 raises.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from graph_program.extract.stage.arrays.array_contents import outside
from graph_program.extract.stage.arrays.lowering_arguments import (
    ONE,
    TRUE,
    ZERO,
    as_size,
    dtype_of,
    is_given,
    number,
    numpy_function,
    refuse_given,
    result_dtype,
    takes,
)
from graph_program.extract.stage.kinds.range_values import InStage, range_trips
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations.known_and_truth import numeric, tensor
from graph_program.extract.stage.operations.of_numbers.conversions import as_element, may_not_fit
from graph_program.extract.stage.paths.flow import branch
from graph_program.extract.stage.values.exception_values import python_text
from graph_program.extract.stage.values.questions import known_value
from graph_program.extract.stage.values.structure import number_bits
from graph_program.extract.stage.values.values import NONE, Range, Static, Tensor, Value, is_numeric, type_of
from graph_program.extract.types.tensors.tensor_type import BOOL, FLOAT64, INT64, Kind


@numpy_function(np.arange)
@takes("start=None, stop=None, step=1, dtype=None, *, device=None, like=None")
def arange(m: Machine, start: Value, stop: Value, step: Value, dtype: Value, like: Value) -> Value:
    """`np.arange`: `ceil((stop - start) / step)` numbers, the i-th being `start + i * step`."""
    refuse_given(m, "np.arange", like=like)
    if not is_given(stop):
        start, stop = NONE, start
    first = start if is_given(start) else ZERO
    start, end, step = (scalar(m, v) for v in (first, stop, step if is_given(step) else ONE))
    natural = result_dtype(m, start, end, step, weak=False)
    target = dtype_of(m, dtype) or np.promote_types(natural, INT64)
    if natural.kind in "biu":
        require_step(m, start, end, step)
    if natural.kind in "biu" and known_value(start) != 0 and any(map(is_narrow, (start, end, step))):
        return narrow_integers(m, start, end, step, target)
    if natural.kind in "biu":
        return integers(m, start, end, step, target)
    return reals(m, start, end, step, target)


def scalar(m: Machine, value: Value) -> Value:
    """A number; an array of rank 0 counts as one."""
    value = numeric(m, value)
    if type_of(value).rank:
        raise m.error("GP302", "only 0-dimensional arrays can be converted to Python scalars")
    return value


ENDLESS, UNKNOWN = "Maximum allowed size exceeded", "arange: cannot compute length"


def require_step(m: Machine, start: Value, stop: Value, step: Value) -> None:
    """What NumPy raises for a step of 0, by which it divides the numbers that it is given."""
    zero = arithmetic.compare(m, "==", step, ZERO)
    if all(type_of(v).kind is Kind.PYTHON for v in (start, stop, step)):
        m.check(zero, *python_text(lambda: 1 / 0))
    else:
        m.check(booleans.both(m, zero, arithmetic.compare(m, "==", start, stop)), ValueError, UNKNOWN)
        m.check(zero, ValueError, ENDLESS)


def integers(m: Machine, start: Value, stop: Value, step: Value, dtype: np.dtype[Any]) -> Tensor:
    """Integers from `start` to before `stop`."""
    bounds = [as_size(m, v) if type_of(v).dtype.kind in "iu" else m.cast(v, INT64) for v in (start, stop, step)]
    count = integer_count(m, (start, stop, step), Range(*bounds))
    if dtype != INT64:
        check_first(m, count, bounds[0], arithmetic.arithmetic(m, "+", bounds[0], bounds[2]), dtype)
    positions = m.op("iota", count)
    first, by = bounds[0], bounds[2]
    if known_value(by) != 1:
        positions = m.op("multiply", positions, m.cast(by, INT64))
    if known_value(first) != 0:
        positions = m.op("add", positions, m.cast(first, INT64))
    return m.cast(positions, dtype)


def integer_count(m: Machine, given: Sequence[Value], bounds: Range) -> Value:
    """How many numbers there are, for bounds and a step that are as `given`, here as ints."""
    if any(type_of(v).kind is not Kind.PYTHON for v in given[:2]):  # NumPy's difference may wrap around
        gap = bounds.stop if known_value(bounds.start) == 0 else InStage(m).op("subtract", bounds.stop, bounds.start)
        if may_be_lost(gap, bounds.step):
            return real_count(m, gap, m.op("divide", *(m.cast(v, FLOAT64) for v in (gap, bounds.step))))
        return range_trips(m, Range(ZERO, gap, bounds.step))
    if number_bits(bounds.start) > 62 and number_bits(bounds.stop) > 62:
        check_not_endless(m, bounds)
    count = range_trips(m, bounds)
    return without_lost(m, count, bounds) if may_be_lost(bounds.start, bounds.step, bounds.stop) else count


def check_not_endless(m: Machine, bounds: Range) -> None:
    """What NumPy raises for a quotient that is no int64, in either direction; only a step of 1 or -1 has one."""
    gap = m.op("subtract", m.cast(bounds.stop, FLOAT64), m.cast(bounds.start, FLOAT64))
    far = m.op("greater", m.op("absolute", gap), number(m, 2.0**63, FLOAT64), kind=Kind.PYTHON)
    units = [arithmetic.compare(m, "==", bounds.step, Static(n)) for n in (1, -1)]
    m.check(booleans.both(m, far, booleans.either(m, *units)), ValueError, ENDLESS)


SMALL_STEP = 2**16
"""The quotients by such a step are near enough to each other for floats to tell them apart, up to 2**37 numbers."""


def may_be_lost(gap: Value, step: Value, *others: Value) -> bool:
    """Whether the quotient, as a float, may be that of a gap with one number less."""
    is_small = abs(known_value(step, np.inf)) <= SMALL_STEP
    return not is_small and max(map(number_bits, (gap, *others))) > 52


def without_lost(m: Machine, count: Value, bounds: Range) -> Value:
    """The number of ints that NumPy counts: their last one is lost where the quotient is nearest to a whole number."""
    write = InStage(m)
    before = write.op("subtract", count, 1)
    gap = write.op("subtract", bounds.stop, bounds.start)
    rest = write.op("subtract", gap, write.op("multiply", before, bounds.step))
    whole = m.cast(before, FLOAT64)
    part = m.op("divide", m.cast(rest, FLOAT64), m.cast(bounds.step, FLOAT64))
    same = m.op("equal", m.op("add", whole, part), whole, kind=Kind.PYTHON)
    return write.op("where", booleans.both(m, same, write.op("greater", before, 0)), before, count)


def is_narrow(value: Value) -> bool:
    """Whether a number is one of NumPy's integers with less than 64 bits."""
    return is_numeric(value) and type_of(value).dtype.kind in "iu" and type_of(value).dtype.itemsize < INT64.itemsize


def narrow_integers(m: Machine, start: Value, stop: Value, step: Value, dtype: np.dtype[Any]) -> Tensor:
    """Integers between NumPy's own numbers, whose differences NumPy takes in their type, where they may wrap."""
    first, by = m.cast(start, INT64, Kind.PYTHON), as_size(m, step)
    count = range_trips(m, Range(ZERO, in_their_type(m, "-", stop, start, TRUE), by))
    second = in_their_type(m, "+", start, step, arithmetic.compare(m, ">", count, ZERO))
    if dtype != INT64:
        check_first(m, count, first, second, dtype)
    delta = m.op("subtract", second, first)
    return m.cast(m.op("add", m.op("multiply", m.op("iota", count), delta), first), dtype)


def in_their_type(m: Machine, op: str, a: Value, b: Value, used: Value) -> Tensor:
    """`a op b` as NumPy computes it; a Python int that does not fit is an error where the result is `used`."""
    pair = [a, b]
    for i, other in ((0, b), (1, a)):
        dtype = type_of(other).dtype
        if arithmetic.is_python_int(pair[i]) and not arithmetic.is_python_int(other) and may_not_fit(pair[i], dtype):
            bad = m.reclassed(outside(m, tensor(m, pair[i]), dtype), Kind.PYTHON)
            m.check(booleans.both(m, used, bad), ValueError, ENDLESS)
            pair[i] = m.cast(pair[i], dtype, Kind.NUMPY)
    return m.cast(arithmetic.arithmetic(m, op, *pair), INT64, Kind.PYTHON)


def check_first(m: Machine, count: Value, first: Value, second: Value, dtype: np.dtype[Any]) -> None:
    """NumPy writes the first two numbers of a range as Python's, which have to fit; the others may wrap."""
    for place, value in enumerate((first, second)):
        if may_not_fit(value, dtype):
            wanted = arithmetic.compare(m, ">", count, Static(place))
            branch(m, wanted, functools.partial(_fit, m, value, dtype), lambda: None)


def _fit(m: Machine, value: Value, dtype: np.dtype[Any]) -> None:
    as_element(m, value, dtype)


def real_count(m: Machine, gap: Value, quotient: Tensor) -> Tensor:
    """How many numbers a gap has: the quotient by the step rounded up, or one where that is too small for a float."""
    unknown, limit = m.op("isnan", quotient, kind=Kind.PYTHON), number(m, 2.0**63, FLOAT64)
    m.check(unknown, ValueError, UNKNOWN)
    length = m.op("ceil", quotient)
    size = m.op("absolute", length)
    m.check(m.op("greater", size, limit, kind=Kind.PYTHON), ValueError, ENDLESS)
    endless = m.op("greater_equal", size, limit, kind=Kind.PYTHON)  # the limit itself NumPy takes for a negative number
    zero = number(m, 0, FLOAT64)
    lost = m.op("bitwise_and", m.op("equal", quotient, zero), m.cast(arithmetic.compare(m, "!=", gap, ZERO), BOOL))
    one = m.op("bitwise_and", lost, m.op("invert", m.op("signbit", quotient)))
    length = m.op("where", one, number(m, 1, FLOAT64), length)
    return m.cast(m.op("where", booleans.either(m, unknown, endless), zero, length), INT64, Kind.PYTHON)


def reals(m: Machine, start: Value, stop: Value, step: Value, dtype: np.dtype[Any]) -> Tensor:
    """Floats from `start` to before `stop`, computed in `dtype` as NumPy fills an arange."""
    gap = arithmetic.arithmetic(m, "-", stop, start)
    count = real_count(m, gap, m.cast(arithmetic.arithmetic(m, "/", gap, step), FLOAT64, Kind.PYTHON))
    x, after = (m.cast(v, FLOAT64) for v in (start, arithmetic.arithmetic(m, "+", start, step)))
    positions = m.op("iota", count)
    check_first(m, count, m.reclassed(x, Kind.PYTHON), m.reclassed(after, Kind.PYTHON), dtype)
    first, second = m.cast(x, dtype), m.cast(after, dtype)
    delta = m.op("subtract", second, first)
    if not np.isfinite(known_value(step, np.nan)):  # there is one number then, and no second
        several = m.op("greater", count, number(m, 1, INT64))
        delta = m.op("where", several, delta, number(m, 0, dtype))
    return m.op("add", first, m.op("multiply", m.cast(positions, dtype), delta))
