"""Operators that kinds of values have of their own: what `operations/operators` asks of them."""

from __future__ import annotations

import enum
from typing import Any

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.values.generic import forward, generic
from graph_program.extract.stage.values.values import Value


class Unsaid(enum.Enum):
    """What a kind answers that does not say what an operator does, as `NotImplemented` is in Python."""

    UNSAID = enum.auto()


UNSAID = Unsaid.UNSAID


@generic
def binary_of(m: Machine, one: Value, op: str, a: Value, b: Value) -> Value:
    """`a op b`, as the kind of `one`, which is one of them, has it."""
    raise NotImplementedError


@generic
def comparison_of(m: Machine, one: Value, op: str, a: Value, b: Value) -> Value | None:
    """`a op b`, as the kind of `one`, which is one of them, compares; None where it has nothing to say of it."""
    raise NotImplementedError


@generic
def comparison_of_present(m: Machine, one: Value, op: str, a: Value, b: Value) -> Value | None:
    """`a op b` where both are there, as the kind of `one` has it; None where that is Python's own comparison."""
    return None


@generic
def equal(m: Machine, a: Value, b: Value) -> Value | Unsaid | None:
    """`a == b` as the kind of `a` says it, else UNSAID; None where it is a matter of numbers or arrays."""
    return UNSAID


@generic
def unary_of(m: Machine, value: Value, op: str) -> Value:
    """`op value`, as its kind has it."""
    raise NotImplementedError


@generic
def contained_in(m: Machine, container: Value, item: Value) -> Value | None:
    """`item in container`, as a kind that does not list its elements has it; None of any other."""
    return None


@forward
def comparison(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b` for `< <= > >= == != is in` and their negations, of any values."""


@forward
def percent(m: Machine, template: str, values: Value) -> Value:
    """`template % values`."""


@forward
def is_count(note: Any) -> bool:
    """Whether a note is that of an integer by which Python repeats a string: its own, or NumPy's."""


@forward
def comparison_of_structures(m: Machine, op: str, a: Value, b: Value) -> Value | None:
    """Comparison of structures and of instances of the user's classes that do not define it themselves."""


@forward
def sequence_operator(m: Machine, op: str, a: Value, b: Value) -> Value | None:
    """`+` and `*` of lists and tuples, `|` of dicts."""


@forward
def contains(m: Machine, container: Value, item: Value) -> Value:
    """`item in container`."""
