"""Members of number classes: `IntEnum`, `IntFlag`, `class Rate(float, Enum)` and other subclasses of int and float.

    tag == Tag.PAD          ->      equal(tag, 0)                       with a Python number they are one
    samples + Tag.DATA      ->      add(samples, np.int64(1))           with NumPy's they are int64 or float64

Python's operators take them as the number that they are.  NumPy does not take a subclass for one of the
Python numbers that fit into any element type, so that a member of an `IntEnum` widens a uint8.
"""

from __future__ import annotations

import enum
import math
from typing import Any

import numpy as np

from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations import known_and_truth, operator_slots
from graph_program.extract.stage.operations.of_numbers import number_protocol
from graph_program.extract.stage.paths.several.member_numbers import array_number, number
from graph_program.extract.stage.values.choices import is_member
from graph_program.extract.stage.values.questions import is_known, is_known_as
from graph_program.extract.stage.values.structure import describe
from graph_program.extract.stage.values.values import Mixed, Static, Tensor, Value
from graph_program.extract.types.tensors.tensor_type import BOOL, INT64, PY_INT

MASK_BITS = 6
"""A mask of more bits gives more combinations than are told apart."""
BITWISE = ("&", "|", "^")
NUMBER_FUNCTIONS = (abs, complex, divmod, float, int, pow, range, round)
"""Builtins to which a member is a number."""


def argument(m: Machine, function: Any, value: Value) -> Value:
    """An argument of a function: NumPy's take a member as NumPy does, Python's functions of numbers as a number."""
    if not (is_member(value) or isinstance(value, Mixed)):
        return value
    module = getattr(function, "__module__", None) or ""
    if isinstance(function, np.ufunc) or module.partition(".")[0] == np.__name__:
        return array_number(m, value)
    is_python = module == math.__name__ or any(function is f for f in NUMBER_FUNCTIONS)
    return number(m, value) if is_python and not number_protocol.is_asked(function, value) else value


# ---------------------------------------------------------------- flags


def flag_operator(m: Machine, op: str, a: Value, b: Value) -> Value | None:
    """`n & Flags.A` of a computed Python int: a member again; None for anything else."""
    for member, other in ((a, b), (b, a)):
        if op not in BITWISE or not is_known_as(member, enum.Flag) or not is_member(member):
            continue
        if isinstance(other, Tensor) and other.is_python and other.type.dtype in (INT64, BOOL):
            return _masked(m, op, member.value, other)
    return None


def _masked(m: Machine, op: str, flag: Any, other: Tensor) -> Value:
    bits = [bit for bit in range(int(flag).bit_length()) if int(flag) >> bit & 1]
    if op != "&" or int(flag) < 0 or len(bits) > MASK_BITS or not bits:
        name = type(flag).__name__
        raise m.error(
            "GP490",
            f"`{op}` of a computed int and {flag!r} is a member of {name} that is not known",
            hint="use the value of the flag (`.value`), which gives an int",
        )

    selector: Value = Static(0)
    for position, bit in enumerate(bits):
        is_set = arithmetic.arithmetic(m, "&", arithmetic.arithmetic(m, ">>", other, Static(bit)), Static(1))
        selector = arithmetic.arithmetic(m, "|", selector, arithmetic.arithmetic(m, "<<", is_set, Static(position)))
    values = [sum(1 << b for i, b in enumerate(bits) if number >> i & 1) for number in range(1 << len(bits))]
    return _one_of(m, [type(flag)(v) for v in values], selector)


def _one_of(m: Machine, members: list[Any], selector: Value) -> Value:
    things = tuple(map(Static, members))
    if is_known(selector):
        return things[int(selector.value)]
    reason = " and ".join(map(describe, things))
    case = m.cast(selector, INT64, PY_INT.kind)
    m.choices.mixed = case.born
    return Mixed(things, (), reason, None, case)


# ---------------------------------------------------------------- members of computed values


def member_of(m: Machine, cls: type[enum.Enum], value: Value) -> Value | None:
    """`cls(value)` of a computed number: the member that has it, else Python's ValueError; None for others."""
    if isinstance(value, Tensor) and issubclass(cls, enum.Flag):
        raise m.error(
            "GP490",
            f"{cls.__name__}(...) of a computed int is a combination of flags that is not known",
            hint=f"keep the int, or ask it for one flag: `n & {cls.__name__}.{_flag_of(cls)}.value`",
        )
    if not isinstance(value, Tensor) or getattr(cls._missing_, "__func__", None) is not _NO_MEMBER:
        return None
    members = [member for member in cls if isinstance(member.value, int | float | np.number)]
    tests = [
        known_and_truth.truth_value(m, operator_slots.comparison(m, "==", value, Static(member.value)))
        for member in members
    ]
    missing = booleans.negate(m, booleans.any_of(m, tests))
    m.check(missing, ValueError, (value, "r", ""), f" is not a valid {cls.__qualname__}")
    return _one_of(m, members, arithmetic.first_holding(m, list(enumerate(tests)), Static(0)))


def _flag_of(cls: type[enum.Flag]) -> str:
    """The name of a flag that is not nothing."""
    return next((name for name, flag in cls.__members__.items() if flag.value), "A")


_NO_MEMBER: Any = enum.Enum._missing_.__func__  # type: ignore[attr-defined]
