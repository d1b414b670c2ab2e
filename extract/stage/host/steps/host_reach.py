"""Host functions that look at what the program writes: on the host it is as it was before the call.

def show():                     TRACKER.n += 1
    print(TRACKER.n)            show()          # refused: Python would print the new number
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator, Sequence
from typing import Any

from graph_program.extract.diagnostics import Diagnostic, UnsupportedError
from graph_program.extract.ir.host import HostStep
from graph_program.extract.ir.paths import Path, path_text
from graph_program.extract.ir.results import CapturedResult
from graph_program.extract.source.same_code import inner_codes
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations.code_ownership import is_installed

MOST = 2000
"""Objects that are looked at."""
PLAIN = (int, float, complex, str, bytes, type(None))


def require_apart(m: Machine, written: Sequence[Path]) -> None:
    """Refuse a host function that reaches an object whose attributes the program writes.

    Raises
    ------
    UnsupportedError
        GP540.
    """
    objects = {
        id(live.value): path_text(ref.path)
        for ref, live in m.outside.owned.captured.items()
        if any(path[: len(ref.path)] == ref.path for path in written)
    }
    if not objects:
        return
    for step in m.host.steps:
        found = next((objects[id(o)] for f in _called(step) for o in _reached(f) if id(o) in objects), None)
        if found is not None:
            text = f"{step.text} looks at '{found}', which this program writes to: on the host it is as before the call"
            raise UnsupportedError(Diagnostic("GP540", text, step.loc, hint="hand it what it needs as arguments"))


def _called(step: HostStep) -> Iterator[Any]:
    """The functions that a step calls, as far as they are known."""
    for part in step.parts or (step,):
        if part.kind == "call" and isinstance(part.args[0], CapturedResult):
            yield part.args[0].value


def _reached(function: Any) -> Iterator[Any]:
    """What a function of the user's own can come to by names and attributes."""
    work: list[Any] = [function]
    seen: set[int] = set()
    while work and len(seen) < MOST:
        value = work.pop()
        if id(value) in seen or isinstance(value, PLAIN):
            continue
        seen.add(id(value))
        yield value
        work += _next(value)


def _next(value: Any) -> list[Any]:
    """What a value leads to."""
    value = inspect.unwrap(value) if callable(value) else value
    match value:
        case types.FunctionType():
            return [] if is_installed(value) else list(_of_function(value))
        case types.MethodType():
            return [value.__self__, value.__func__]
        case list() | tuple() | set() | frozenset():
            return list(value)
        case dict():
            return list(value.values())
        case type() | types.ModuleType():
            return []
    attributes = getattr(value, "__dict__", {})
    call = getattr(type(value), "__call__", None)  # noqa: B004
    return [*attributes.values(), *([call] if isinstance(call, types.FunctionType) else [])]


def _of_function(function: types.FunctionType) -> Iterator[Any]:
    """The globals, closed-over variables and defaults that a function uses."""
    names = set(_names(function.__code__))
    for name in names & function.__globals__.keys():
        value = function.__globals__[name]
        if isinstance(value, types.ModuleType):
            yield from (vars(value)[n] for n in names & vars(value).keys())
        else:
            yield value
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in inner_codes(code):
        yield from _names(inner)
