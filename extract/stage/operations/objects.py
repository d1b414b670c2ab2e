"""Objects: making them, and reading the attributes of lists, dicts, tuples, instances and captured objects."""

from __future__ import annotations

import inspect
import operator
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from graph_program.extract import diagnostics, library
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations.known_and_truth import contents_of, settled
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.questions import is_known_as, is_ref_to
from graph_program.extract.stage.values.structure import describe
from graph_program.extract.stage.values.user_classes import class_of, user_function
from graph_program.extract.stage.values.values import (
    ArrayMethod,
    Bound,
    Closure,
    Partial,
    Range,
    Ref,
    Row,
    SliceValue,
    Static,
    Tensor,
    Text,
    Tuple,
    Value,
)
from graph_program.extract.types.tensors.tensor_type import Kind

# ---------------------------------------------------------------- making objects


def new_list(m: Machine, items: Sequence[Value] | Growing) -> Ref:
    """A new list."""
    ref = Ref(list, m.loc)
    m.live.heap[ref] = items if isinstance(items, Growing) else tuple(items)
    return ref


def new_sequence(m: Machine, cls: type, items: Sequence[Value] | Growing) -> Value:
    """A new list or tuple; a tuple is taken apart where its length is known."""
    if cls is list:
        return new_list(m, items)
    if not isinstance(items, Growing):
        return Tuple(tuple(items))
    ref = Ref(tuple, m.loc)
    m.live.heap[ref] = items
    return ref


def new_dict(m: Machine, contents: dict[Any, Value]) -> Ref:
    """A new dict with static keys."""
    ref = Ref(dict, m.loc)
    m.live.heap[ref] = dict(contents)
    return ref


def dict_contents(m: Machine, value: Value) -> dict[Any, Value]:
    """The items of a dict of known structure."""
    value = settled(m, value)
    if is_ref_to(value, dict):
        return dict(contents_of(m, value))
    if is_known_as(value, dict):
        return {k: entries.lift_item(m, value, k) for k in dict.__iter__(value.value)}
    raise m.error("GP319", f"a {describe(value)} is not a dict of known structure", cls=diagnostics.DTypeError)


# ---------------------------------------------------------------- attributes


def no_attribute(m: Machine, cls: type, name: str) -> diagnostics.GraphProgramError:
    """Python's AttributeError."""
    return m.error("GP307", f"'{cls.__name__}' object has no attribute '{name}'")


def container_attribute(m: Machine, value: Value, cls: type, name: str) -> Value:
    """A method of a list, tuple, dict, set, string or range."""
    if name == "__class__":
        return Static(cls)
    if not hasattr(cls, name):
        raise no_attribute(m, cls, name)
    return Partial(Static(operator.getitem), (value,), {}) if name == "__getitem__" else ArrayMethod(value, name)


def class_has(cls: type, name: str) -> bool:
    """Whether a class has something for an attribute that its instance has not set."""
    member = isinstance(inspect.getattr_static(cls, name, None), types.MemberDescriptorType)
    return hasattr(cls, name) and not member


def call_with(m: Machine, function: Value, *args: Value) -> Value:
    """`function(*args)`."""
    return entries.call(m, function, list(args), {})


def user_method(value: Value, name: str) -> Bound | None:
    """A method that the user's class defines, bound to the value."""
    cls = class_of(value)
    function = None if cls is None else user_function(cls, name)
    return None if function is None else Bound(value, Static(function))


def user_defined(m: Machine, obj: Value, name: str, *args: Value) -> Value | None:
    """The result of a special method of the user's class, if it has one."""
    method = user_method(obj, name)
    return None if method is None else entries.call(m, method, list(args), {})


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
