"""Attributes: `value.name`, of whatever a value is."""

from __future__ import annotations

import types

from graph_program.extract import diagnostics
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations.objects import new_dict, no_attribute, python_class
from graph_program.extract.stage.paths.several import optional
from graph_program.extract.stage.paths.several.forms import NUMBERS, THINGS, asked_of_each
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.values import (
    ArrayMethod,
    Closure,
    Maybe,
    Partial,
    Range,
    Ref,
    Row,
    SliceValue,
    Static,
    Tensor,
    Tuple,
    Value,
)


@asked_of_each(THINGS, NUMBERS)
def get_attribute(m: Machine, value: Value, name: str) -> Value:
    """`value.name`."""
    there = optional.present(m, value, lambda none: getattr(none, name))
    if there is not value:
        return get_attribute(m, there, name)
    value = m.in_graph(value)
    if name == "__class__" and isinstance(value, Tensor | Tuple | Range | SliceValue | Ref | Row):
        return Static(python_class(m, value))
    return attribute(m, value, name)


@generic
def attribute(m: Machine, value: Value, name: str) -> Value:
    """`value.name` of a value that is there; what no kind knows is a method, which its call finds or refuses."""
    return ArrayMethod(value, name)


@attribute.of(Partial)
def _of_partial(m: Machine, value: Partial, name: str) -> Value:
    if name not in ("func", "args", "keywords"):
        return ArrayMethod(value, name)
    return {"func": value.function, "args": Tuple(value.args)}.get(name) or new_dict(m, value.keywords)


@attribute.of(Closure)
def _of_function(m: Machine, value: Closure, name: str) -> Value:
    if name == "__name__":
        return Static(value.function.name)
    if not hasattr(types.FunctionType, name):
        raise no_attribute(m, types.FunctionType, name)
    return ArrayMethod(value, name)


@attribute.of(Range, SliceValue)
def _of_bounds(m: Machine, value: SliceValue | Range, name: str) -> Value:
    bounds = {"start": value.start, "stop": value.stop, "step": value.step}
    return bounds.get(name) or ArrayMethod(value, name)


@attribute.of(Maybe)
def _of_optional(m: Machine, value: Maybe, name: str) -> Value:
    raise m.error(
        "GP312",
        f"this value may be None, which has no attribute '{name}'",
        cls=diagnostics.ProgramAttributeError,
        hint="test it with `is None` first",
    )
