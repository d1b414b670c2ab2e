"""NumPy's functions that are programs over arrays, written in the language itself (`extract/library/arrays`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract.library import histograms
from graph_program.extract.library.arrays import (
    editing,
    functions,
    integers,
    partitions,
    polynomials,
    positions,
    products,
    signals,
    window_functions,
)
from graph_program.extract.stage.arrays.lowering_arguments import (
    ZERO,
    array,
    call,
    call_tensor,
    dtype_error,
    evaluated,
    is_sequence,
    known,
    refuse_given,
    require_clip_mode,
    result_dtype,
    sequence,
)
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.numpy.elementwise.ufuncs import by_program, composed, result_kind
from graph_program.extract.stage.numpy.programs import program_function
from graph_program.extract.stage.operations.known_and_truth import tensor
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Tuple, Value
from graph_program.extract.types.tensors.tensor_type import INT64

PROGRAMS: dict[Any, Callable[..., Any]] = {
    np.packbits: integers.packbits,
    np.unpackbits: integers.unpackbits,
    np.bartlett: window_functions.bartlett,
    np.blackman: window_functions.blackman,
    np.hamming: window_functions.hamming,
    np.hanning: window_functions.hanning,
    np.kaiser: window_functions.kaiser,
    np.i0: window_functions.i0,
    np.polyadd: polynomials.polyadd,
    np.polysub: polynomials.polysub,
    np.polymul: polynomials.polymul,
    np.polydiv: polynomials.polydiv,
    np.polyder: polynomials.polyder,
    np.polyint: polynomials.polyint,
    np.polyfit: polynomials.polyfit,
    np.delete: editing.delete,
    np.insert: editing.insert,
    np.tril_indices: positions.tril_indices,
    np.triu_indices: positions.triu_indices,
    np.tril_indices_from: positions.tril_indices_from,
    np.triu_indices_from: positions.triu_indices_from,
    np.diag_indices: positions.diag_indices,
    np.diag_indices_from: positions.diag_indices_from,
    np.mask_indices: positions.mask_indices,
    np.ravel_multi_index: positions.ravel_multi_index,
    np.lexsort: positions.lexsort,
    np.partition: partitions.partition,
    np.argpartition: partitions.argpartition,
    np.correlate: signals.correlate,
    np.unwrap: signals.unwrap,
    np.geomspace: signals.geomspace,
    np.array_equiv: signals.array_equiv,
    np.asarray_chkfinite: signals.asarray_chkfinite,
    np.sort_complex: signals.sort_complex,
    np.linalg.cross: products.cross,
    np.corrcoef: products.corrcoef,
    np.unique_all: products.unique_all,
    np.unique_counts: products.unique_counts,
    np.unique_inverse: products.unique_inverse,
    np.histogramdd: histograms.histogramdd,
    np.histogram2d: histograms.histogram2d,
}

NEWER: dict[str, Callable[..., Any]] = {
    "cumulative_sum": signals.cumulative_sum,
    "cumulative_prod": signals.cumulative_prod,
}
"""Those that NumPy 2.0 does not have."""

FIELDS_OR_LISTS = (np.unique_all, np.unique_counts, np.unique_inverse, np.histogramdd)
"""Those whose results have fields or are lists."""
NOT_EVALUATED = (*FIELDS_OR_LISTS, np.mask_indices, np.partition, np.argpartition)
"""These, those that call functions, and those whose results NumPy leaves open."""
METHODS = {np.argpartition: "argpartition"}

for _function, _program in PROGRAMS.items():
    program_function(_function, _program, _function in NOT_EVALUATED, method=METHODS.get(_function, ""))
for _name, _program in NEWER.items():
    if hasattr(np, _name):
        program_function(getattr(np, _name), _program)


# ---------------------------------------------------------------- ufuncs


composed(np.gcd)(by_program(integers.gcd))
composed(np.lcm)(by_program(integers.lcm))
composed(np.bitwise_count)(by_program(integers.bitwise_count))


@composed(np.frexp)
def frexp(m: Machine, x: Tensor) -> Value:
    parts = entries.run(m, integers.frexp, array(m, x))
    return Tuple(tuple(m.reclassed(tensor(m, part), result_kind(x)) for part in sequence(m, parts, "the parts")))


def product_of(function: Any, program: Callable[..., Any]) -> None:
    """Register a generalized ufunc of vectors and matrices."""

    @lowers(function, name=f"np.{function.__name__}")
    def lowered(
        m: Machine, x1: Value, x2: Value, /, out: Value = NONE, *, axes: Value = NONE, axis: Value = NONE
    ) -> Value:
        refuse_given(m, f"np.{function.__name__}", out=out, axes=axes, axis=axis)
        return evaluated(m, function, (x1, x2), {}) or entries.run(m, program, array(m, x1), array(m, x2))


for _name, _program in {"matvec": products.matvec, "vecmat": products.vecmat}.items():
    if hasattr(np, _name):  # NumPy 2.2
        product_of(getattr(np, _name), _program)


lowers(np.linalg.matmul, name="np.linalg.matmul")(lambda m, x1, x2, /: call(m, np.matmul, x1, x2))


# ---------------------------------------------------------------- functions of functions


@lowers(np.apply_along_axis)
def apply_along_axis(m: Machine, func1d: Value, axis: Value, arr: Value, *args: Value, **kwargs: Value) -> Value:
    return entries.run(m, functions.apply_along_axis, func1d, axis, arr, *args, **kwargs)


lowers(np.apply_over_axes)(lambda m, func, a, axes: entries.run(m, functions.apply_over_axes, func, a, axes))


@lowers(np.piecewise)
def piecewise(m: Machine, x: Value, condlist: Value, funclist: Value, *args: Value, **kw: Value) -> Value:
    return entries.run(m, functions.piecewise, x, condlist, funclist, *args, **kw)


# ---------------------------------------------------------------- results of a kind that the arguments decide


@lowers(np.poly)
def poly(m: Machine, seq_of_zeros: Value) -> Value:
    """`np.poly` of zeros; 1.0 for none, which may not be found out at run time."""
    zeros = array(m, seq_of_zeros)
    if zeros.rank > 1 or zeros.type.is_complex:
        raise m.error(
            "GP586",
            f"np.poly of {'a matrix' if zeros.rank > 1 else 'complex zeros'} is real or complex, by the values",
            hint="multiply the factors with np.convolve; of a symmetric matrix take np.linalg.eigvalsh first",
        )
    zeros = tensor(m, call(m, np.atleast_1d, zeros))
    count = m.dimension(zeros, 0)
    if known(count) == 0:
        return Static(1.0)
    m.limit(arithmetic.compare(m, "==", count, ZERO), "GP592", "np.poly of no zeros is a number, which has no dims")
    return entries.run(m, polynomials.poly, zeros)


@lowers(np.trim_zeros)
def trim_zeros(m: Machine, filt: Value, trim: Value = Static("fb"), axis: Value = NONE) -> Value:  # noqa: B008
    """`np.trim_zeros` of an array; of a list it would be a list of a length that the values decide."""
    if is_sequence(m, filt):
        raise m.error(
            "GP587",
            "np.trim_zeros of a list is a list, as long as the values say",
            hint="give it an array: np.trim_zeros(np.array(items))",
        )
    return entries.run(m, editing.trim_zeros, array(m, filt), trim, axis)


@lowers(np.choose, method="choose")
def choose(m: Machine, a: Value, choices: Value, out: Value = NONE, mode: Value = Static("raise")) -> Value:  # noqa: B008
    """`np.choose`: of several arrays, or of the rows of one."""
    refuse_given(m, "np.choose", out=out)
    require_clip_mode(m, mode, "np.choose")
    places = array(m, a)
    if not np.can_cast(places.type.dtype, INT64):
        text = f"Cannot cast array data from {places.type.dtype!r} to {INT64!r} according to the rule 'safe'"
        raise dtype_error(m, text)
    if is_sequence(m, choices):
        given = [array(m, c) if is_sequence(m, c) else c for c in sequence(m, choices, "the choices")]
        dtype = result_dtype(m, *given) if given else INT64
        parts = [m.cast(array(m, choice), dtype) for choice in given]
        choices = call_tensor(m, np.stack, call(m, np.broadcast_arrays, *parts))
    return entries.run(m, positions.choose, m.cast(places, INT64), array(m, choices), mode)
