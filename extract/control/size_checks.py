"""Checks of the arguments' sizes in a residual program: left out, or gathered and made explicit.

    session                     model, replay
    t = matmul(x, y)            n = dim(x, axis=1); m = dim(y, axis=0); b = not_equal(n, m)
                                if b: raise error 0
                                t = matmul(x, y)

The shim evaluates the checks before it runs the session, whose program has none.  A model, and the
replay that explains a failure, have them in the graph.  There a check goes up to the first one behind
the last statement that may end the program, so that straight code is in one branch and not in many.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from graph_program.extract.ir.residual import (
    Block,
    Check,
    Copy,
    If,
    Loop,
    Op,
    Operand,
    Program,
    Raise,
    SizeCheck,
    Stmt,
)
from graph_program.extract.types.rules.facts import SizeTest
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, TensorType


def has_size_checks(program: Program) -> bool:
    """Whether there is any check of the arguments' sizes."""
    return _contains(program.body)


def size_tests(program: Program) -> tuple[SizeTest, ...]:
    """What the arguments' sizes must be, in program order."""
    found: list[SizeTest] = []
    _collect(program.body, found)
    return tuple(dict.fromkeys(found))


def _collect(body: list[Stmt], found: list[SizeTest]) -> None:
    for stmt in body:
        if isinstance(stmt, SizeCheck):
            found.append(stmt.test)
        for inner in _bodies(stmt):
            _collect(inner, found)


def _contains(body: list[Stmt]) -> bool:
    return any(isinstance(stmt, SizeCheck) or any(map(_contains, _bodies(stmt))) for stmt in body)


def _bodies(stmt: Stmt) -> list[list[Stmt]]:
    match stmt:
        case If(_, body, orelse):
            return [body, orelse]
        case Loop() | Block():
            return [stmt.body]
    return []


# ---------------------------------------------------------------- left out


def without_size_checks(program: Program) -> Program:
    """The program for arguments whose sizes have been checked; errors that are used keep their order."""
    used: set[int] = set()
    body = _dropped(program.body, used)
    if not has_size_checks(program) and len(used) == len(program.errors):
        return program
    numbers = {old: new for new, old in enumerate(sorted(used))}
    errors = [program.errors[number] for number in sorted(used)]
    return replace(program, body=_renumbered(body, numbers), errors=errors)


def _dropped(body: list[Stmt], used: set[int]) -> list[Stmt]:
    kept: list[Stmt] = []
    for stmt in body:
        match stmt:
            case SizeCheck():
                continue
            case Check() | Raise():
                used.add(stmt.error)
            case If():
                stmt = replace(stmt, body=_dropped(stmt.body, used), orelse=_dropped(stmt.orelse, used), loc=stmt.loc)
            case Loop() | Block():
                stmt = replace(stmt, body=_dropped(stmt.body, used), loc=stmt.loc)
        kept.append(stmt)
    return kept


def _renumbered(body: list[Stmt], numbers: Mapping[int, int]) -> list[Stmt]:
    kept: list[Stmt] = []
    for stmt in body:
        match stmt:
            case Check() | Raise():
                stmt = replace(stmt, error=numbers[stmt.error], loc=stmt.loc)
            case If():
                sides = (_renumbered(side, numbers) for side in (stmt.body, stmt.orelse))
                stmt = If(stmt.test, *sides, loc=stmt.loc)
            case Loop() | Block():
                stmt = replace(stmt, body=_renumbered(stmt.body, numbers), loc=stmt.loc)
        kept.append(stmt)
    return kept


# ---------------------------------------------------------------- made explicit


def with_size_checks(program: Program) -> Program:
    """The program with its checks as branches that raise."""
    if not has_size_checks(program):
        return program
    types = dict(program.types)
    return replace(program, body=_Gather(types).body(program.body), types=types)


class _Gather:
    def __init__(self, types: dict[str, TensorType]):
        self.types = types

    def body(self, body: list[Stmt]) -> list[Stmt]:
        result: list[Stmt] = []
        group: list[SizeCheck] = []
        start = 0
        for stmt in body:
            match stmt:
                case SizeCheck():
                    start = start if group else len(result)
                    group.append(stmt)
                    continue
                case Op() | Copy():
                    pass
                case _:
                    self._put(result, start, group)
                    group = []
                    stmt = self._inside(stmt)
            result.append(stmt)
        self._put(result, start, group)
        return result

    def _inside(self, stmt: Stmt) -> Stmt:
        match stmt:
            case If():
                return If(stmt.test, self.body(stmt.body), self.body(stmt.orelse), loc=stmt.loc)
            case Loop() | Block():
                return replace(stmt, body=self.body(stmt.body), loc=stmt.loc)
        return stmt

    def _put(self, result: list[Stmt], start: int, group: list[SizeCheck]) -> None:
        """The checks of a group, where its first one stood: one test, and which it was if it fails."""
        if not group:
            return
        made: list[Stmt] = [stmt for check in group for stmt in check.body]
        test: Operand = group[0].bad
        for i, check in enumerate(group[1:]):
            target = self._fresh(f"sizes.{i}")
            made.append(Op(target, "bitwise_or", (test, check.bad), {}, loc=check.loc))
            test = target
        raises: list[Stmt] = []
        for check in group:
            end: list[Stmt] = [Raise(check.error, check.args, loc=check.loc)]
            raises += end if check is group[-1] else [If(check.bad, end, [], loc=check.loc)]
        made.append(If(test, raises, [], loc=group[0].loc))
        result[start:start] = made

    def _fresh(self, base: str) -> str:
        name, number = base, 0
        while name in self.types:
            number += 1
            name = f"{base}.{number}"
        self.types[name] = PY_BOOL
        return name


__all__ = ["has_size_checks", "size_tests", "with_size_checks", "without_size_checks"]
