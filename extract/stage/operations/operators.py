"""Arithmetic, comparison and bit operators: on Python numbers as Python, on anything else as NumPy.

What Python checks, the residual program checks: division by zero, int64 overflow (the language's
ints are int64), negative shift counts, real powers that would be complex.
"""

from __future__ import annotations

import enum
import math

import numpy as np

from graph_program.extract.stage.machine.checks.booleans import negate
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers.arithmetic import BINARY, COMPARE, UNARY, arithmetic, compare, positive, ufunc
from graph_program.extract.stage.numbers.python_numbers import python_unary
from graph_program.extract.stage.operations import object_identity, operator_slots
from graph_program.extract.stage.operations.known_and_truth import numeric, settled, truth_value
from graph_program.extract.stage.operations.of_numbers import number_members, number_protocol
from graph_program.extract.stage.operations.static_evaluation import try_now
from graph_program.extract.stage.paths.joins.join_choices import MAX_CHOICES
from graph_program.extract.stage.paths.sample_operands import refuse_misfit, stand_in
from graph_program.extract.stage.paths.several import member_numbers, mixed_numbers, one_of_several, optional
from graph_program.extract.stage.paths.several.forms import MEMBERS, NUMBERS, THINGS, asked_of_each
from graph_program.extract.stage.values.choices import choice_of_known_texts, is_member
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.questions import are_known, is_known, is_known_as, is_optional
from graph_program.extract.stage.values.structure import is_text
from graph_program.extract.stage.values.values import DictView, Host, Static, Text, Value, is_numeric, type_of

# ---------------------------------------------------------------- any values


def said(found: Value | None) -> Value:
    """What a kind says that always says something."""
    assert found is not None
    return found


def first_of(kind: type, *operands: Value) -> Value | None:
    """The first operand of a kind."""
    return next((one for one in operands if isinstance(one, kind)), None)


def are_few(a: Value, b: Value) -> bool:
    """Whether `a + b` is found for each of the known texts that they may be."""
    found = [choice_of_known_texts(v) for v in (a, b)]
    if not (is_text(a) and is_text(b)):
        return True
    computed = any(isinstance(v, Text) and c is None for v, c in zip((a, b), found, strict=True))
    return not computed and math.prod(1 if c is None else len(c.values) for c in found) <= MAX_CHOICES


