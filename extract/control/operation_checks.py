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
that end in the same values counts as not needed, as later stages may find that out.  So does one that is
only used behind a test of constants, which later stages may decide, and an array that is only written to: the
writes may be to all of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

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

Tests = frozenset[str]
LOGIC = frozenset({"bitwise_and", "bitwise_or"})
"""Operations that do without an operand if the other one is known."""
MOST_USES = 8
"""So many ways in which a value may be needed are looked at."""
NEVER = "<never>"
"""What decides whether control gets into a loop of no rounds."""
OVERWRITTEN = "<overwritten>"
"""What decides whether anything is left of an array that is written to."""
WRITES = frozenset({"set_index", "set_slice", "scatter_nd"})
FIRST = Const(np.array(0))
"""The counter of a loop in its only round."""


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
                kept += _explicit(stmt, stays) if stays(stmt) else []
                continue
            case If():
                stmt = If(stmt.test, _rewritten(stmt.body, stays), _rewritten(stmt.orelse, stays), loc=stmt.loc)
            case Loop() | Block():
                stmt = replace(stmt, body=_rewritten(stmt.body, stays), loc=stmt.loc)
        kept.append(stmt)
    return kept


def _explicit(check: OperationCheck, stays: Callable[[OperationCheck], bool]) -> list[Stmt]:
    raised = Raise(check.error, check.args, loc=check.loc)
    body, report = (_rewritten(part, stays) for part in (check.body, check.report))
    return [*body, If(check.bad, [*report, raised], [], loc=check.loc)]


