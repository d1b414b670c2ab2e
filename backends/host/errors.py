"""A program's own errors as Python exceptions, raised on the user's lines."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Sequence
from types import CodeType, FunctionType
from typing import Any, NoReturn

import numpy as np

from graph_program.backends.host.results import formatted, python_value
from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir import errors
from graph_program.extract.ir.errors import ErrorInfo


def make_exception(info: ErrorInfo, arguments: Sequence[np.ndarray[Any, Any]]) -> BaseException:
    """The exception of an error number, with the message that Python would give it.

    Parameters
    ----------
    info : ErrorInfo
        The catalogued error.
    arguments : sequence of ndarray
        The arguments of its message, of rank 0 unless an array is formatted.
    """
    values = [python_value(a, t) for a, t in zip(arguments, info.arg_types, strict=True)]
    return _made(info, values)


def _made(info: ErrorInfo, values: Sequence[Any]) -> BaseException:
    keywords = {name: _argument(a, values) for name, a in info.keywords}
    error = info.exception(*(_argument(a, values) for a in info.args), **keywords)
    if info.has_cause:
        error.__cause__ = None if info.cause is None else _made(info.cause, values)
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


def raise_at(error: BaseException, loc: Loc) -> NoReturn:
    """Raise with a traceback that ends at `loc`, a frame for each call that was inlined on the way."""
    error = error.with_traceback(None)
    if loc.line < 1:
        raise error
    inner, *callers = loc.chain
    given: dict[str, Any] = {"error": error}
    frame = FunctionType(_frame_code(inner, ast.Raise(ast.Name("error", ast.Load()), None)), given)
    for place in callers:
        call = ast.Expr(ast.Call(ast.Name("inner", ast.Load()), [], []))
        frame = FunctionType(_frame_code(place, call), {"inner": frame})
    try:
        frame()
        raise error
    finally:
        given.clear()  # the error leads to these frames, which are not to lead back
        del error


def _frame_code(loc: Loc, statement: ast.stmt) -> CodeType:
    """Code that runs one statement and claims to be at `loc`, down to the columns."""
    place = {
        "lineno": loc.line,
        "end_lineno": max(loc.line, loc.end_line),
        "col_offset": byte_offset(loc.file, loc.line, loc.column),
        "end_col_offset": byte_offset(loc.file, loc.end_line, loc.end_column),
    }
    module = ast.parse("def frame(): pass")
    function = module.body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = [statement]
    for node in ast.walk(module):
        if "lineno" in node._attributes:
            for name, value in place.items():
                setattr(node, name, value)
    code = compile(module, loc.file, "exec")
    (inner,) = (c for c in code.co_consts if isinstance(c, CodeType))
    name = loc.function.rpartition(".")[2]
    return inner.replace(co_name=name, co_qualname=loc.function, co_firstlineno=loc.line)


def byte_offset(file: str, line: int, column: int) -> int:
    """A column counted from 1 in characters, as Python's byte offset."""
    text = linecache.getline(file, line)[: max(0, column - 1)]
    return max(len(text.encode()), 0) if text else max(0, column - 1)
