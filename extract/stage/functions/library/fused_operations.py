"""Calls of `tensor_api.fused` in programs: one operation on float32 arrays, else the function itself, inlined; checks.

y = fused.softmax(x, -1)   ->   y = softmax(x, axis=-1)                              (x is float32)
                           ->   powers = exp(x - max(x)); y = powers / sum(powers)   (x is float64)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.stage.arrays.lowering_arguments import array, is_given, kind_of
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations.iteration import structure_items
from graph_program.extract.stage.operations.known_and_truth import settled, size_needed, static, truth_value
from graph_program.extract.stage.paths.raising import check
from graph_program.extract.stage.values.structure import text_parts
from graph_program.extract.stage.values.values import NONE, Value
from graph_program.tensor_api import checks, fused

FLOAT32 = np.dtype(np.float32)


def operation_function(function: Callable[..., Any]) -> None:
    """Let the operation of the same name stand for a function of float32 arrays."""
    parameters = inspect.signature(function).parameters
    names = list(parameters)
    operands = [name for name in names if parameters[name].annotation in registry.ARRAYS]

    def lowered(m: Machine, *args: Value) -> Value:
        given = dict(zip(names, args, strict=True))
        arrays = [array(m, given[name]) for name in operands if is_given(given[name])]
        if any(x.type.dtype != FLOAT32 for x in arrays):
            return entries.run(m, function, *args)
        attrs = {name: attribute(m, name, given[name]) for name in names if name not in operands}
        if COMPUTED in attrs.values():
            return entries.run(m, function, *args)
        return m.op(function.__name__, *arrays, kind=kind_of(arrays[0].rank), **attrs)

    values = [p.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD) for p in parameters.values()]
    machine = inspect.Parameter("m", inspect.Parameter.POSITIONAL_ONLY)
    lowered.__signature__ = inspect.Signature([machine, *values])  # type: ignore[attr-defined]
    registry.lowers_other(function)(lowered)


COMPUTED = object()
"""A number that only a run tells."""


def attribute(m: Machine, name: str, value: Value) -> Any:
    """A static attribute, of Python's own numbers; sizes that it depends on become those of the arguments."""
    value = settled(m, value)
    items = structure_items(m, value)
    if items is not None:
        found = tuple(attribute(m, name, item) for item in items)
        return COMPUTED if COMPUTED in found else found
    try:
        known = static(m, value, f"`{name}`")
    except diagnostics.DTypeError as error:
        needed = size_needed(value, error)
        if needed is error:
            return COMPUTED
        raise needed from None
    return float(known) if isinstance(known, float | np.floating) else int(known)


@registry.lowers_other(checks.refuse)
def refuse(m: Machine, bad: Value, text: Value) -> Value:
    """A check of sizes."""
    parts = (part[0] if isinstance(part, tuple) else part for part in text_parts(text))
    check(m, truth_value(m, bad), ValueError, *parts)
    return NONE


for _name in fused.__all__:
    operation_function(getattr(fused, _name))
