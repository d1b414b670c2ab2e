"""NumPy functions that are programs over NumPy: they are extracted like a user's own functions.

np.linalg.solve(a, b)   ->   the statements of `library.linalg.elimination.solve`, with arrays made of the arguments
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from graph_program.extract.stage.arrays.lowering_arguments import array, evaluated, is_given
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.values.values import Static, Value

MACHINE = "machine"
"""The first parameter of a lowering, which no program has."""


def program_function(
    function: Callable[..., Any],
    program: Callable[..., Any],
    several: bool = False,
    require: Callable[[Machine, dict[str, Value]], None] | None = None,
    method: str = "",
) -> None:
    """Let a program stand for a NumPy function with the same parameters.

    Parameters
    ----------
    several : bool
        Whether the results are fields of a named tuple; then calls with known arguments are not evaluated at once.
    require : callable, optional
        Refuses arguments, by the parameters' names, that the program is not for.
    method : str, optional
        The method of arrays that does the same.
    """
    parameters = list(inspect.signature(program).parameters.values())
    arrays = [p.name for p in parameters if p.annotation in registry.ARRAYS]
    named = [p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]

    @functools.wraps(program)
    def lowered(m: Machine, /, *args: Value, **keywords: Value) -> Value:
        known = None if several else evaluated(m, function, args, keywords)
        if known is not None:
            return known
        bound = signature.bind(m, *args, **keywords)
        bound.apply_defaults()
        given = {name: v for name, v in bound.arguments.items() if name != MACHINE}
        for name in arrays:
            given[name] = array(m, given[name]) if is_given(given[name]) else given[name]
        if require is not None:
            require(m, given)
        return entries.run(m, program, *(v for n, v in given.items() if n not in named), **{n: given[n] for n in named})

    signature = inspect.Signature(
        [inspect.Parameter(MACHINE, inspect.Parameter.POSITIONAL_ONLY), *map(_as_value, parameters)]
    )
    lowered.__signature__ = signature  # type: ignore[attr-defined]
    registry.lowers(function, method=method)(lowered)


def _as_value(parameter: inspect.Parameter) -> inspect.Parameter:
    """A parameter of a program as one of its lowering."""
    if parameter.default is inspect.Parameter.empty:
        return parameter
    return parameter.replace(default=Static(parameter.default))
