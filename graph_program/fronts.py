"""What Python calls when it calls a program: a function with the parameters of the user's, which looks for a signature.

    def scale(x, k=_default_0):
        if _disable_1 in _environment_2 and _environment_2[_disable_1] not in _off_3: return _python_4(x, k)
        _result = _shim(x, k)
        return _other_5(x, k) if _result is _miss_6 else _result

A method that takes any arguments and hands them on costs as much again as a small program.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from graph_program.backends.host.miss import MISS

if TYPE_CHECKING:
    import inspect

# Reading os.environ encodes the key at every look-up, which costs as much as a small call.
_ENVIRONMENT: Mapping[Any, Any] = getattr(os.environ, "_data", os.environ)
_encode = getattr(os.environ, "encodekey", lambda key: key)
_DISABLE = _encode("GRAPH_PROGRAM_DISABLE")
_OFF = (_encode(""), _encode("0"))


class Called:
    """An object that is called by what it has as `__call__`, which may change from call to call."""

    __slots__ = {"__call__": "Run the program: NumPy in, NumPy out, the structures of the Python function."}


def is_disabled() -> bool:
    """Whether programs are to run as Python."""
    return _DISABLE in _ENVIRONMENT and _ENVIRONMENT[_DISABLE] not in _OFF


def maker(
    function: Callable[..., Any], other: Callable[..., Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a front of the shim that is to be tried first.

    Parameters
    ----------
    function : function
        The user's; of a method the front has its `self`, too.
    other : callable
        Is called where the arguments are not those of the shim.
    """
    import inspect

    from graph_program.backends.host.codegen import Scope, build, parameter_list

    signature = inspect.signature(function, follow_wrapped=False)
    scope = Scope(signature.parameters)
    parameters, given = parameter_list(signature, scope), ", ".join(map(passed, signature.parameters.values()))
    disable, environment = scope.constant(_DISABLE, "disable"), scope.constant(_ENVIRONMENT, "environment")
    off, miss = scope.constant(_OFF, "off"), scope.constant(MISS, "miss")
    shim, result, front = scope.fresh("shim"), scope.fresh("result"), scope.fresh("front")
    is_off = f"{disable} in {environment} and {environment}[{disable}] not in {off}"
    body = [
        f"def {front}({parameters}):",
        f"    if {is_off}: return {scope.constant(function, 'python')}({given})",
        f"    {result} = {shim}({given})",
        f"    return {scope.constant(other, 'other')}({given}) if {result} is {miss} else {result}",
        f"{front}.__name__, {front}.__qualname__ = {function.__name__!r}, {function.__qualname__!r}",
        f"return {front}",
    ]
    names = (function.__name__, function.__qualname__)
    return build(shim, body, scope, names, f"<graph_program: {function.__qualname__}>")


def passed(parameter: inspect.Parameter) -> str:
    """How an argument is handed on."""
    match parameter.kind:
        case parameter.VAR_POSITIONAL:
            return f"*{parameter.name}"
        case parameter.VAR_KEYWORD:
            return f"**{parameter.name}"
        case parameter.KEYWORD_ONLY:
            return f"{parameter.name}={parameter.name}"
    return parameter.name


__all__ = ["Called", "is_disabled", "maker", "passed"]
