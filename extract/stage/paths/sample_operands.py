"""Operators on values that are not both numbers: whether their Python classes have the operator at all.

NumPy makes an array of a list only where one operand is NumPy's own: `[1, 2] + 1` is a TypeError, and
`np.float64(1) + [1, 2]` is an array.  Which it is, and in which words, Python itself says about small
objects of the same classes; none of the user's methods runs.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import singledispatch
from typing import Any

import numpy as np

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.values.questions import is_array_of_graph
from graph_program.extract.stage.values.values import (
    Closure,
    DictView,
    Range,
    Ref,
    Row,
    Static,
    Tensor,
    Text,
    Tuple,
    Value,
    is_numeric,
)
from graph_program.extract.types.tensors.tensor_type import Kind

UNKNOWN: Any = object()
"""No stand-in: nothing is said about the operator."""

_BUILTIN = (list, tuple, dict, set, frozenset)
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, np.ufunc)
_THEMSELVES = (str, bytes, type(None), slice, type(Ellipsis))


def refuse_misfit(m: Machine, operation: Callable[..., Any], *operands: Value) -> None:
    """Raise Python's TypeError, if there is no such operator for the classes of the operands."""
    if all(is_numeric(value) for value in operands):
        return
    samples = [stand_in(value) for value in operands]
    if any(sample is UNKNOWN for sample in samples):
        return
    try:
        with np.errstate(all="ignore"):
            m.by_python(operation, *samples)
    except (ArithmeticError, ValueError):  # a matter of values
        return


def refuse_number(m: Machine, operation: Callable[..., Any], value: Tensor) -> None:
    """Raise Python's TypeError for an operation that a number does not have; an array may."""
    if not value.is_array:
        m.by_python(operation, stand_in(value), 0)


@singledispatch
def stand_in(value: Value) -> Any:
    """An object of the class that a value has in Python, or `UNKNOWN`."""
    return UNKNOWN


def sample(value: Value) -> Any:
    """The same, or an array of one element."""
    return np.ones((1,) * value.rank, value.type.dtype) if is_array_of_graph(value) else stand_in(value)


@stand_in.register
def _number(value: Tensor) -> Any:
    if value.is_array:
        return UNKNOWN
    kind = value.type
    return kind.python_class(1) if kind.kind is Kind.PYTHON else kind.dtype.type(1)


stand_in.register(DictView, lambda value: getattr({}, value.kind)())
stand_in.register(Tuple, lambda value: () if value.cls is None else _alike(value.cls, tuple))
stand_in.register(Ref | Row, lambda value: value.cls() if value.cls in _BUILTIN else _alike(value.cls, object))
stand_in.register(Closure, lambda *_: _alike)
stand_in.register(Text, lambda *_: "")
stand_in.register(Range, lambda *_: range(0))
stand_in.register(Static, lambda value: _static(value.value))


def _static(found: object) -> Any:
    if isinstance(found, np.generic) or type(found) in (int, float, bool):
        return type(found)(1)  # type: ignore[call-arg]
    if type(found) in _BUILTIN:
        return type(found)()
    return found if type(found) in _THEMSELVES or isinstance(found, _FUNCTIONS) else UNKNOWN


def _alike(cls: type, base: type) -> Any:
    """An object of a class of that name, without its methods."""
    return type(cls.__name__, (base,), {})()
