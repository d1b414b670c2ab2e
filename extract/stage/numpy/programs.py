"""NumPy functions that are programs over NumPy: they are extracted like a user's own functions.

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

from graph_program.extract.stage.arrays.lowering_arguments import array, evaluated, is_given
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numpy.outputs import Out
from graph_program.extract.stage.values.values import Static, Value

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
