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
from dataclasses import field
from typing import Any

import libcst as cst

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir import tree
from graph_program.extract.records import dataclass
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

    def add(self, other: Pattern) -> None:
        """Require `other` too."""
        self.tests += other.tests
        self.captures += other.captures


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
    return (tree.If(_all(tests, loc), body, orelse, loc=loc),) if tests else body


def _all(tests: list[tree.Expr], loc: Loc) -> tree.Expr:
    if not tests:
        return tree.Constant(True, loc=loc)
    return tests[0] if len(tests) == 1 else tree.BoolOp("and", tuple(tests), loc=tests[0].loc)


# ---------------------------------------------------------------- patterns


def _pattern(node: cst.MatchPattern, subject: tree.Expr, scope: Scope) -> Pattern:
    return PATTERNS[type(node)](node, subject, scope)


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
    """Each alternative captures into names of the `case`, from which the pattern's names are then set."""
    loc = scope.loc(node)
    patterns = [_pattern(part.pattern, subject, scope) for part in node.patterns]
    kept = {name: tree.Name(f"__match_{scope.number()}__", loc=loc) for name, _ in patterns[0].captures}
    scope.bound |= {name.id for name in kept.values()}
    sides = [_all([*p.tests, *(_keep(kept[n], value) for n, value in p.captures)], loc) for p in patterns]
    return Pattern([tree.BoolOp("or", tuple(sides), loc=loc)], list(kept.items()))


def _keep(name: tree.Name, value: tree.Expr) -> tree.Expr:
    """`name := value`, which counts as a test that holds."""
    return tree.TupleExpr((tree.NamedExpr(name.id, value, loc=value.loc),), loc=value.loc)


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
    if node.patterns:
        count = tree.Constant(len(node.patterns), loc=loc)
        pattern.tests.append(_call(takes_positional, cls, count, loc=loc))
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
    return field_value if index else tree.IfExp(_call(matches_itself, cls, loc=loc), subject, field_value, loc=loc)


def matches_itself(cls: type) -> bool:
    """Whether the one positional pattern of a class is for the value itself."""
    return issubclass(cls, SELF_MATCHING) and not hasattr(cls, "__match_args__")


def takes_positional(cls: type, count: int) -> bool:
    """True where a class has so many positional patterns; else Python's TypeError."""
    allowed = 1 if matches_itself(cls) else len(getattr(cls, "__match_args__", ()))
    if count > allowed:
        patterns = "sub-pattern" if allowed == 1 else "sub-patterns"
        raise TypeError(f"{cls.__name__}() accepts {allowed} positional {patterns} ({count} given)")
    return True


def _mapping(node: cst.MatchMapping, subject: tree.Expr, scope: Scope) -> Pattern:
    loc = scope.loc(node)
    pattern = Pattern([_is_instance(subject, Mapping, loc)])
    keys = [expression(element.key, scope) for element in node.elements]
    pattern.tests += [tree.Compare(key, ("in",), (subject,), loc=key.loc) for key in keys]
    for key, element in zip(keys, node.elements, strict=True):
        pattern.add(_pattern(element.pattern, tree.Subscript(subject, key, loc=key.loc), scope))
    if node.rest is not None:
        left = _call(without_keys, subject, *keys, loc=loc)
        pattern.captures.append((scope.bind(node.rest.value), left))
    return pattern


def without_keys(mapping: Mapping[Any, Any], *keys: Any) -> dict[Any, Any]:
    """A dict of what a mapping has beside these keys."""
    return {key: value for key, value in mapping.items() if key not in keys}


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
