"""NumPy's functions that are programs over NumPy (`extract/library`): they are extracted like a user's own functions.

np.linalg.solve(a, b)   ->   the statements of `library.linalg.elimination.solve`, with arrays made of the arguments
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterator
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
    evaluated,
    is_given,
    is_sequence,
    refuse_given,
    require_cast,
    require_clip_mode,
    result_dtype,
    sequence,
)
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.numpy.outputs import Out, with_out
from graph_program.extract.stage.values.values import NONE, Static, Value
from graph_program.extract.types.tensors.tensor_type import INT64

MACHINE = "machine"
"""The first parameter of a lowering, which no program has."""


def stand_ins(owner: Any, module: ModuleType) -> Iterator[tuple[Any, Callable[..., Any]]]:
    """The functions of NumPy for which a module has programs, which are called as they are."""
    for name, program in vars(module).items():
        function = getattr(owner, name, None)
        is_own = getattr(program, "__module__", None) == module.__name__
        if is_own and callable(function) and not isinstance(function, np.ufunc):
            yield function, program


def program_function(
    function: Callable[..., Any],
    program: Callable[..., Any],
    several: bool = False,
    method: str = "",
    out: Out | None = None,
) -> None:
    """Let a program stand for a NumPy function with the same parameters.

    Parameters
    ----------
    several : bool
        Whether the results are fields of a named tuple; then calls with known arguments are not evaluated at once.
    method : str, optional
        The method of arrays that does the same.
    out : callable, optional
        How the result is written into an `out=`, which the program itself is not given then.
    """
    parameters = list(inspect.signature(program).parameters.values())
    named = [p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]

    others = next((p.name for p in parameters if p.kind is inspect.Parameter.VAR_KEYWORD), "")

    @functools.wraps(program)
    def computed(m: Machine, /, *args: Value, **keywords: Value) -> Value:
        bound = signature.bind(m, *args, **keywords)
        bound.apply_defaults()
        given = {name: v for name, v in bound.arguments.items() if name != MACHINE}
        for p in parameters:
            given[p.name] = _as_annotated(m, p, given.get(p.name, {} if p.name == others else ()))
        listed = [v if isinstance(v, tuple) else (v,) for n, v in given.items() if n not in (*named, others)]
        return entries.run(
            m, program, *itertools.chain(*listed), **{n: given[n] for n in named}, **given.get(others, {})
        )

    signature = inspect.Signature(
        [inspect.Parameter(MACHINE, inspect.Parameter.POSITIONAL_ONLY), *map(_as_value, parameters)]
    )
    computed.__signature__ = signature  # type: ignore[attr-defined]
    run = computed if out is None else out(computed)

    @functools.wraps(computed)
    def lowered(m: Machine, /, *args: Value, **keywords: Value) -> Value:
        return (None if several else evaluated(m, function, args, keywords)) or run(m, *args, **keywords)

    registry.lowers(function, method=method)(lowered)


def _as_annotated(m: Machine, parameter: inspect.Parameter, given: Any) -> Any:
    """An argument, or those that have no names, as a program takes it: an array where it says so."""
    if isinstance(given, tuple):
        return tuple(_as_annotated(m, parameter, v) for v in given)
    return array(m, given) if parameter.annotation in registry.ARRAYS and is_given(given) else given


def _as_value(parameter: inspect.Parameter) -> inspect.Parameter:
    """A parameter of a program as one of its lowering."""
    if parameter.default is inspect.Parameter.empty:
        return parameter
    return parameter.replace(default=Static(parameter.default))


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
METHODS = {np.argpartition: "argpartition", np.trace: "trace"}
OUTPUTS = {
    **{f: with_out(f"np.{f.__name__}", "add") for f in (np.nanmean, np.nanvar, np.nanstd)},
    **{f: with_out(f"np.{f.__name__}", casting="unsafe") for f in (np.median, np.nanmedian, np.nanmax, np.nanmin)},
    np.compress: with_out("np.compress", casting="unsafe"),
    np.trace: with_out("np.trace", casting="unsafe"),
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
    require_cast(m, places.type.dtype, INT64)
    if is_sequence(m, choices):
        given = [array(m, c) if is_sequence(m, c) else c for c in sequence(m, choices, "the choices")]
        dtype = result_dtype(m, *given) if given else INT64
        parts = [m.cast(array(m, choice), dtype) for choice in given]
        choices = call_tensor(m, np.stack, call(m, np.broadcast_arrays, *parts))
    return entries.run(m, positions.chosen, m.cast(places, INT64), array(m, choices), mode)
