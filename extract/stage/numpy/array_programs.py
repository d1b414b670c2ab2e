"""NumPy's functions that are programs, written in the language itself (`extract/library`)."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from graph_program.extract.library import fourier, histograms
from graph_program.extract.library.arrays import (
    averages,
    blocks,
    counting,
    differences,
    editing,
    elements,
    functions,
    grids,
    integers,
    medians,
    nan_aware,
    orientations,
    partitions,
    polynomials,
    positions,
    products,
    sets,
    signals,
    splitting,
    window_functions,
)
from graph_program.extract.library.linalg import (
    cholesky,
    eigenvalues,
    elimination,
    householder,
    jacobi,
    least_squares,
    norms,
    tensors,
)
from graph_program.extract.stage.arrays.lowering_arguments import (
    array,
    call,
    call_tensor,
    dtype_error,
    evaluated,
    is_sequence,
    refuse_given,
    require_clip_mode,
    result_dtype,
    sequence,
)
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.numpy.elementwise.ufuncs import by_program, composed, result_kind
from graph_program.extract.stage.numpy.outputs import with_out
from graph_program.extract.stage.numpy.programs import program_function, stand_ins
from graph_program.extract.stage.operations.known_and_truth import tensor
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Tuple, Value
from graph_program.extract.types.tensors.tensor_type import INT64

ON_ARRAYS = (
    *(averages, blocks, counting, differences, editing, elements, functions, grids, histograms, integers, medians),
    *(nan_aware, orientations, partitions, polynomials, positions, products, sets, signals, splitting),
    window_functions,
)
ON_MATRICES = (cholesky, eigenvalues, elimination, householder, jacobi, least_squares, norms, tensors)
LIBRARY: dict[ModuleType, tuple[ModuleType, ...]] = {np: ON_ARRAYS, np.linalg: ON_MATRICES, np.fft: (fourier,)}
"""Modules of the library whose functions stand for those of NumPy that are called as they are."""

FIELDS_OR_LISTS = (
    *(np.unique_all, np.unique_counts, np.unique_inverse, np.histogramdd),
    *(np.linalg.eig, np.linalg.eigh, np.linalg.qr, np.linalg.slogdet, np.linalg.svd),
)
"""Those whose results have fields or are lists."""
NOT_EVALUATED = (
    *(*FIELDS_OR_LISTS, np.poly, np.trim_zeros),
    *(np.apply_along_axis, np.apply_over_axes, np.mask_indices, np.piecewise),
    *(np.argpartition, np.partition, np.unique_values),
)
"""These, those that call functions, and those whose results NumPy leaves open."""
METHODS = {np.argpartition: "argpartition"}
OUTPUTS = {
    **{f: with_out(f"np.{f.__name__}", "add") for f in (np.nanmean, np.nanvar, np.nanstd)},
    **{f: with_out(f"np.{f.__name__}", casting="unsafe") for f in (np.median, np.nanmedian, np.nanmax, np.nanmin)},
    **{f: with_out(f"np.{f.__name__}", "logical_and") for f in (np.isposinf, np.isneginf)},
    np.fix: with_out("np.fix", "trunc"),
    np.ptp: with_out("np.ptp", "subtract"),
    np.outer: with_out("np.outer", "multiply"),
    **{f: with_out(f"np.{f.__name__}", exact=True) for f in (np.nanargmax, np.nanargmin)},
}
"""How results are written into an `out=`; a program that is not named here has none, or passes it on."""

for _owner, _modules in LIBRARY.items():
    for _function, _program in itertools.chain.from_iterable(stand_ins(_owner, module) for module in _modules):
        _several, _method = _function in NOT_EVALUATED, METHODS.get(_function, "")
        program_function(_function, _program, _several, _method, OUTPUTS.get(_function))


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


program_function(np.vecdot, products.vecdot)
for _name, _program in {"matvec": products.matvec, "vecmat": products.vecmat}.items():
    if hasattr(np, _name):  # NumPy 2.2
        product_of(getattr(np, _name), _program)


lowers(np.linalg.matmul, name="np.linalg.matmul")(lambda m, x1, x2, /: call(m, np.matmul, x1, x2))


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
    return entries.run(m, positions.chosen, m.cast(places, INT64), array(m, choices), mode)
