"""Attributes of arrays, NumPy scalars and Python numbers."""

from __future__ import annotations

import operator

import numpy as np

from graph_program.extract.stage.arrays import array_writes
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations import attributes
from graph_program.extract.stage.operations.operators import unary
from graph_program.extract.stage.values.questions import is_array_of_graph, is_known
from graph_program.extract.stage.values.values import ArrayMethod, Partial, Static, Tensor, Value, type_of


@attributes.attribute.of(Tensor)
def array_attribute(m: Machine, value: Tensor | Static, name: str) -> Value:
    """An attribute or method of an array, NumPy scalar or Python number."""
    if value.is_python:
        return number_attribute(m, value, name)
    cls = np.ndarray if is_array_of_graph(value) else type_of(value).dtype.type
    if not hasattr(cls, name):
        raise m.error("GP307", f"'numpy.{cls.__name__}' object has no attribute '{name}'")
    if name in registry.ATTRIBUTES:
        return registry.ATTRIBUTES[name](m, [value], {})
    if name == "as_integer_ratio":
        raise no_number_form(m, cls, name)
    if name == "__getitem__":
        return Partial(Static(operator.getitem), (value,), {})
    if name in registry.METHODS or name in array_writes.METHODS:
        return ArrayMethod(value, name)
    on_host = host_entries.attribute(m, value, cls, name)
    if on_host is not None:
        return on_host
    hint = array_writes.INSTEAD.get(name, "see the operations page")
    raise m.error("GP323", f"ndarray.{name} has no graph form", hint=hint)


def number_attribute(m: Machine, value: Value, name: str) -> Value:
    """An attribute of a Python number."""
    if name in ("real", "imag") and type_of(value).is_complex:
        return registry.ATTRIBUTES[name](m, [value], {})
    cls = type_of(value).python_class
    if not hasattr(cls, name):
        raise m.error(
            "GP307",
            f"'{cls.__name__}' object has no attribute '{name}'",
            hint="a Python number has no array methods; use np functions, or np.float64(...)"
            if hasattr(np.generic, name)
            else "",
        )
    if name in ("is_integer", "conjugate") or (name in INT_METHODS and cls is not float):
        return ArrayMethod(value, name)
    if name in ("real", "numerator"):  # an int of a bool
        return unary(m, "+", value)
    if name in ("imag", "denominator"):
        return Static(cls(0.0) if cls is float else int(name == "denominator"))
    if is_known(value):
        return Static(getattr(value.value, name))
    on_host = host_entries.attribute(m, value, cls, name)
    if on_host is not None:
        return on_host
    raise no_number_form(m, cls, name)


def no_number_form(m: Machine, cls: type, name: str) -> Exception:
    """The refusal of an attribute of a computed number."""
    return m.error(
        "GP323",
        f"{cls.__name__}.{name} of a computed number has no graph form",
        hint="call it in a function marked with @host_function",
    )


INT_METHODS = ("bit_length", "bit_count", "as_integer_ratio")
"""Methods of ints, written in the language (`library/integers`)."""
