"""Programs of `functools.partial` objects: a function of the parameters that are left, which calls the object.

    partial(scale, k=3)     ->      def scale(x, b=...): return partial(x, b=b)

The function has a text of its own, as programs are read from their text.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import linecache
import sys
from collections.abc import Callable
from inspect import Parameter
from types import FunctionType
from typing import TYPE_CHECKING, Any

from graph_program.fronts import is_disabled, passed
from graph_program.program import GraphProgramFunction

if TYPE_CHECKING:
    from graph_program.calls.program_options import ProgramOptions
    from graph_program.sessions.session import SessionOfPartial

PARTIAL = "partial_object"
"""The name that the partial object has in the function, where nothing else has it."""
_numbers = itertools.count(1)


class PartialProgram(GraphProgramFunction[..., Any]):
    """The program of a partial object.

    A call that replaces what this fixes by keyword is one of the `whole`, and so is one with too many arguments, which
    Python counts together with those that are fixed.
    """

    def __init__(
        self, target: functools.partial[Any], options: ProgramOptions, whole: GraphProgramFunction[..., Any]
    ) -> None:
        function = function_of(target)
        super().__init__(function, options)
        self._partial = target
        code = function.__code__
        self._most = sys.maxsize if code.co_flags & inspect.CO_VARARGS else code.co_argcount
        self._whole = whole

    def _enter(self, entry: Callable[..., Any]) -> None:
        def entered(*args: Any, **kwargs: Any) -> Any:
            fixed = self._partial.keywords
            if len(args) > self._most or (kwargs and not fixed.keys().isdisjoint(kwargs)):
                return self._whole(*self._partial.args, *args, **{**fixed, **kwargs})
            return entry(*args, **kwargs)

        super()._enter(entered)

    def session(self) -> SessionOfPartial[..., Any]:
        """See `GraphProgramFunction.session`."""
        from graph_program.sessions.session import SessionOfPartial

        return SessionOfPartial(self._ready(), is_disabled(), (self._most, self._partial.keywords), self)

    @property
    def python(self) -> functools.partial[Any]:
        """The partial object."""
        return self._partial


def function_of(target: functools.partial[Any]) -> FunctionType:
    """A function that calls a partial object; what this fixes by keyword is no parameter of it."""
    try:
        signature = inspect.signature(target)
    except ValueError as error:
        raise TypeError(str(error)) from None
    left = [p for name, p in signature.parameters.items() if name not in target.keywords]
    name = getattr(target.func, "__name__", "")
    name = name if name.isidentifier() else "partial"
    own = PARTIAL
    while own == name or own in signature.parameters:
        own += "_"
    names: dict[str, Any] = {own: target}
    text = f"def {name}({_parameters(left, names)}): return {own}({', '.join(map(passed, left))})\n"
    file = f"<{name} of functools.partial, {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, [text], file)
    exec(compile(text, file, "exec"), names)
    function: FunctionType = names[name]
    function.__module__ = getattr(target.func, "__module__", None) or __name__
    function.__qualname__ = getattr(target.func, "__qualname__", name)  # of whom Python tells in errors of calls
    function.__doc__ = target.func.__doc__
    found = inspect.get_annotations(inspect.unwrap(target.func)) if callable(target.func) else {}
    function.__annotations__ = {p.name: found[p.name] for p in left if p.name in found}
    return function


def _parameters(parameters: list[Parameter], names: dict[str, Any]) -> str:
    """The text between the parentheses of a `def`; defaults get `names`."""
    parts: list[str] = []
    kinds = [p.kind for p in parameters]
    for i, p in enumerate(parameters):
        if p.kind is Parameter.KEYWORD_ONLY and not {Parameter.VAR_POSITIONAL, Parameter.KEYWORD_ONLY} & {*kinds[:i]}:
            parts.append("*")
        text = _STARS.get(p.kind, "") + p.name
        if p.default is not Parameter.empty:
            names[f"default_{p.name}"] = p.default
            text += f"=default_{p.name}"
        parts.append(text)
        if p.kind is Parameter.POSITIONAL_ONLY and Parameter.POSITIONAL_ONLY not in kinds[i + 1 :]:
            parts.append("/")
    return ", ".join(parts)


_STARS: dict[Any, str] = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}

__all__ = ["PartialProgram", "function_of"]
