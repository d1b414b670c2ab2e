"""Comparisons of Python's ints with its floats, which are exact: no int is rounded to a float on the way.

As CPython's `float_richcompare`.  NumPy compares such numbers as floats.
"""

from __future__ import annotations

import math

import numpy as np

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.values.questions import is_known
from graph_program.extract.stage.values.structure import number_bits
from graph_program.extract.stage.values.values import Static, Tensor, Value, type_of
from graph_program.extract.types.tensors.tensor_type import BOOL, FLOAT64, INT64, Kind
from graph_program.tensor_api.numpy_names import MIRRORED

EXACT_BITS = 53
"""Every int of no more bits is a float."""

LOW_BITS = 2**32 - 1

FIRST_INT, LAST_INT = -(2**63), 2**63 - 1


def may_round(a: Value, b: Value) -> bool:
    """Whether one of two numbers is a float and the other one an int which may be none."""
    return any(
        type_of(x).dtype == FLOAT64 and type_of(y).dtype not in (FLOAT64, BOOL) and number_bits(y) > EXACT_BITS
        for x, y in ((a, b), (b, a))
    )


def compare_exactly(m: Machine, op: str, a: Value, b: Value) -> Value:
    """A comparison, such as "less", of an int and a float, one of them in the graph."""
    if is_known(a) or (not is_known(b) and type_of(a).dtype == FLOAT64):
        op, a, b = MIRRORED.get(op, op), b, a
    if is_known(b):
        return _compare_with_known(m, op, a, b.value)
    number, other = m.cast(a, INT64), m.cast(b, FLOAT64)
    low, high = halves(m, number)
    rest = m.op("subtract", other, m.cast(high, FLOAT64), kind=Kind.PYTHON)  # exact where it is as small as `low`
    in_parts = _compare(m, op, low, rest)
    large = m.op("greater", m.op("absolute", number, kind=Kind.PYTHON), m.constant(np.asarray(2**EXACT_BITS)))
    return m.op("where", large, in_parts, _compare(m, op, number, other), kind=Kind.PYTHON)


def halves(m: Machine, number: Tensor) -> tuple[Tensor, Tensor]:
    """The low bits of an int64, and the rest, which is a float."""
    kind = number.type.kind
    low = m.op("bitwise_and", number, m.constant(np.asarray(LOW_BITS)), kind=kind)
    return low, m.op("subtract", number, low, kind=kind)


def _compare_with_known(m: Machine, op: str, x: Value, known: int | float) -> Value:
    """`x op known`: as with the nearest number of `x`'s own type, where there is one on that side."""
    low, high = _neighbours(int(known)) if type_of(x).dtype == FLOAT64 else _whole_neighbours(known)
    if low is not None and low == high:
        return _compare(m, op, x, Static(low))
    if op in ("equal", "not_equal"):
        return Static(op == "not_equal")
    below = op in ("less", "less_equal")
    limit = low if below else high
    if limit is None:
        return Static(False)
    return _compare(m, "less_equal" if below else "greater_equal", x, Static(limit))


def _neighbours(known: int) -> tuple[float, float]:
    """The greatest float that is not above an int, and the least that is not below."""
    try:
        nearest = float(known)
    except OverflowError:
        nearest = math.copysign(math.inf, 1 if known > 0 else -1)
    low = nearest if nearest <= known else math.nextafter(nearest, -math.inf)
    high = nearest if nearest >= known else math.nextafter(nearest, math.inf)
    return low, high


def _whole_neighbours(known: float) -> tuple[int | None, int | None]:
    """The greatest int64 that is not above a float, and the least that is not below; None for none."""
    low = LAST_INT if known > LAST_INT else math.floor(known) if known >= FIRST_INT else None
    high = FIRST_INT if known < FIRST_INT else math.ceil(known) if known <= LAST_INT else None
    return low, high


def _compare(m: Machine, op: str, x: Value, y: Value) -> Tensor:
    dtype = FLOAT64 if FLOAT64 in (type_of(x).dtype, type_of(y).dtype) else INT64
    return m.op(op, m.cast(x, dtype), m.cast(y, dtype), kind=Kind.PYTHON)
