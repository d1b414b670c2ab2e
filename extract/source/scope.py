"""What the conversion of one function knows: its text, its names, its enclosing loops."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import field
from typing import Any, TypeVar

import libcst as cst

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir import tree
from graph_program.extract.records import dataclass
from graph_program.extract.source.positions import Span


@dataclass(frozen=True)
class Text:
    """One parsed segment: where its nodes stand in the file, and which class it is in."""

    file: str
    spans: dict[cst.CSTNode, Span]
    shift: int
    """Added to a line of the parsed text to get the line of the file."""
    private: str
    """The class that mangles `__private` names, or ""."""

    def name(self, spelled: str) -> str:
        """The name that Python makes of an identifier: NFKC, and mangled inside a class."""
        name = spelled if spelled.isascii() else unicodedata.normalize("NFKC", spelled)
        owner = self.private.lstrip("_")
        if not owner or not name.startswith("__") or name.endswith("__") or "." in name:
            return name
        return f"_{owner}{name}"


@dataclass
class LoopLabels:
    """The labels of the innermost loop, and which of them some statement leaves to."""

    break_label: str
    continue_label: str
    left: set[str] = field(default_factory=set)


@dataclass
class Scope:
    """One function under conversion; filled as its body is walked."""

    text: Text
    qualname: str
    bound: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    is_generator: bool = False
    loops: list[LoopLabels] = field(default_factory=list)
    counter: int = 0
    prefix: str | None = None
    """What the qualified names of functions made here begin with, if not that of this function."""

    def loc(self, node: cst.CSTNode) -> Loc:
        """The place of `node`, without the parentheses around it."""
        return self._place(self.text.spans[node])

    def loc_between(self, first: cst.CSTNode, last: cst.CSTNode) -> Loc:
        """From the start of `first` to the end of `last`, its parentheses included."""
        closing = getattr(last, "rpar", ())
        end = self.text.spans[closing[-1] if closing else last]
        return self._place((*self.text.spans[first][:2], *end[2:]))

    def loc_word(self, node: cst.CSTNode, length: int) -> Loc:
        """The first `length` characters of `node`: its keyword."""
        line, column = self.text.spans[node][:2]
        return self._place((line, column, line, column + length))

    def _place(self, span: Span) -> Loc:
        line, column, end_line, end_column = span
        shift = self.text.shift
        return Loc(self.text.file, line + shift, column + 1, end_line + shift, end_column + 1, self.qualname)

    def name(self, spelled: str) -> str:
        return self.text.name(spelled)

    def bind(self, spelled: str) -> str:
        """Note that the function assigns a name; the name as Python knows it."""
        name = self.name(spelled)
        self.bound.add(name)
        return name

    def number(self) -> int:
        """A number for labels, new in this function."""
        self.counter += 1
        return self.counter

    def inner_qualname(self, name: str) -> str:
        if name in self.globals:
            return name
        return (f"{self.qualname}.<locals>." if self.prefix is None else self.prefix) + name


Converter = TypeVar("Converter", bound=Callable[..., Any])
EXPRESSIONS: dict[type[cst.CSTNode], Callable[[Any, Scope], tree.Expr]] = {}
STATEMENTS: dict[type[cst.CSTNode], Callable[[Any, Scope], list[tree.Stmt]]] = {}


def converts(
    table: dict[type[cst.CSTNode], Callable[[Any, Scope], Any]], *kinds: type[cst.CSTNode]
) -> Callable[[Converter], Converter]:
    """Enter the decorated function in `table` for the node classes `kinds`."""

    def enter(function: Converter) -> Converter:
        for kind in kinds:
            table[kind] = function
        return function

    return enter


def expression(node: cst.BaseExpression, scope: Scope) -> tree.Expr:
    """The core expression for `node`."""
    convert = EXPRESSIONS.get(type(node))
    if convert is None:
        return tree.UnsupportedExpr("expression", loc=scope.loc(node))
    return convert(node, scope)


def optional(node: cst.BaseExpression | None, scope: Scope) -> tree.Expr | None:
    return None if node is None else expression(node, scope)


def statement(node: cst.CSTNode, scope: Scope) -> list[tree.Stmt]:
    """The core statements for one statement, none for what only declares."""
    convert = STATEMENTS.get(type(node))
    if convert is None:
        return [tree.Unsupported("statement", loc=scope.loc(node))]
    return convert(node, scope)


def suite(node: cst.BaseSuite, scope: Scope) -> tuple[tree.Stmt, ...]:
    """The core statements of a block, indented or on the line of its header."""
    result: list[tree.Stmt] = []
    for child in node.body:
        result += statement(child, scope)
    return tuple(result)
