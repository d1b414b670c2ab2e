"""Numbers of the host: what is known of their types, and which the graph has as well."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from graph_program.extract.ir.residual import Const
from graph_program.extract.stage.machine.host_contents import OneNumber, one_number
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.values.questions import is_known, one_or_many
from graph_program.extract.stage.values.values import Host, Tensor, Value, is_number_class, static_type, type_of
from graph_program.extract.types.tensors.promotion import ufunc_dtypes
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_FLOAT, PY_INT, Kind, TensorType

INTEGERS = ("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>")
"""Operators that give an int for ints."""


def is_both(m: Machine, value: Tensor) -> bool:
    """Whether both sides can compute a number: it comes from number parameters, counters and sizes alone."""
    return not value.is_array and (isinstance(value.operand, Const) or value.operand in m.host.both)


def is_only_of_graph(m: Machine, value: Value) -> bool:
    """Whether a value is one that only the graph has."""
    return isinstance(value, Tensor) and not is_both(m, value)


def told_of(value: Value) -> Value:
    """What the graph has for a number of the host."""
    return value if value.told is None else value.told


def object_of(m: Machine, value: Value) -> Host | None:
    """The object on the host that a value is, or of which it has been told and that nobody has written since."""
    if isinstance(value, Host):
        return value
    return value.host if isinstance(value, Tensor) and not m.is_written(value) else None


def type_of_number(value: Value) -> TensorType | None:
    """The type of a Python number, on whatever side; None for anything else."""
    if isinstance(value, Host):
        return None if value.told is None else value.told.type
    if is_known(value):
        return static_type(value.value) if is_number_class(value.value) else None
    return type_of(value) if value.is_python else None


def result_type(op: str, a: Value, b: Value) -> TensorType | None:
    """The type of `a op b` of Python numbers; None where that is not known."""
    types = [type_of_number(v) for v in (a, b)]
    if None in types:
        return None
    if PY_FLOAT in types:
        return PY_FLOAT if op in ("+", "-", "*", "/", "//", "%") else None
    if op == "/":
        return PY_FLOAT
    return PY_INT if op in INTEGERS and not (op in "&|^" and PY_INT not in types) else None


def type_of_one(op: str, a: Any, b: Any) -> TensorType | None:
    """The type of `a op b` for the notes of numbers, of which one has one of several types, where all give the same."""
    if op not in UFUNCS or not any(isinstance(note, OneNumber) for note in (a, b)):
        return None
    options = [one_number(note, note) for note in (a, b)]
    if None in options or any(t.dtype.kind not in "biuf" for one in options for t in one.types):  # type: ignore[union-attr]
        return None
    found = {_number(op, x, y) for x in options[0].types for y in options[1].types}  # type: ignore[union-attr]
    return found.pop() if len(found) == 1 else None


UFUNCS = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.true_divide}


def _number(op: str, a: TensorType, b: TensorType) -> TensorType | None:
    kinds = {a.dtype.kind, b.dtype.kind}
    if a.kind is b.kind is Kind.PYTHON:
        return PY_FLOAT if op == "/" or "f" in kinds else PY_INT
    return None if kinds == {"b"} else TensorType(ufunc_dtypes(UFUNCS[op], (a, b))[1], (), Kind.NUMPY)


def unary_type(op: str, value: Value) -> TensorType | None:
    """The type of `op value` of a Python number; None where that is not known."""
    type_ = type_of_number(value)
    if type_ is None or (op == "~" and type_ == PY_FLOAT):
        return None
    return PY_INT if type_ == PY_BOOL else type_


def called_type(function: Any, args: Sequence[Value]) -> TensorType | None:
    """What a builtin gives for Python numbers, those in a tuple as well; None where that is not known."""
    if not args or not isinstance(function, Hashable) or function not in BUILTINS:
        return None
    numbers = one_or_many(args[0]) if len(args) == 1 else args
    types = [type_of_number(v) for v in numbers]
    return BUILTINS[function]([t for t in types if t is not None]) if types and None not in types else None


def _one_of(types: list[TensorType]) -> TensorType | None:
    return types[0] if all(t == types[0] for t in types) else None


def _absolute(types: list[TensorType]) -> TensorType:
    return PY_INT if types[0] == PY_BOOL else types[0]


BUILTINS: dict[Any, Callable[[list[TensorType]], TensorType | None]] = {
    min: _one_of,
    max: _one_of,
    abs: _absolute,
    sum: lambda types: PY_FLOAT if PY_FLOAT in types else PY_INT,
    round: lambda types: _absolute(types) if len(types) > 1 else PY_INT,
}
"""The type of what a builtin gives, from those of its arguments."""
