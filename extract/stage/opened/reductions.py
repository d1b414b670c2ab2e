"""Reductions of open values."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

import numpy as np

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.opened.operators import BOOL, floating, given
from graph_program.extract.stage.opened.schemes import SCHEMES, Scheme, dtype_term, flat, scheme, static_int, term_of
from graph_program.extract.stage.operations.iteration import sequence_items
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.questions import is_just, is_true
from graph_program.extract.stage.values.values import NONE, Static, Value
from graph_program.extract.types.dims import Dim, dim
from graph_program.extract.types.notation.terms import DTypeTerm, ShapeTerm, TypeTerm
from graph_program.extract.types.tensors.tensor_type import INT64

if TYPE_CHECKING:
    from graph_program.extract.types.solving.solver import Origin

FALSE = Static(False)


def reduction(result: str, names: Sequence[str]) -> Scheme:
    """A reduction over `axis`; `names` are its parameters after the array."""

    def run(m: Machine, a: Value, *args: Value, **keywords: Value) -> Value:
        bound = {**dict(zip(names, args, strict=False)), **keywords}
        term = term_of(m, a)
        keepdims = is_true(bound.get("keepdims", FALSE))
        dtype = dtype_term(m, bound.get("dtype", NONE), reduced_dtype(m, term.dtype, result))
        axis = bound.get("axis", NONE)
        shape = m.inferring.constrain(m, "a reduction", lambda origin: reduced(m, term.shape, axis, keepdims, origin))
        found = m.inferring.lost(m) if shape is None else given(m, TypeTerm(dtype, shape))
        if isinstance(found, Open) and isinstance(axis, Open):  # of any shape, which differs from path to path
            found.lost = True
        return found

    return run


def reduced_dtype(m: Machine, dtype: DTypeTerm, result: str) -> DTypeTerm:
    """The element type of a reduction's result."""
    fixed = {"bool": BOOL, "int": INT64}.get(result)
    if fixed is not None:
        return fixed
    if result in ("float", "quotient"):
        return floating(m, dtype, result == "quotient")
    if result == "sum" and isinstance(dtype, np.dtype):
        summed: DTypeTerm = np.sum(np.zeros(1, dtype)).dtype
        return summed
    return dtype


def reduced(m: Machine, shape: ShapeTerm, axis: Value, keepdims: bool, origin: Origin) -> ShapeTerm:
    """The shape of a reduction's result."""
    inference = m.inferring
    known = inference.known_dims(shape)
    items = sequence_items(m, axis)
    axes = [static_int(v) for v in (items if items is not None else [axis])]
    if is_just(axis, None):
        if not keepdims:
            return ()
        return (inference.solver.fresh_rank(),) if known is None else (dim(1),) * len(known)
    numbers = [a for a in axes if a is not None]
    if len(numbers) < len(axes):
        return (inference.solver.fresh_rank(),)
    if known is not None and all(-len(known) <= a < len(known) for a in numbers):
        places = {a % len(known) for a in numbers}
        return _left(known, places, keepdims)
    if all(a < 0 for a in numbers):
        rest, dims = inference.back(shape, -min(numbers), origin)
        return (*rest, *_left(dims, {len(dims) + a for a in numbers}, keepdims))
    if all(a >= 0 for a in numbers):
        dims, rest = inference.front(shape, max(numbers) + 1, origin)
        return (*_left(dims, numbers, keepdims), *rest)
    return (inference.solver.fresh_rank(),)


def _left(dims: Sequence[Dim], axes: Container[int], keepdims: bool) -> tuple[Dim, ...]:
    """The dims that are left of some without those of some axes."""
    return tuple(dim(1) if i in axes else d for i, d in enumerate(dims) if keepdims or i not in axes)


_SUM = ("axis", "dtype", "out", "keepdims")
SCHEMES.update(dict.fromkeys(("sum", "prod", "nansum", "nanprod"), reduction("sum", _SUM)))
SCHEMES.update(dict.fromkeys(("mean", "nanmean"), reduction("quotient", _SUM)))
_VAR = ("axis", "dtype", "out", "ddof", "keepdims")
SCHEMES.update(dict.fromkeys(("std", "var", "nanstd", "nanvar"), reduction("quotient", _VAR)))
SCHEMES.update(dict.fromkeys(("any", "all"), reduction("bool", ("axis", "out", "keepdims"))))
SCHEMES.update(dict.fromkeys(("argmax", "argmin"), reduction("int", ("axis", "out", "keepdims"))))
SCHEMES.update(
    dict.fromkeys(
        ("max", "min", "amax", "amin", "nanmax", "nanmin", "ptp"), reduction("same", ("axis", "out", "keepdims"))
    )
)
SCHEMES["median"] = reduction("float", ("axis", "out", "overwrite_input", "keepdims"))
SCHEMES["count_nonzero"] = reduction("int", ("axis", "keepdims"))
SCHEMES["norm"] = reduction("float", ("ord", "axis", "keepdims"))


@scheme("cumsum", "cumprod")
def cumulative(m: Machine, a: Value, axis: Value = NONE, dtype: Value = NONE, out: Value = NONE) -> Value:
    term = term_of(m, a)
    found = dtype_term(m, dtype, reduced_dtype(m, term.dtype, "sum"))
    if is_just(axis, None):
        return given(m, TypeTerm(found, flat(m, term.shape)))
    return given(m, TypeTerm(found, term.shape))


scheme("argsort")(lambda m, a, *args, **keywords: given(m, TypeTerm(INT64, term_of(m, a).shape)))
