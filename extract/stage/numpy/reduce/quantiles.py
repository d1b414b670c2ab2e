"""`np.quantile`, `np.percentile` and their NaN-aware forms, which are programs (`library/arrays/quantiles`).

np.quantile(x, q)                   ->   place = (n - 1) * q;  between the elements of sort(x) below and above it
np.quantile(x, q, method="lower")   ->   the element of sort(x) at floor((n - 1) * q)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arrays import quantiles as programs
from graph_program.extract.stage.arrays.lowering_arguments import (
    array,
    numpy_function,
    refuse_given,
    takes,
    value_error,
)
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numpy.outputs import with_out
from graph_program.extract.stage.numpy.program_arguments import answers, is_empty
from graph_program.extract.stage.operations.known_and_truth import settled, tensor
from graph_program.extract.stage.operations.static_evaluation import OPAQUE, python_object
from graph_program.extract.stage.values.questions import is_just, known_value
from graph_program.extract.stage.values.values import NONE, Static, Value, static_contents, type_of


def quantile_form(function: Any, ufunc: str = "", casting: str = "same_kind") -> None:
    """Register one of the four."""
    name = function.__name__

    @numpy_function(function)
    @with_out(f"np.{name}", ufunc, casting=casting)
    @takes('a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None')
    def lowered(m: Machine, a: Value, q: Value, axis: Value, method: Value, keepdims: Value, weights: Value) -> Value:
        refuse_given(m, f"np.{name}", weights=weights)
        return entries.run(m, programs.of_axes, array(m, a), q, axis, method, keepdims, Static(name))


quantile_form(np.quantile, "add")
quantile_form(np.percentile, "add")
quantile_form(np.nanquantile, casting="unsafe")
quantile_form(np.nanpercentile, casting="unsafe")


@answers(programs.require_fractions)
def require_fractions(m: Machine, q: Value, wanted: Value, scale: Value) -> Value:
    limit, known = known_value(scale), python_object(m, settled(m, q))
    text = f"{'Quantiles' if limit == 1 else 'Percentiles'} must be in the range [0, {limit}]"
    if known is OPAQUE:
        return entries.run(m, programs.in_range, wanted, Static(text))
    if not ((np.asarray(known) >= 0) & (np.asarray(known) <= limit)).all():
        raise value_error(m, text)
    return NONE


@answers(programs.empty_or_not)
def empty_or_not(m: Machine, a: Value, name: Value) -> Value:
    found = is_empty(m, a)
    if is_just(found, None):
        text = f"np.{known_value(name)} needs to know here whether an array of type {type_of(a)} is empty"
        raise m.error("GP309", text, hint="ask for one quantile at a time, or test the size first")
    return found


@answers(programs.first_of_none)
def first_of_none(m: Machine, q: Value, method: Value) -> Value:
    known = static_contents(tensor(m, q))
    if known is None:
        return entries.run(m, programs.first_place, q, method)
    return Static(programs.first_place(known, known_value(method)))