@dataclass
class _Needs:
    """What each variable is made from, and what decides which value it gets."""

    made_by: dict[str, Op] = field(default_factory=dict)
    checks: bool = False
    sources: defaultdict[str, dict[Operand, Tests]] = field(default_factory=lambda: defaultdict(dict))
    deciders: defaultdict[str, set[Operand]] = field(default_factory=lambda: defaultdict(set))
    roots: dict[Operand, Tests] = field(default_factory=dict)
    behind: dict[str, Tests] = field(default_factory=dict)
    """The tests that decide whether control gets to an operation."""
    here: Tests = frozenset()
    """Those for the statement that is looked at."""

    def body(
        self,
        body: Sequence[Stmt],
        controls: tuple[Operand, ...],
        ends: Tests = frozenset(),
        rounds: Tests = frozenset(),
    ) -> None:
        """Note a body's statements.

        `ends` are tests around it of what may end the program earlier; `rounds` those among its controls that
        only an earlier round of a loop has made: the first round gets there whatever they are.
        """
        here = _together(ends, controls)
        for stmt in body:
            self.here = here
            self._statement(stmt, controls, ends, rounds)
            leaving, ending = _ways_out([stmt], frozenset()), _ends([stmt])
            if leaving or ending:
                controls, ends = (*controls, *leaving), _together(ends, ending)
                here, rounds = _together(ends, controls), rounds - {*leaving, *ending}

    def _statement(self, stmt: Stmt, controls: tuple[Operand, ...], ends: Tests, rounds: Tests) -> None:
        match stmt:
            case Op():
                self.made_by[stmt.target] = stmt
                self.behind[stmt.target] = self.here - rounds
            case OperationCheck():
                self.checks = True
            case Copy():
                for target, source in zip(stmt.targets, stmt.sources, strict=True):
                    self.sources[target][source] = self.here & self.sources[target].get(source, self.here)
                    self.deciders[target].update(controls)
            case Effect():
                self._root(*stmt.sources, *controls)
            case Check():
                self._root(stmt.bad, *stmt.args, *controls)
            case Raise():
                self._root(*stmt.args, *controls)
            case If():
                for side in (stmt.body, stmt.orelse):
                    self.body(side, (*controls, stmt.test), ends, rounds - {stmt.test})
            case Block():
                self.body(stmt.body, controls, ends, rounds)
            case Loop():
                self._overwritten_by(stmt)
                trips = [] if stmt.trips is None else [NEVER if _is_none(stmt.trips) else stmt.trips]
                if stmt.counter is not None and not _may_end_round(stmt):
                    self.sources[stmt.counter][FIRST] = self.here
                ways_out = _ways_out(stmt.body, frozenset())
                again = _together(Tests(), ways_out) - _together(ends, controls)
                self.body(stmt.body, (*controls, *trips, *ways_out), ends, rounds | again)

    def _overwritten_by(self, loop: Loop) -> None:
        """What a loop writes over, and does not read, may be known to be written over: there may be a round."""
        if loop.trips is not None and _is_none(loop.trips):
            return
        written, read = _written_and_read(loop.body)
        for target in written - read:
            self.sources[target] = {source: tests | {OVERWRITTEN} for source, tests in self.sources[target].items()}

    def _root(self, *values: Operand) -> None:
        for value in values:
            if not isinstance(value, Const) and value != NEVER:
                self.roots[value] = self.here & self.roots.get(value, self.here)

    def closure(self, outputs: Iterable[Operand]) -> set[Operand]:
        """All that outputs, errors and effects depend on, for certain."""
        known, written = _computed_from_constants(self.made_by, self.sources), self._written()
        uses: defaultdict[str, list[Tests]] = defaultdict(list)
        work: list[tuple[Operand, Tests]] = [*((value, Tests()) for value in outputs), *self.roots.items()]
        while work:
            value, tests = work.pop()
            if isinstance(value, Const) or value == NEVER:
                continue
            tests &= known
            if len(uses[value]) > MOST_USES or any(t <= tests for t in uses[value]):
                continue
            uses[value].append(tests)
            op = self.made_by.get(value)
            if op is not None and op.op != "dim":
                inside = tests | self.behind[value] | _dropping(op, known)
                first = inside | Tests([OVERWRITTEN]) if op.op in WRITES else inside
                if op.op == "where" and self._are_one(op.args[1:], known):
                    first = inside | Tests([NEVER])
                work += [(arg, inside if i else first) for i, arg in enumerate(op.args)]
            sources = {s: tests | behind for s, behind in self.sources[value].items() if s != value}
            if value in written:
                new = (source for source in sources if not self._is_of(source, value))
                sources |= {source: sources[source] | {OVERWRITTEN} for source in new}
            work += sources.items()
            if len(sources) > 1:
                deciding = tests | self._deciding(value, known)
                work += [(decider, deciding) for decider in self.deciders[value]]
        return {v for v, found in uses.items() if any(t <= self.behind.get(v, Tests()) for t in found)}

    def _deciding(self, variable: str, known: Tests) -> Tests:
        """The tests without which there may be nothing to decide, as one value is left."""
        sources = self.sources[variable]
        certain = [source for source, behind in sources.items() if known.isdisjoint(behind)]
        if len(certain) > 1:
            return Tests([NEVER]) if self._are_one(certain, known) else Tests()
        return known.intersection(Tests().union(*sources.values()))

    def _are_one(self, values: Iterable[Operand], known: Tests) -> bool:
        """Whether later stages may find that values are one, as loops of no rounds leave what was before."""
        return len({self._left(value, known) for value in values}) == 1

    def _left(self, value: Operand, known: Tests) -> Operand:
        """What a value is where nothing is done that later stages may find is not done."""
        seen: set[Operand] = set()
        while isinstance(value, str) and value not in seen:
            seen.add(value)
            certain = [source for source, behind in self.sources.get(value, {}).items() if known.isdisjoint(behind)]
            if len(certain) != 1:
                break
            (value,) = certain
        return value

    def _written(self) -> set[str]:
        """The variables that hold arrays which are written to later."""
        found: set[str] = set()
        work = [op.args[0] for op in self.made_by.values() if op.op in WRITES]
        while work:
            value = work.pop()
            if isinstance(value, str) and value not in found:
                found.add(value)
                work += self.sources.get(value, ())
        return found

    def _is_of(self, array: Operand, variable: str) -> bool:
        """Whether an array is that of a variable, with what was written to it since."""
        seen: set[Operand] = set()
        work = [array]
        while work:
            value = work.pop()
            if value == variable:
                return True
            if isinstance(value, str) and value not in seen:
                seen.add(value)
                op = self.made_by.get(value)
                work += self.sources.get(value, ()) if op is None else op.args[:1] if op.op in WRITES else ()
        return False


def _together(tests: Tests, others: Iterable[Operand]) -> Tests:
    return tests.union(o for o in others if isinstance(o, str))


def _computed_from_constants(made_by: Mapping[str, Op], sources: Mapping[str, Mapping[Operand, Tests]]) -> Tests:
    """The variables that later stages may know, whatever decides between their values."""
    users: defaultdict[str, set[str]] = defaultdict(set)
    for name, op in made_by.items():
        for arg in _together(Tests(), op.args):
            users[arg].add(name)
    for name, found in sources.items():
        for part in _together(Tests(), found).union(*found.values()):
            users[part].add(name)
    known = {*made_by, *sources, NEVER, OVERWRITTEN}
    work = [user for value, those in users.items() if value not in known for user in those]
    while work:
        name = work.pop()
        if name not in known:
            continue
        may_be = _op_may_be_known(made_by[name], known) if name in made_by else _copy_may_be_known(sources[name], known)
        if not may_be:
            known.discard(name)
            work += users[name]
    return frozenset(known)


