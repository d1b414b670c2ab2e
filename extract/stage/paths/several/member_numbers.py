"""Members of number classes as numbers: what Python's operators take them for, and what NumPy makes of them."""

from __future__ import annotations

import numpy as np

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.paths.several import one_of_several
from graph_program.extract.stage.values.values import (
    Mixed,
    Static,
    Value,
    is_numeric,
    is_numeric_static,
    type_of,
)
from graph_program.extract.types.tensors.tensor_type import Kind


def is_member(value: Value) -> bool:
    """Whether a value is known, and of a subclass of int or float that is not NumPy's."""
    return isinstance(value, Static) and isinstance(value.value, int | float) and not is_numeric_static(value)


def one_of_members(value: Value) -> Mixed | None:
    """The members that a value is one of, depending on the path taken, if it can be nothing else."""
    found = one_of_several.choice(value)
    return found if found is not None and _all_members(found) else None


def _all_members(mixed: Mixed) -> bool:
    return all(is_member(v) or (isinstance(v, Mixed) and _all_members(v)) for v in mixed.values)


def number(m: Machine, value: Value) -> Value:
    """The Python number that a member is; any other value as it is."""
    if is_member(value):
        assert isinstance(value, Static)
        return Static(int.__int__(value.value) if isinstance(value.value, int) else float.__float__(value.value))
    found = one_of_members(value)
    return value if found is None else one_of_several.of_each(m, found, lambda v: number(m, v))


def array_number(m: Machine, value: Value) -> Value:
    """What NumPy makes of a member: an int64 or a float64; any other value as it is."""
    if is_member(value):
        assert isinstance(value, Static)
        return Static(np.asarray(value.value)[()])
    found = one_of_members(value)
    return value if found is None else one_of_several.of_each(m, found, lambda v: array_number(m, v))


def beside(m: Machine, value: Value, other: Value) -> Value:
    """A member as an operand beside another value."""
    numpy_ = is_numeric(other) and type_of(other).kind is not Kind.PYTHON
    array = isinstance(other, Static) and isinstance(other.value, np.ndarray)
    return array_number(m, value) if numpy_ or array else number(m, value)


def operands(m: Machine, a: Value, b: Value) -> tuple[Value, Value]:
    """Two operands with the numbers for members; of two that are known, Python itself knows more."""
    if (isinstance(a, Static) and isinstance(b, Static)) or not (is_member(a) or is_member(b)):
        return a, b
    return beside(m, a, b), beside(m, b, a)
