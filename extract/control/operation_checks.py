"""Checks of what operations would fail with at run time: made explicit, or left out where a run notices by itself.

    model, replay                               session
    n = dim(x, axis=0)                          y = take(x, k, axis=0)
    if k < -n or k >= n: raise error 0          return y
    y = take(x, k, axis=0)
    return y

An operation that is run raises its error by itself.  One whose value nobody needs is dropped, and its
error would go with it, where Python raises: `x[k]` alone, or `if x[k] == 0: return y` before `return y`.
So the check of such a one stays.

What is needed is told on the residual program, and cautiously: a value that only decides between ways
that end in the same values counts as not needed, as later stages may find that out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from graph_program.extract.ir.residual import (
    Block,
    Check,
    Const,
    Copy,
    Effect,
    If,
    Leave,
    Loop,
    Op,
    Operand,
    OperationCheck,
    Program,
    Raise,
    Stmt,
)


def has_operation_checks(program: Program) -> bool:
    """Whether there is any check of what an operation would fail with."""
    needs = _Needs()
    needs.body(program.body, ())
    return needs.checks


def with_operation_checks(program: Program) -> Program:
    """The program with its checks as branches that raise."""
    return replace(program, body=_rewritten(program.body, lambda check: True))


def without_operation_checks(program: Program) -> Program:
    """The program with checks only where a run of it may do without the operation."""
    needs = _Needs()
    needs.body(program.body, ())
    if not needs.checks:
        return program
    needed = needs.closure(program.outputs)
    return replace(program, body=_rewritten(program.body, lambda check: check.operation not in needed))


def _rewritten(body: Sequence[Stmt], stays: Callable[[OperationCheck], bool]) -> list[Stmt]:
    kept: list[Stmt] = []
    for stmt in body:
        match stmt:
            case OperationCheck():
                kept += _explicit(stmt) if stays(stmt) else []
                continue
            case If():
                stmt = If(stmt.test, _rewritten(stmt.body, stays), _rewritten(stmt.orelse, stays), loc=stmt.loc)
            case Loop() | Block():
                stmt = replace(stmt, body=_rewritten(stmt.body, stays), loc=stmt.loc)
        kept.append(stmt)
    return kept


def _explicit(check: OperationCheck) -> list[Stmt]:
    raised = Raise(check.error, check.args, loc=check.loc)
    return [*check.body, If(check.bad, [*check.report, raised], [], loc=check.loc)]


@dataclass
class _Needs:
    """What each variable is made from, and what decides which value it gets."""

    made_by: dict[str, Op] = field(default_factory=dict)
    checks: bool = False
    sources: defaultdict[str, set[Operand]] = field(default_factory=lambda: defaultdict(set))
    deciders: defaultdict[str, set[Operand]] = field(default_factory=lambda: defaultdict(set))
    roots: set[Operand] = field(default_factory=set)

    def body(self, body: Sequence[Stmt], controls: tuple[Operand, ...]) -> None:
        for stmt in body:
            self._statement(stmt, controls)
            controls = (*controls, *_ways_out([stmt], frozenset()))

    def _statement(self, stmt: Stmt, controls: tuple[Operand, ...]) -> None:
        match stmt:
            case Op():
                self.made_by[stmt.target] = stmt
            case OperationCheck():
                self.checks = True
            case Copy():
                for target, source in zip(stmt.targets, stmt.sources, strict=True):
                    self.sources[target].add(source)
                    self.deciders[target].update(controls)
            case Effect():
                self.roots.update(stmt.sources, controls)
            case Check():
                self.roots.update((stmt.bad, *stmt.args), controls)
            case Raise():
                self.roots.update(stmt.args, controls)
            case If():
                for side in (stmt.body, stmt.orelse):
                    self.body(side, (*controls, stmt.test))
            case Block():
                self.body(stmt.body, controls)
            case Loop():
                trips = [] if stmt.trips is None else [stmt.trips]
                self.body(stmt.body, (*controls, *trips, *_ways_out(stmt.body, frozenset())))

    def closure(self, outputs: Iterable[Operand]) -> set[Operand]:
        """All that outputs, errors and effects depend on."""
        needed: set[Operand] = set()
        work = [*outputs, *self.roots]
        while work:
            value = work.pop()
            if value in needed or isinstance(value, Const):
                continue
            needed.add(value)
            op = self.made_by.get(value)
            if op is not None and op.op != "dim":
                work += op.args
            sources = self.sources[value] - {value}
            work += sources
            if len(sources) > 1:
                work += self.deciders[value]
        return needed


def _ways_out(body: Sequence[Stmt], inner: frozenset[str]) -> list[Operand]:
    """The tests that decide whether control leaves a body for a block that is not inside it."""
    found: list[Operand] = []
    for stmt in body:
        match stmt:
            case If():
                within = _ways_out([*stmt.body, *stmt.orelse], inner)
                if within or any(_leaves(s, inner) for s in (*stmt.body, *stmt.orelse)):
                    found += [stmt.test, *within]
            case Block():
                found += _ways_out(stmt.body, inner | {stmt.label})
            case Loop():
                found += _ways_out(stmt.body, inner)
    return found


def _leaves(stmt: Stmt, inner: frozenset[str]) -> bool:
    return isinstance(stmt, Leave) and stmt.label not in inner
