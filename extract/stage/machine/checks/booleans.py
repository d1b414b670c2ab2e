"""Bool scalars that are already evaluated: `or`, `and`, `not`, `any`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from graph_program.extract.stage.values.questions import is_false, is_known, is_true
from graph_program.extract.stage.values.values import Static, Value
from graph_program.extract.types.tensors.tensor_type import Kind

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine


def either(m: Machine, a: Value, b: Value) -> Value:
    """`a or b` of two bool scalars, both already evaluated."""
    for one, other in ((a, b), (b, a)):
        if is_true(one) or is_false(other):
            return one
    result = m.op("bitwise_or", a, b, kind=Kind.PYTHON)
    result.implied = (False, ((a, False), (b, False)))
    return result


def both(m: Machine, a: Value, b: Value) -> Value:
    """`a and b` of two bool scalars, both already evaluated."""
    for one, other in ((a, b), (b, a)):
        if is_false(one) or is_true(other):
            return one
    result = m.op("bitwise_and", a, b, kind=Kind.PYTHON)
    result.implied = (True, ((a, True), (b, True)))
    return result


def any_of(m: Machine, tests: Iterable[Value]) -> Value:
    """Whether one of some tests holds; those behind one that holds for certain are not evaluated."""
    found: Value = Static(False)
    for test in tests:
        found = either(m, found, test)
        if is_true(found):
            break
    return found


def negate(m: Machine, value: Value) -> Value:
    """`not value` of a bool scalar."""
    if is_known(value):
        return Static(not value.value)
    result = m.op("invert", value, kind=Kind.PYTHON)
    result.denied = value
    return result
