"""Members of number classes as numbers: what Python's operators take them for, and what NumPy makes of them."""

from __future__ import annotations

import numpy as np

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.paths.several.forms import MEMBERS, asked_of_each
from graph_program.extract.stage.values.choices import is_member
from graph_program.extract.stage.values.questions import are_known, is_known_as
from graph_program.extract.stage.values.values import Static, Value, is_numeric, type_of
from graph_program.extract.types.tensors.tensor_type import Kind


@asked_of_each(MEMBERS, settle=False)
def number(m: Machine, value: Value) -> Value:
    """The Python number that a member is; any other value as it is."""
    if is_member(value):
        return Static(int.__int__(value.value) if isinstance(value.value, int) else float.__float__(value.value))
    return value


@asked_of_each(MEMBERS, settle=False)
def array_number(m: Machine, value: Value) -> Value:
    """What NumPy makes of a member: an int64 or a float64; any other value as it is."""
    if is_member(value):
        return Static(np.asarray(value.value)[()])
    return value


def beside(m: Machine, value: Value, other: Value) -> Value:
    """A member as an operand beside another value."""
    numpy_ = is_numeric(other) and type_of(other).kind is not Kind.PYTHON
    array = is_known_as(other, np.ndarray)
    return array_number(m, value) if numpy_ or array else number(m, value)


def operands(m: Machine, a: Value, b: Value) -> tuple[Value, Value]:
    """Two operands with the numbers for members; of two that are known, Python itself knows more."""
    if are_known((a, b)) or not (is_member(a) or is_member(b)):
        return a, b
    return beside(m, a, b), beside(m, b, a)
