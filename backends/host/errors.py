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
from graph_program.extract.ir.residual import ErrorInfo


def make_exception(info: ErrorInfo, arguments: Sequence[np.ndarray[Any, Any]]) -> BaseException:
    """The exception of an error number, with the message that Python would give it.

    Parameters
    ----------
    info : ErrorInfo
        The catalogued error.
    arguments : sequence of ndarray
        The arguments of its message, of rank 0 unless an array is formatted.
    """
    if info.message is None:
        return info.exception()
    values = [python_value(a, t) for a, t in zip(arguments, info.arg_types, strict=True)]
    if len(info.message) == 1 and isinstance(info.message[0], int) and not any(info.formats[info.message[0]]):
        return info.exception(values[info.message[0]])  # raise KeyError(k): its argument is k, not str(k)
    parts = [p if isinstance(p, str) else formatted(values[p], *info.formats[p]) for p in info.message]
    return info.exception("".join(parts))


def raise_at(error: BaseException, loc: Loc) -> NoReturn:
    """Raise with a traceback that ends at `loc`, a frame for each call that was inlined on the way."""
    error = error.with_traceback(None)
    if loc.line < 1:
        raise error
    inner, *callers = loc.chain
    frame = FunctionType(_frame_code(inner, ast.Raise(ast.Name("error", ast.Load()), None)), {"error": error})
    for place in callers:
        call = ast.Expr(ast.Call(ast.Name("inner", ast.Load()), [], []))
        frame = FunctionType(_frame_code(place, call), {"inner": frame})
    frame()
    raise error


def _frame_code(loc: Loc, statement: ast.stmt) -> CodeType:
    """Code that runs one statement and claims to be at `loc`, down to the columns."""
    place = {
        "lineno": loc.line,
        "end_lineno": max(loc.line, loc.end_line),
        "col_offset": _byte_offset(loc.file, loc.line, loc.column),
        "end_col_offset": _byte_offset(loc.file, loc.end_line, loc.end_column),
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


def _byte_offset(file: str, line: int, column: int) -> int:
    """A column counted from 1 in characters, as Python's byte offset."""
    text = linecache.getline(file, line)[: max(0, column - 1)]
    return max(len(text.encode()), 0) if text else max(0, column - 1)
