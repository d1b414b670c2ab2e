"""A program's own errors as Python exceptions, raised on the user's lines."""

from __future__ import annotations

import ast
import builtins
import linecache
import sys
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any, NoReturn

import numpy as np

from graph_program.backends.host.results import argument_value, build_record
from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir import errors
from graph_program.extract.ir.errors import ErrorInfo
from graph_program.extract.ir.texts import formatted


def make_exception(info: ErrorInfo, arguments: Sequence[np.ndarray[Any, Any]]) -> BaseException:
    """The exception of an error number, with the message that Python would give it.

    Parameters
    ----------
    info : ErrorInfo
        The catalogued error.
    arguments : sequence of ndarray
        The arguments of its message, of rank 0 unless an array is formatted.
    """
    values = [argument_value(a, t) for a, t in zip(arguments, info.arg_types, strict=True)]
    return _made(info, values)


def _made(info: ErrorInfo, values: Sequence[Any]) -> BaseException:
    keywords = {name: _argument(a, values) for name, a in info.keywords}
    error = info.exception(*(_argument(a, values) for a in info.args), **keywords)
    context = None if info.context is None else placed(_made(info.context, values), info.context.loc)
    if info.has_cause:
        cause = info.cause
        own = None if cause is None or cause is info.context else placed(_made(cause, values), cause.loc)
        error.__cause__ = None if cause is None else own or context
    error.__context__ = context
    return error


def _argument(argument: errors.Argument, values: Sequence[Any]) -> Any:
    match argument:
        case errors.TextArgument(pieces):
            return "".join(p if isinstance(p, str) else formatted(values[p[0]], *p[1:]) for p in pieces)
        case errors.ValueArgument(number):
            return values[number]
        case errors.ConstantArgument(value):
            return value
        case errors.SequenceArgument(cls, items):
            return cls(_argument(item, values) for item in items)
        case errors.ObjectArgument(cls, fields):
            return build_record(cls, **{name: _argument(a, values) for name, a in fields})


def raise_at(error: BaseException, loc: Loc, instead: BaseException | None = None) -> NoReturn:
    """Raise with a traceback that ends at `loc`, a frame for each call that was inlined on the way.

    Its context stays, where it has one; `instead` is an error of ours which this one takes the place of.
    """
    context, error = error.__context__, error.with_traceback(None)
    if context is instead:
        context = None
    if loc.line < 1:
        raise error
    given: dict[str, Any] = {"error": error}
    try:
        called_from(FunctionType(_frame_code(loc.chain[0], "frame()", "raise error"), given), loc)()
        raise error
    finally:
        if context is not None:
            error.__context__ = context
        elif instead is not None and error.__context__ is instead:
            error.__context__ = instead.__context__
        given.clear()  # the error leads to these frames, which are not to lead back
        del error


def placed(error: BaseException, loc: Loc) -> BaseException:
    """An exception as it is when it was raised at `loc`."""
    return error.with_traceback(_place(loc))


_PLACES: dict[tuple[Loc, ...], Any] = {}


def _place(loc: Loc) -> Any:
    """A traceback that ends at `loc`.

    Made on a thread of its own, once: frames lead to those around them, where the exceptions are that lead to these.
    """
    key = tuple(loc.chain)
    if key not in _PLACES:
        thread = threading.Thread(target=_find_place, args=(loc, key))
        thread.start()
        thread.join()
    return _PLACES[key]


def _find_place(loc: Loc, key: tuple[Loc, ...]) -> None:
    try:
        raise_at(LookupError(), loc)
    except LookupError as error:
        assert error.__traceback__ is not None and error.__traceback__.tb_next is not None
        _PLACES[key] = error.__traceback__.tb_next.tb_next


def raised(error: BaseException, place: Loc | None = None, **behind: BaseException | None) -> BaseException:
    """An exception of the graph's own on the host, as it is where it was caught, with its cause and context."""
    for name, other in behind.items():
        setattr(error, f"__{name}__", other)
    return error if place is None else placed(error, place)


def called_from(function: Callable[..., Any], loc: Loc, parameters: str = "") -> Callable[..., Any]:
    """A function with a frame for each call through which `loc` was inlined."""
    for place in loc.chain[1:]:
        code = _frame_code(place, f"frame({parameters})", f"return inner({parameters})")
        function = FunctionType(code, {"inner": function, **module_names(place.file)})
    return function


def reported_at(function: Callable[..., Any], loc: Loc) -> Callable[..., Any]:
    """What calls a function with the arguments that are computed there: at `loc`, as logs and warnings show it."""
    code = _frame_code(loc, "frame(given)", "args, keywords = given(); return inner(*args, **keywords)")
    return called_from(FunctionType(code, {"inner": function, **module_names(loc.file)}), loc, "given")


def module_names(file: str) -> dict[str, Any]:
    """What is looked for in the globals of code: by warnings, and by imports that C code makes."""
    module = module_of(file)
    registry = vars(module).setdefault("__warningregistry__", {})
    return {"__name__": module.__name__, "__warningregistry__": registry, "__builtins__": builtins}


def module_of(file: str) -> ModuleType:
    """The module that a file is, for filters of warnings and for the record of what was said."""
    return _found(file, len(sys.modules))


@lru_cache(maxsize=64)
def _found(file: str, loaded: int) -> ModuleType:
    """The module of a file among those loaded, looked for again when there are more or fewer of them."""
    modules = (m for m in list(sys.modules.values()) if isinstance(m, ModuleType))
    # An attribute of a module that is imported later, when it is used, would import it.
    files = ((m, ModuleType.__getattribute__(m, "__dict__").get("__file__")) for m in modules)
    return next((m for m, its in files if its == file), sys.modules["__main__"])  # of notebooks


@lru_cache(maxsize=1024)
def _frame_code(loc: Loc, header: str, statement: str) -> CodeType:
    """Code that runs one statement and claims to be at `loc`, down to the columns."""
    module = ast.parse(f"def {header}: {statement}")
    move(module, [loc])
    code = compile(module, loc.file, "exec")
    (inner,) = (c for c in code.co_consts if isinstance(c, CodeType))
    return named(inner, loc)


def named(code: CodeType, loc: Loc) -> CodeType:
    """Code under the name of the user's function, which tracebacks and logs show."""
    name = loc.function.rpartition(".")[2]
    return code.replace(co_name=name, co_qualname=loc.function, co_firstlineno=loc.line)


def move(tree: ast.AST, places: Sequence[Loc]) -> None:
    """Have each line of generated code claim to be at a place of the user's file, down to the columns."""
    found = [
        {
            "lineno": loc.line,
            "end_lineno": max(loc.line, loc.end_line),
            "col_offset": byte_offset(loc.file, loc.line, loc.column),
            "end_col_offset": byte_offset(loc.file, loc.end_line, loc.end_column),
        }
        for loc in places
    ]
    for node in ast.walk(tree):
        if "lineno" in node._attributes:
            for name, value in found[node.lineno - 1].items():  # type: ignore[attr-defined]
                setattr(node, name, value)


def byte_offset(file: str, line: int, column: int) -> int:
    """A column counted from 1 in characters, as Python's byte offset."""
    text = linecache.getline(file, line)[: max(0, column - 1)]
    return max(len(text.encode()), 0) if text else max(0, column - 1)