def _op_may_be_known(op: Op, known: set[str]) -> bool:
    are = [isinstance(arg, Const) or arg in known for arg in op.args]
    if op.op == "where":
        return all(are[1:]) or (are[0] and any(are[1:]))
    return all(are) or (op.op in LOGIC and not known.isdisjoint(op.args))


def _copy_may_be_known(sources: Mapping[Operand, Tests], known: set[str]) -> bool:
    """Whether all that a variable may be is known, but for what is behind tests that may be known to fail.

    A flag that is set on some paths is not: nobody knows it who does not know the path.  A test is known on
    both of its sides: `t and u` is `u if t else t`.
    """
    certain = [source for source, tests in sources.items() if known.isdisjoint(tests) and source not in tests]
    if not all(isinstance(source, Const) or source in known for source in certain):
        return False
    constants = [source.value for source in certain if isinstance(source, Const)]
    flags = {bool(value) for value in constants if value.dtype == bool and not value.ndim}
    return len(flags) < 2 and any(isinstance(s, Const) or s in known for s in sources)


def _dropping(op: Op, known: Tests) -> Tests:
    """A test of its own for an operation that does without an operand if another one is known."""
    deciding = op.args if op.op in LOGIC else op.args[:1] if op.op == "where" else ()
    return Tests() if known.isdisjoint(deciding) else Tests([op.target])


def _written_and_read(body: Sequence[Stmt]) -> tuple[set[str], set[Operand]]:
    """The variables that statements copy to, and all that they read."""
    written: set[str] = set()
    read: set[Operand] = set()
    work = list(body)
    while work:
        stmt = work.pop()
        match stmt:
            case Op():
                read.update(stmt.args)
            case Copy():
                written.update(stmt.targets)
                read.update(stmt.sources)
            case Effect():
                read.update(stmt.sources)
            case Check():
                read.update((stmt.bad, *stmt.args))
            case Raise():
                read.update(stmt.args)
            case If():
                read.add(stmt.test)
                work += (*stmt.body, *stmt.orelse)
            case Loop():
                read.update(() if stmt.trips is None else (stmt.trips,))
                work += stmt.body
            case Block():
                work += stmt.body
    return written, read


def _is_none(trips: Operand) -> bool:
    return isinstance(trips, Const) and int(trips.value) <= 0


def _may_end_round(loop: Loop) -> bool:
    """Whether a loop may go into another round."""
    return not (isinstance(loop.trips, Const) and int(loop.trips.value) <= 1) and _may_fall_through(loop.body, set())


def _may_fall_through(body: Sequence[Stmt], left: set[str]) -> bool:
    """Whether control may get to the end of a body; the labels that it leaves instead go into `left`."""
    for stmt in body:
        match stmt:
            case Leave():
                left.add(stmt.label)
                return False
            case Raise():
                return False
            case If():
                if not any([_may_fall_through(side, left) for side in (stmt.body, stmt.orelse)]):  # noqa: C419
                    return False
            case Block():
                if not _may_fall_through(stmt.body, left) and stmt.label not in left:
                    return False
            case Loop():
                _may_fall_through(stmt.body, left)
                if stmt.trips is None:
                    return False
    return True


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


def _ends(body: Sequence[Stmt]) -> list[Operand]:
    """The tests that decide whether a body ends the program: also those that leave before it would."""
    return _turns(body) if any(map(_may_end, body)) else []


def _may_end(stmt: Stmt) -> bool:
    return isinstance(stmt, Check | Raise) or any(map(_may_end, _inside(stmt)))


def _inside(stmt: Stmt) -> Sequence[Stmt]:
    match stmt:
        case If():
            return (*stmt.body, *stmt.orelse)
        case Block() | Loop():
            return stmt.body
    return ()


def _turns(body: Sequence[Stmt]) -> list[Operand]:
    """The tests in a body that decide where control goes."""
    found: list[Operand] = []
    for stmt in body:
        inside = _turns(_inside(stmt))
        match stmt:
            case Check():
                found.append(stmt.bad)
            case If() if inside or any(isinstance(s, Raise | Leave) for s in _inside(stmt)):
                found.append(stmt.test)
            case Loop() if stmt.trips is not None and any(map(_may_end, stmt.body)):
                found.append(stmt.trips)
        found += inside
    return found


def _leaves(stmt: Stmt, inner: frozenset[str]) -> bool:
    return isinstance(stmt, Leave) and stmt.label not in inner
