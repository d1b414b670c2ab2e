"""The text of source files, and the functions in them."""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Function:
    """A function of a file: its qualified name, and its first and last line, decorators included."""

    name: str
    first: int
    last: int


def source_line(file: str, line: int) -> str:
    """A line without its end; empty where the file is not there."""
    lines = _lines(file)
    return lines[line - 1].rstrip() if 1 <= line <= len(lines) else ""


def function_at(file: str, line: int) -> Function | None:
    """The innermost function around a line; None where there is none, or the file is not there."""
    around = [f for f in _functions("".join(_lines(file))) if f.first <= line <= f.last]
    return max(around, key=lambda f: f.first, default=None)


def _lines(file: str) -> list[str]:
    """The lines of a file; linecache would also take another one of its name, from a folder of modules."""
    here = os.path.isabs(file) or file in linecache.cache or os.path.isfile(file)
    return linecache.getlines(file) if here else []


@cache
def _functions(text: str) -> tuple[Function, ...]:
    try:
        return tuple(_found(ast.parse(text), ""))
    except (SyntaxError, ValueError):
        return ()


def _found(node: ast.AST, prefix: str) -> Iterator[Function]:
    for inner in ast.iter_child_nodes(node):
        name = prefix
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([inner.lineno, *(d.lineno for d in inner.decorator_list)])
            yield Function(prefix + inner.name, first, inner.end_lineno or inner.lineno)
            name = f"{prefix}{inner.name}.<locals>."
        elif isinstance(inner, ast.ClassDef):
            name = f"{prefix}{inner.name}."
        yield from _found(inner, name)


__all__ = ["Function", "function_at", "source_line"]
