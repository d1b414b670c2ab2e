"""`match` statements, as nested `If`.

    match p:                      __match_1__ = p
        case Point(x=0, y=b):     if isinstance(__match_1__, Point) and hasattr(...) and ...:
            use(b)                    b = __match_1__.y
                                      use(b)
        case [first, *_]:         else: if isinstance(__match_1__, Sequence) and ...:
            use(first)                    first = __match_1__[0]
                                          use(first)

A pattern is a list of tests and a list of captures.  Captures are assigned once all tests hold, as in
CPython; a case whose guard fails falls through to the next one, so a case with a guard leaves a block.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir import tree
from graph_program.extract.source.scope import (
    STATEMENTS,
    Scope,
    converts,
    expression,
    optional,
    suite,
)

SELF_MATCHING = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
"""The classes whose one positional pattern matches the value itself."""


@dataclass
class Pattern:
    """What must hold, in order, and what is then captured."""

    tests: list[tree.Expr] = field(default_factory=list)
    captures: list[tuple[str, tree.Expr]] = field(default_factory=list)
    refused: bool = False

    def add(self, other: Pattern) -> None:
        """Require `other` too."""
        self.tests += other.tests
        self.captures += other.captures
        self.refused = self.refused or other.refused


@dataclass
class Case:
    """One converted case."""

    loc: Loc
    pattern: Pattern
    guard: tree.Expr | None
    body: tuple[tree.Stmt, ...]

    @property
    def chosen(self) -> tuple[tree.Stmt, ...]:
        """What runs once the pattern fits, up to the guard."""
        return tuple(
            tree.Assign((tree.Name(name, loc=value.loc),), value, loc=value.loc)
            for name, value in self.pattern.captures
        )


@converts(STATEMENTS, cst.Match)
def matching(node: cst.Match, scope: Scope) -> list[tree.Stmt]:
    loc = scope.loc_between(node, node.subject)
    number = scope.number()
    value = expression(node.subject, scope)
    subject = tree.Name(f"__match_{number}__", loc=value.loc)
    scope.bound.add(subject.id)
    cases = [_case(case, subject, scope) for case in node.cases]
    if any(case.pattern.refused for case in cases):
        return [tree.Unsupported("match", loc=loc)]
    stored = tree.Assign((subject,), value, loc=loc)
    label = f"match.{number}"
    chain = _chain(cases, label)
    if any(case.guard is not None for case in cases):
        return [stored, tree.Block(label, chain, loc=loc)]
    return [stored, *chain]


def _case(node: cst.MatchCase, subject: tree.Expr, scope: Scope) -> Case:
    pattern = _pattern(node.pattern, subject, scope)
    guard = optional(node.guard, scope)
    return Case(scope.loc_between(node, node.pattern), pattern, guard, suite(node.body, scope))


def _chain(cases: list[Case], label: str) -> tuple[tree.Stmt, ...]:
    """The cases as tests, each in the `else` of the one before where that has no guard."""
    rest: tuple[tree.Stmt, ...] = ()
    for case in reversed(cases):
        tests = case.pattern.tests
        if case.guard is not None:
            leaving = (*case.body, tree.Leave(label, loc=case.loc))
            guarded = (*case.chosen, tree.If(case.guard, leaving, (), loc=case.guard.loc))
            rest = (*_when(tests, guarded, (), case.loc), *rest)
        else:
            rest = _when(tests, (*case.chosen, *case.body), rest, case.loc)
    return rest


def _when(
    tests: list[tree.Expr], body: tuple[tree.Stmt, ...], orelse: tuple[tree.Stmt, ...], loc: Loc
) -> tuple[tree.Stmt, ...]:
    return (tree.If(_all(tests), body, orelse, loc=loc),) if tests else body


def _all(tests: list[tree.Expr]) -> tree.Expr:
    return tests[0] if len(tests) == 1 else tree.BoolOp("and", tuple(tests), loc=tests[0].loc)


# ---------------------------------------------------------------- patterns


def _pattern(node: cst.MatchPattern, subject: tree.Expr, scope: Scope) -> Pattern:
    convert = PATTERNS.get(type(node))
    return Pattern(refused=True) if convert is None else convert(node, subject, scope)


def _call(function: Callable[..., Any], *args: tree.Expr, loc: Loc) -> tree.Expr:
    """A call of a builtin, whatever its name means in the program."""
    return tree.Call(tree.Constant(function, loc=loc), args, (), loc=loc)


def _is_instance(subject: tree.Expr, classes: object, loc: Loc) -> tree.Expr:
    return _call(isinstance, subject, tree.Constant(classes, loc=loc), loc=loc)


def _capture(node: cst.MatchAs, subject: tree.Expr, scope: Scope) -> Pattern:
    """`name`, `_` and `pattern as name`."""
    pattern = Pattern() if node.pattern is None else _pattern(node.pattern, subject, scope)
    if node.name is not None:
        pattern.captures.append((scope.bind(node.name.value), subject))
    return pattern


def _value(node: cst.MatchValue, subject: tree.Expr, scope: Scope) -> Pattern:
    value = expression(node.value, scope)
    return Pattern([tree.Compare(subject, ("==",), (value,), loc=value.loc)])


def _singleton(node: cst.MatchSingleton, subject: tree.Expr, scope: Scope) -> Pattern:
    value = expression(node.value, scope)
    return Pattern([tree.Compare(subject, ("is",), (value,), loc=value.loc)])


def _alternatives(node: cst.MatchOr, subject: tree.Expr, scope: Scope) -> Pattern:
    """Alternatives without captures; with them it would depend on the alternative what is captured."""
    patterns = [_pattern(part.pattern, subject, scope) for part in node.patterns]
    if any(p.refused or p.captures for p in patterns):
        return Pattern(refused=True)
    if not all(p.tests for p in patterns):
        return Pattern()
    return Pattern([tree.BoolOp("or", tuple(_all(p.tests) for p in patterns), loc=scope.loc(node))])


def _sequence(node: cst.MatchList | cst.MatchTuple, subject: tree.Expr, scope: Scope) -> Pattern:
    loc = scope.loc(node)
    stars = [i for i, part in enumerate(node.patterns) if isinstance(part, cst.MatchStar)]
    length = tree.Constant(len(node.patterns) - len(stars), loc=loc)
    text = _is_instance(subject, (str, bytes, bytearray), loc)
    pattern = Pattern(
        [
            _is_instance(subject, Sequence, loc),
            tree.Unary("not", text, loc=loc),
            tree.Compare(_call(len, subject, loc=loc), (">=" if stars else "==",), (length,), loc=loc),
        ]
    )
    after = len(node.patterns) - 1 - stars[0] if stars else 0
    for index, part in enumerate(node.patterns):
        if isinstance(part, cst.MatchStar):
            pattern.add(_rest(part, subject, index, after, loc, scope))
        else:
            behind = stars and index > stars[0]
            at = tree.Constant(index - len(node.patterns) if behind else index, loc=loc)
            pattern.add(_pattern(part.value, tree.Subscript(subject, at, loc=loc), scope))
    return pattern


def _rest(node: cst.MatchStar, subject: tree.Expr, before: int, after: int, loc: Loc, scope: Scope) -> Pattern:
    if node.name is None:
        return Pattern()
    upper = tree.Constant(-after, loc=loc) if after else None
    bounds = tree.Slice(tree.Constant(before, loc=loc), upper, None, loc=loc)
    middle = _call(list, tree.Subscript(subject, bounds, loc=loc), loc=loc)
    return Pattern(captures=[(scope.bind(node.name.value), middle)])


def _class(node: cst.MatchClass, subject: tree.Expr, scope: Scope) -> Pattern:
    loc = scope.loc(node)
    cls = expression(node.cls, scope)
    pattern = Pattern([_call(isinstance, subject, cls, loc=loc)])
    for index, part in enumerate(node.patterns):
        pattern.add(_pattern(part.value, _positional(cls, subject, index, loc), scope))
    for keyword in node.kwds:
        name = scope.name(keyword.key.value)
        pattern.tests.append(_call(hasattr, subject, tree.Constant(name, loc=loc), loc=loc))
        pattern.add(_pattern(keyword.pattern, tree.Attribute(subject, name, loc=loc), scope))
    return pattern


def _positional(cls: tree.Expr, subject: tree.Expr, index: int, loc: Loc) -> tree.Expr:
    """The field that the pattern at `index` is for: `cls.__match_args__` tells its name."""
    names = tree.Attribute(cls, "__match_args__", loc=loc)
    name = tree.Subscript(names, tree.Constant(index, loc=loc), loc=loc)
    field_value = _call(getattr, subject, name, loc=loc)
    if index:
        return field_value
    itself = tree.Compare(cls, ("in",), (tree.Constant(SELF_MATCHING, loc=loc),), loc=loc)
    return tree.IfExp(itself, subject, field_value, loc=loc)


def _mapping(node: cst.MatchMapping, subject: tree.Expr, scope: Scope) -> Pattern:
    loc = scope.loc(node)
    pattern = Pattern([_is_instance(subject, Mapping, loc)], refused=node.rest is not None)
    if node.rest is not None:
        scope.bind(node.rest.value)
    for element in node.elements:
        key = expression(element.key, scope)
        pattern.tests.append(tree.Compare(key, ("in",), (subject,), loc=key.loc))
        pattern.add(_pattern(element.pattern, tree.Subscript(subject, key, loc=key.loc), scope))
    return pattern


PATTERNS: dict[type[cst.CSTNode], Callable[[Any, tree.Expr, Scope], Pattern]] = {
    cst.MatchAs: _capture,
    cst.MatchValue: _value,
    cst.MatchSingleton: _singleton,
    cst.MatchOr: _alternatives,
    cst.MatchList: _sequence,
    cst.MatchTuple: _sequence,
    cst.MatchClass: _class,
    cst.MatchMapping: _mapping,
}