def binary(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b` of any two values."""
    each = mixed_numbers.of_operands(m, BINARY[op][1], a, b, lambda x, y: binary(m, op, x, y))
    return each or _binary(m, op, a, b)


@asked_of_each(MEMBERS, operand=1)
@asked_of_each(MEMBERS, operand=2)
def _binary(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`binary` of numbers of one class each, or of other things."""
    one = first_of(DictView, a, b) or first_of(Host, a, b)
    if one is not None and not operator_slots.defines(BINARY[op][2], a, b):
        return operator_slots.binary_of(m, one, op, a, b)
    few = op != "+" or are_few(a, b)
    one_of = choice_of_known_texts(a)
    if one_of is not None and few:
        return one_of_several.of_each(m, one_of, lambda v: binary(m, op, v, b))
    one_of = choice_of_known_texts(b)
    if one_of is not None and few:
        return one_of_several.of_each(m, one_of, lambda v: binary(m, op, a, v))
    if is_optional(a) or is_optional(b):
        there = optional.arguments(m, BINARY[op][0], [a, b])
        if there != [a, b]:
            return binary(m, op, *there)
    open_one = first_of(Open, a, b)
    if open_one is not None:
        return operator_slots.binary_of(m, open_one, op, a, b)
    if operator_slots.is_foreign(m, a, b, BINARY[op][2]):
        return host_entries.step(m, "binary", a, b, detail=op, text=f"... {op} ...")
    custom = operator_slots.operator_method(m, BINARY[op][2], a, b) or number_members.flag_operator(m, op, a, b)
    if custom is not None:
        return custom
    if op == "*":
        a, b = number_protocol.times(m, a, b), number_protocol.times(m, b, a)
    a, b = member_numbers.operands(m, a, b)
    if op != "%" or not isinstance(stand_in(a), str):  # "%" depends on what the string says
        refuse_misfit(m, BINARY[op][0], a, b)
    if op == "%" and is_known_as(a, str) and not is_known(b):
        return operator_slots.percent(m, a.value, b)
    if isinstance(a, Text) and op == "%":
        return host_entries.step(m, "binary", a, b, detail=op, text="a string", note=str)
    if op == "*" and any(_is_repeated(x, y) for x, y in ((a, b), (b, a))):
        note = bytes if stand_in(a) == b"" or stand_in(b) == b"" else str
        return host_entries.step(m, "binary", a, b, detail=op, text="a repeated string", note=note)
    sequence = operator_slots.sequence_operator(m, op, a, b)
    if sequence is not None:
        return sequence
    if _are_known(a, b):
        return arithmetic(m, op, a, b)
    return arithmetic(m, op, numeric(m, a), numeric(m, b))


def _is_repeated(text: Value, times: Value) -> bool:
    """Whether a string is repeated that is computed, or is so often: that makes a string of the host."""
    if not is_numeric(times) or not operator_slots.is_count(type_of(times)):
        return False
    return isinstance(text, Text) or (is_known_as(text, str | bytes) and not is_known(times))


def _are_known(*values: Value) -> bool:
    """Whether all values are known, and Python's operator makes no array of one."""
    return are_known(values) and not any(is_known_as(v, np.ndarray | list | tuple) for v in values)


def unary(m: Machine, op: str, value: Value) -> Value:
    """`-x`, `+x`, `~x`, `not x`."""
    return negate(m, truth_value(m, value)) if op == "not" else _unary(m, op, value)


@asked_of_each(NUMBERS, MEMBERS, operand=1)
def _unary(m: Machine, op: str, value: Value) -> Value:
    """`-x`, `+x`, `~x`."""
    function, np_function, name = UNARY[op]
    if isinstance(value, Host):
        return operator_slots.unary_of(m, value, op)
    (there,) = optional.arguments(m, function, [value])
    if there is not value:
        return _unary(m, op, there)
    if isinstance(value, Open):
        return operator_slots.unary_of(m, value, op)
    if is_known_as(value, enum.Flag):
        return Static(function(value.value))
    custom = operator_slots.unary_method(m, name, value)
    if custom is not None:
        return custom
    refuse_misfit(m, function, value)
    number = value if is_member(value) else numeric(m, value)
    if isinstance(number, Static):
        return Static(m.by_python(function, number.value))
    if not number.is_python:
        return positive(m, number) if op == "+" else ufunc(m, np_function, number)
    return python_unary(m, op, number)


@operator_slots.comparison.given
def comparison(m: Machine, op: str, a: Value, b: Value) -> Value:
    open_one = first_of(Open, a, b)
    if open_one is not None:
        return said(operator_slots.comparison_of(m, open_one, op, a, b))
    function = COMPARE[op][1] if op in COMPARE else None
    each = mixed_numbers.of_operands(m, function, a, b, lambda x, y: comparison(m, op, x, y))
    return each or _comparison(m, op, a, b)


@asked_of_each(THINGS, operand=1, settle=False)
@asked_of_each(THINGS, operand=2, settle=False)
def _comparison(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`comparison` of numbers of one class each, or of other things."""
    own = operator_slots.defines_comparison(op, a, b)
    for one in (first_of(DictView, a, b), first_of(Host, a, b)):
        found = operator_slots.comparison_of(m, one, op, a, b) if one is not None and not own else None
        if found is not None:
            return found
    if op in ("is", "is not"):
        result = object_identity.identical(m, a, b)
        return negate(m, result) if op == "is not" else result
    a, b = settled(m, a), settled(m, b)
    for one in (a, b):
        found = operator_slots.comparison_of_present(m, one, op, a, b)
        if found is not None:
            return found
    if op in ("in", "not in"):
        result = operator_slots.contains(m, b, a)
        return negate(m, result) if op == "not in" else result
    if op in ("==", "!="):
        found = optional.of_number(m, a, lambda v: comparison(m, op, v, b))
        found = found or optional.of_number(m, b, lambda v: comparison(m, op, a, v))
        if found is not None:
            return found
    if operator_slots.is_foreign(m, a, b, *COMPARE[op][2:]):
        now = try_now(m, COMPARE[op][0], a, b)
        return host_entries.step(m, "compare", a, b, detail=op, text=f"... {op} ...") if now is None else now
    custom = operator_slots.own_comparison(m, op, a, b)
    if custom is None:
        a, b = member_numbers.operands(m, a, b)
        custom = operator_slots.comparison_of_structures(m, op, a, b)
    if custom is not None:
        return custom
    if op not in ("==", "!="):
        there = optional.arguments(m, COMPARE[op][0], [a, b])
        if there != [a, b]:
            return comparison(m, op, *there)
        refuse_misfit(m, COMPARE[op][0], a, b)
    if _are_known(a, b):
        return compare(m, op, a, b)
    return compare(m, op, numeric(m, a), numeric(m, b))
