"""Classes: `type(value)`, of whatever a value is."""

from __future__ import annotations

import types

import numpy as np

from graph_program.extract import library
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.structure import describe
from graph_program.extract.stage.values.values import (
    ArrayMethod,
    Bound,
    Closure,
    Range,
    Ref,
    Row,
    SliceValue,
    Tensor,
    Text,
    Tuple,
    Value,
)
from graph_program.extract.types.tensors.tensor_type import Kind

PLAIN: dict[type[Value], type] = {
    Range: range,
    Text: str,
    SliceValue: slice,
    Closure: types.FunctionType,
    Bound: types.MethodType,
    ArrayMethod: types.BuiltinMethodType,
}
"""Kinds of which all values have one class."""


@generic
def python_class(m: Machine, value: Value) -> type:
    """`type(value)`."""
    found = PLAIN.get(type(value))
    if found is None:
        raise m.error("GP321", f"the class of {describe(value)} is not known at extraction")
    return found


@python_class.of(Tensor)
def _of_tensor(m: Machine, value: Tensor) -> type:
    kind = value.type.kind
    if kind is Kind.PYTHON:
        return value.type.python_class
    return np.ndarray if kind is Kind.ARRAY else value.type.dtype.type


python_class.register(Tuple, lambda m, value: value.cls or tuple)
python_class.register(Ref, lambda m, value: library.in_python(value.cls))
python_class.register(Row, lambda m, value: library.in_python(value.cls))
