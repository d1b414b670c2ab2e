"""Attributes of arrays, NumPy scalars and Python numbers; `x.shape = s`."""

from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np

from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.stage.arrays import array_writes
from graph_program.extract.stage.arrays.layout import reshaped
from graph_program.extract.stage.arrays.lowering_arguments import shape_of
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.decisions import LAYOUTS
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import reachable
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.operations import attributes
from graph_program.extract.stage.operations.operators import unary
from graph_program.extract.stage.values import sharing
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.inside import held, inner_values, items_of, memory_of
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


def set_shape(m: Machine, array: Tensor, value: Value, refusal: GraphProgramError) -> None:
    """Give an array another shape: every name of it gets the view `x.reshape(s)`.

    z = np.zeros((2, 3))    ->    z = np.zeros((2, 3))
    y = z                         y = z
    z.shape = 6                   y = z = z.reshape(6)

    Refused where somebody else may see it, or its elements may have to move.
    """
    if not is_local(m, array):
        raise refusal
    changed = reshaped(m, array, shape_of(m, value))
    if changed.view is None:
        unknown = changed.depends - m.decided[LAYOUTS].keys()
        raise Needed(LAYOUTS, unknown, refusal) if unknown else refusal
    for names in m.live.frames.values():
        names.update({name: changed for name, current in names.items() if current is array})


def is_local(m: Machine, array: Tensor) -> bool:
    """Whether an array is only what some names mean: no argument, in no object, and certainly no other array."""
    merged = array.sources or array.join >= 0 or array.identity is not None or array.element is not None
    if not array.is_array or merged or array.path or m.is_captured(array):
        return False
    if any(current is array for values in m.operands[:-1] for current in values):  # the last are this statement's
        return False
    if any(sharing.may_share(kept, array) for kept, _ in m.host.kept):
        return False
    for names in m.live.frames.values():
        if any(current is array and name.startswith("<") for name, current in names.items()):
            return False
    return not any(current is array for current in _inside(m)) and not any(
        other is not array and other.sources and sharing.may_share(other, array) for _, other in reachable.visible(m)
    )


def _inside(m: Machine) -> Iterator[Value]:
    """Everything in an object, a list or a tuple."""
    for contents in m.live.heap.values():
        if isinstance(contents, Growing):
            yield from memory_of(contents)
        else:
            yield from inner_values({}, *items_of(contents))
    for names in m.live.frames.values():
        yield from inner_values({}, *(part for value in names.values() for part in held(value)))
