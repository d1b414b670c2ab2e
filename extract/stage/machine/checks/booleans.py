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
    return _decided(m, "bitwise_or", True, a, b)


def both(m: Machine, a: Value, b: Value) -> Value:
    """`a and b` of two bool scalars, both already evaluated."""
    return _decided(m, "bitwise_and", False, a, b)


def _decided(m: Machine, op: str, decisive: bool, a: Value, b: Value) -> Value:
    """`a op b`, which is `decisive` where one of them is."""
    decides, leaves = (is_true, is_false) if decisive else (is_false, is_true)
    for one, other in ((a, b), (b, a)):
        if decides(one) or leaves(other):
            return one
    result = m.op(op, a, b, kind=Kind.PYTHON)
    result.implied = (not decisive, ((a, not decisive), (b, not decisive)))
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
