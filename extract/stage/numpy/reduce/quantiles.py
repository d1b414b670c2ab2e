"""`np.quantile`, `np.percentile` and their NaN-aware forms, for known and computed quantiles.

np.quantile(x, q)                   ->   place = (n - 1) * q;  between the elements of sort(x) below and above it
np.quantile(x, q, method="lower")   ->   the element of sort(x) at floor((n - 1) * q)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graph_program.extract.library.arrays import quantiles as quantile_programs
from graph_program.extract.library.arrays.medians import restored, sorted_last
from graph_program.extract.records import dataclass
from graph_program.extract.stage.arrays.lowering_arguments import (
    MINUS_ONE,
    ZERO,
    array,
    axes_of,
    call,
    flag,
    inexact,
    is_given,
    numpy_function,
    refuse_given,
    sequence,
    sizes_of,
    takes,
    u,
    value_error,
)
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.numpy.outputs import with_out
from graph_program.extract.stage.operations.known_and_truth import no_elements, numeric, settled, static, tensor
from graph_program.extract.stage.operations.static_evaluation import OPAQUE, python_object
from graph_program.extract.stage.paths.size_messages import check
from graph_program.extract.stage.values.values import Static, Tensor, Value, static_contents, type_of
from graph_program.extract.types.tensors.tensor_type import INT64, Kind

LINEAR = Static("linear")


def quantiles_of(
    m: Machine, a: Value, q: Value, axis: Value, method: Value, keepdims: Value, name: str, weights: Value
) -> Value:
    """Quantiles along some axes, for each one that is asked for."""
    refuse_given(m, f"np.{name}", weights=weights)
    rule = static(m, method, "the method") if is_given(method) else "linear"
    x = array(m, a)
    if x.type.dtype.kind == "b":
        u(m, np.subtract, x, x)  # refused in NumPy's words
    wanted, weak = fractions(m, q, 100 if name.endswith("percentile") else 1)
    if rule not in quantile_programs.METHODS:
        names = dict.fromkeys(quantile_programs.METHODS).keys()
        raise value_error(m, f"{rule!r} is not a valid method. Use one of: {names}")
    picks = rule in quantile_programs.DISCRETE or (rule == "linear" and wanted.type.dtype.kind != "f")
    axes = axes_of(m, axis, x.rank, of_scalars=False, lists=True)
    passes = name.startswith("nan")
    if passes and (wanted.rank or x.type.dtype.kind != "f"):
        none = any_empty(m, x)
        if none:
            return call(m, np.nanmean, x, axis, keepdims=keepdims)
        if none is None and (wanted.rank or picks):
            text = f"np.{name} needs to know here whether an array of type {x.type} is empty"
            raise m.error("GP309", text, hint="ask for one quantile at a time, or test the size first")
        x = x if none is False else m.cast(x, inexact(x.type.dtype))  # so that there is a NaN
    passes = passes and x.type.dtype.kind == "f"
    found = Wanted(m, m.op("reshape", wanted, MINUS_ONE), weak, rule, picks).of(x, axes, passes)
    batch = sizes_of(m, found)[1:]
    if not wanted.rank:
        return entries.run(m, restored, m.op("reshape", found, *batch), Static(axes), keepdims)
    if wanted.rank > 1:
        found = m.op("reshape", found, *sizes_of(m, wanted), *batch)
    if flag(m, keepdims, "keepdims") and axes:
        found = m.op("expand_dims", found, axes=tuple(axis + wanted.rank for axis in axes))
    return found


def fractions(m: Machine, q: Value, scale: int) -> tuple[Tensor, bool]:
    """The quantiles that are asked for, between 0 and 1, and whether that is a Python number."""
    unit, limit = ("Percentiles", 100) if scale != 1 else ("Quantiles", 1)
    text = f"{unit} must be in the range [0, {limit}]"
    known, given = python_object(m, settled(m, q)), numeric(m, q)
    weak = type_of(given).kind is Kind.PYTHON and type_of(given).dtype.kind != "b"
    wanted = array(m, u(m, np.divide, given, Static(scale)) if scale != 1 else given)
    if known is OPAQUE:
        entries.run(m, quantile_programs.require_fractions, wanted, Static(text))
    elif not ((np.asarray(known) >= 0) & (np.asarray(known) <= scale)).all():
        raise value_error(m, text)
    return wanted, weak


@dataclass
class Wanted:
    """The quantiles that are asked for, between 0 and 1.

    Attributes
    ----------
    q : Tensor
        Of one dim.
    weak : bool
        Whether they are a Python number, which does not widen the result.
    method : str
    picks : bool
        Whether they give elements, and do not lie between two.
    """

    m: Machine
    q: Tensor
    weak: bool
    method: str
    picks: bool

    def of(self, x: Tensor, axes: tuple[int, ...], passes: bool) -> Tensor:
        """The quantiles along a new first axis; with `passes` those of what is not NaN."""
        m, method = self.m, Static(self.method)
        q = self.q if self.q.type.dtype.kind == "f" else m.cast(self.q, INT64)
        ordered, count = sequence(m, entries.run(m, sorted_last, x, Static(axes)), "the parts")
        if passes and self.picks:
            return tensor(m, entries.run(m, quantile_programs.nan_picked, ordered, q, method))
        if passes:
            return tensor(m, entries.run(m, quantile_programs.nan_quantiles, ordered, q, Static(self.weak), method))
        none = arithmetic.compare(m, "==", count, ZERO)
        check(m, none, IndexError, *self._text_of_none(x.type.dtype.kind == "f"))
        if self.picks:
            return tensor(m, entries.run(m, quantile_programs.picked, ordered, q, count, method))
        return tensor(m, entries.run(m, quantile_programs.quantiles, ordered, q, count, Static(self.weak), method))

    def _text_of_none(self, of_float: bool) -> Sequence[str | Value]:
        """What NumPy says of no elements: floats are asked for the last one first, others for the first quantile's."""
        known = static_contents(self.q)
        if of_float or (known is not None and not known.size):
            return ("index -1 is out of bounds for axis 0 with size 0",)
        if self.picks:
            return ("cannot do a non-empty take from an empty axes.",)
        if known is not None:
            first = quantile_programs.first_of_none(known, self.method)
            return (f"index {first} is out of bounds for axis 0 with size 0",)
        place = entries.run(self.m, quantile_programs.first_of_none, self.q, Static(self.method))
        return ("index ", place, " is out of bounds for axis 0 with size 0")


def any_empty(m: Machine, x: Tensor) -> bool | None:
    """Whether an array has no elements; None where only the run tells."""
    found = [no_elements(m, x, axis) for axis in range(x.rank)]
    return True if True in found else None if None in found else False


def quantile_form(function: Any, ufunc: str = "", casting: str = "same_kind") -> None:
    """Register one of the four."""
    name = function.__name__

    @numpy_function(function)
    @with_out(f"np.{name}", ufunc, casting=casting)
    @takes('a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None')
    def lowered(m: Machine, a: Value, q: Value, axis: Value, method: Value, keepdims: Value, weights: Value) -> Value:
        return quantiles_of(m, a, q, axis, method, keepdims, name, weights)


quantile_form(np.quantile, "add")
quantile_form(np.percentile, "add")
quantile_form(np.nanquantile, casting="unsafe")
quantile_form(np.nanpercentile, casting="unsafe")
