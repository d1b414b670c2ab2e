"""Numbers of the host: what is known of their types, and which the graph has as well."""

from __future__ import annotations

from graph_program.extract.ir.residual import Const
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.values import Host, Static, Tensor, Value, is_number_class, static_type
from graph_program.extract.types.tensor_type import PY_FLOAT, PY_INT, Kind, TensorType

INTEGERS = ("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>")
"""Operators that give an int for ints."""


def is_both(m: Machine, value: Tensor) -> bool:
    """Whether both sides can compute a number: it comes from number parameters, counters and sizes alone."""
    return isinstance(value.operand, Const) or value.operand in m.both


def type_of_number(value: Value) -> TensorType | None:
    """The type of a Python number, on whatever side; None for anything else."""
    if isinstance(value, Host):
        return None if value.told is None else value.told.type
    if isinstance(value, Static):
        return static_type(value.value) if is_number_class(value.value) else None
    return value.type if isinstance(value, Tensor) and value.type.kind is Kind.PYTHON else None


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
