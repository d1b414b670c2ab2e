"""From a live function to its core tree: find the text, check it, parse it, convert it."""

from __future__ import annotations

import inspect
import linecache
import sys
import weakref
from types import CodeType, FunctionType

import libcst as cst

# the converters enter themselves in the tables of `scope` when these are imported
from graph_program.extract.diagnostics import Diagnostic, Loc, SourceError
from graph_program.extract.ir import tree
from graph_program.extract.source import expressions, functions, loops, patterns, statements, strings
from graph_program.extract.source.positions import spans_of
from graph_program.extract.source.same_code import (
    compile_segment,
    private_class,
    same_code,
    same_places,
)
from graph_program.extract.source.scope import Scope, Text
from graph_program.extract.source.segment import Segment, def_segment, lambda_segments

CONVERTERS = (expressions, functions, loops, patterns, statements, strings)

_loaded: dict[int, tuple[weakref.ref[CodeType], tree.Function]] = {}


def load_function(fn: FunctionType) -> tree.Function:
    """The core tree of a Python function, from its source text; nothing is run.

    Parameters
    ----------
    fn : types.FunctionType
        A function made by `def` or `lambda`, anywhere: module, class, function, notebook.

    Returns
    -------
    tree.Function
        Cached per code object, so closures made by the same `def` share one tree.

    Raises
    ------
    SourceError
        GP101 if there is no text or it no longer is what was compiled, GP102 if it cannot be parsed,
        GP103 if several lambdas could be meant.
    """
    if not isinstance(fn, FunctionType):
        raise SourceError(_not_python(fn))
    code = fn.__code__
    known = _loaded.get(id(code))
    if known is not None and known[0]() is code:
        return known[1]
    segment = _find_segment(fn)
    try:
        function = _convert(segment, code)
    except RecursionError:
        message = f"`{code.co_qualname}` is nested too deeply to be parsed"
        raise SourceError(Diagnostic("GP102", message, _place(code))) from None
    key = id(code)
    _loaded[key] = (weakref.ref(code, lambda _: _loaded.pop(key, None)), function)
    return function


# ---------------------------------------------------------------- finding the text


def _find_segment(fn: FunctionType) -> Segment:
    """The text of `fn`: first as Python last read the file, then as the file is now."""
    code = fn.__code__
    lines = linecache.getlines(code.co_filename, fn.__globals__)
    segment = _locate(code, lines)
    if segment is None:
        linecache.checkcache(code.co_filename)
        fresh = linecache.getlines(code.co_filename, fn.__globals__)
        if fresh != lines:
            lines = fresh
            segment = _locate(code, lines)
    if segment is None:
        raise SourceError(_changed(code) if lines else _missing(code))
    return segment


def _locate(code: CodeType, lines: list[str]) -> Segment | None:
    """The segment of `lines` that compiles to `code`, if there is one."""
    # as Python counts lines: whoever filled `linecache` may have split at form feeds too
    text = "".join(lines).replace("\r\n", "\n").replace("\r", "\n")
    lines = [line + "\n" for line in text.split("\n")]
    row = code.co_firstlineno
    if code.co_name == "<lambda>":
        return _choose(code, lambda_segments(lines, row))
    segment = def_segment(lines, row)
    compiled = compile_segment(segment, code) if segment is not None else None
    return segment if compiled is not None and same_code(compiled, code) else None


def _choose(code: CodeType, segments: list[Segment]) -> Segment | None:
    """The lambda among those of one line that is `code`: by what it does, then by where it stands."""
    fitting = [
        (segment, compiled)
        for segment in segments
        if (compiled := compile_segment(segment, code)) is not None and same_code(compiled, code)
    ]
    if len(fitting) > 1:
        fitting = [pair for pair in fitting if same_places(pair[1], code)] or fitting
    if len({segment.text.strip() for segment, _ in fitting}) > 1:
        raise SourceError(_ambiguous(code))
    return fitting[0][0] if fitting else None


# ---------------------------------------------------------------- parsing


def _convert(segment: Segment, code: CodeType) -> tree.Function:
    # exactly one line stands before the segment, so that it keeps its columns
    if segment.is_lambda:
        source = f"(\n{segment.text}\n)\n"
    else:
        source = ("if 1:\n" if segment.indented else "\n") + segment.text
    shift = segment.row - 2
    try:
        module = cst.parse_module(source)
    except cst.ParserSyntaxError as error:
        raise SourceError(_unparsable(error, code, shift)) from None
    text = Text(code.co_filename, spans_of(module), shift, private_class(code.co_qualname))
    outer = Scope(text, code.co_qualname, prefix=code.co_qualname.removesuffix(code.co_name))
    node = _root(module)
    if isinstance(node, cst.Lambda):
        return functions.lambda_function(node, outer, code.co_qualname)
    assert isinstance(node, cst.FunctionDef)
    return functions.def_function(node, outer, code.co_qualname)


def _root(module: cst.Module) -> cst.CSTNode:
    """The function in a parsed segment."""
    node: cst.CSTNode = module.body[0]
    if isinstance(node, cst.If):
        node = node.body.body[0]
    if isinstance(node, cst.SimpleStatementLine):
        node = node.body[0]
    return node.value if isinstance(node, cst.Expr) else node


# ---------------------------------------------------------------- what can go wrong


def _place(code: CodeType) -> Loc:
    row = code.co_firstlineno
    return Loc(code.co_filename, row, 1, row, 1, code.co_qualname)


def _not_python(fn: object) -> Diagnostic:
    name = getattr(fn, "__qualname__", None) or repr(fn)
    kind = "a builtin" if inspect.isbuiltin(fn) else f"of class {type(fn).__name__}"
    message = f"`{name}` is {kind}, not a Python function, and has no source text"
    return Diagnostic("GP101", message, Loc("<unknown>", 0, 1, 0, 1), hint="wrap it in a function")


def _missing(code: CodeType) -> Diagnostic:
    return Diagnostic(
        "GP101",
        f"the source text of `{code.co_qualname}` cannot be found in {code.co_filename}",
        _place(code),
        notes=("programs are extracted from their source text, never by running them",),
        hint="define the function in a file or a notebook cell",
    )


def _changed(code: CodeType) -> Diagnostic:
    notes = ["the file was probably edited after it was imported"]
    if code.co_name == "<lambda>" and sys.version_info < (3, 12):
        notes.append("before Python 3.12 a lambda inside an f-string cannot be found")
    return Diagnostic(
        "GP101",
        f"the text of `{code.co_qualname}` in {code.co_filename} is not what Python compiled",
        _place(code),
        notes=tuple(notes),
        hint="import or run it again",
    )


def _ambiguous(code: CodeType) -> Diagnostic:
    return Diagnostic(
        "GP103",
        f"several lambdas on line {code.co_firstlineno} could be the one that is meant",
        _place(code),
        hint="put each on a line of its own, or use `def`",
    )


def _unparsable(error: cst.ParserSyntaxError, code: CodeType, shift: int) -> Diagnostic:
    row, column = error.raw_line + shift, error.raw_column + 1
    place = Loc(code.co_filename, row, column, row, column + 1, code.co_qualname)
    reason = error.message.partition("\n")[0].rstrip(".")
    message = f"`{code.co_qualname}` cannot be parsed: {reason}"
    return Diagnostic("GP102", message, place, hint="this syntax may be newer than the parser, libcst")
