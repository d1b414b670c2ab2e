"""Checks of what operations would fail with at run time: made explicit, or left out where a run notices by itself.

    model, replay                               session
    n = dim(x, axis=0)                          y = take(x, k, axis=0)
    if k < -n or k >= n: raise error 0          return y
    y = take(x, k, axis=0)
    return y

An operation that is run raises its error by itself.  One whose value nobody needs is dropped, and its
error would go with it, where Python raises: `x[k]` alone, or `if x[k] == 0: return y` before `return y`.
So the check of such a one stays.

What is needed is told on the residual program, before any pass has looked at it, and whatever passes may find:
a value is needed if one is that is made of it.  What only decides is not, as both ways may come to the same; nor
what a comparison, a remainder or a difference is made of, as that may be known without it; nor what was put into
an array that is only read from, as that may be read past it, unless it is read right there; nor what is used on
fewer paths than it is made on.  An array that is only written to is not either: the writes may be to all of it.
Nor is a number that is read from an array of numbers alone, which may be one number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from graph_program.extract.control.array_elements import READS, WRITES, arrays_of_data, elements_of
from graph_program.extract.ir.residual import (
    FALLIBLE,
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
from graph_program.extract.records import dataclass
from graph_program.extract.types.tensors.tensor_type import TensorType

Tests = frozenset[str]
COMPARISONS = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})
KNOWN_WITHOUT = COMPARISONS | {
    "all",
    "any",
    "bitwise_and",
    "bitwise_or",
    "isnan",
    "isinf",
    "isfinite",
    "sign",
    "signbit",
}
KNOWN_WITHOUT |= {"argmax", "argmin", "argsort", "nonzero", "dim", "where"}
"""Operations whose results may be known without an operand: from ranges, from sizes, or from another operand."""
INTEGERS_KNOWN_WITHOUT = frozenset({"minimum", "maximum", "min", "max", "floor_divide", "remainder", "fmod", "power"})
INTEGERS_KNOWN_WITHOUT |= {"left_shift", "right_shift", "bitwise_xor"}
LINEAR = frozenset({"add", "subtract", "multiply", "negative", "cast"})
"""Of integers, these may come to a number whatever their operands are: `k + 1 - k`."""
SIZES_OF_SIZES = LINEAR | {"minimum", "maximum", "floor_divide"}
PUT_TOGETHER = WRITES | {"concatenate", "where", "scatter_add", "broadcast_to"}
"""Operations that make arrays of others, which reads may read past."""
MOST_USES = 8
"""So many ways in which a value may be needed are looked at."""
NEVER = "<never>"
"""What decides whether control gets into a loop of no rounds."""
OVERWRITTEN = "<overwritten>"
"""What decides whether anything is left of an array that is written to."""
HOLDS, FAILS, SOME = " holds", " fails", " is as it is"
"""Behind the names of tests: how they end on a way."""
FIRST = Const(np.array(0))
"""The counter of a loop in its only round."""


def with_operation_checks(program: Program) -> Program:
    """The program with its checks as branches that raise."""
    return replace(program, body=_rewritten(program.body, _explicit))


def without_operation_checks(program: Program) -> Program:
    """The program with checks only where a run of it may do without the operation."""
    needs = _Needs(program.types)
    needs.body(program.body, Tests())
    if not needs.checks:
        return program
    needed = needs.closure(program.outputs)

    def kept(check: OperationCheck) -> list[Stmt]:
        if check.operation in needed:
            return []
        body, report = (_rewritten(part, kept) for part in (check.body, check.report))
        return [replace(check, body=body, report=report, loc=check.loc)]

    return replace(program, body=_rewritten(program.body, kept))


def _rewritten(body: Sequence[Stmt], instead: Callable[[OperationCheck], list[Stmt]]) -> list[Stmt]:
    kept: list[Stmt] = []
    for stmt in body:
        match stmt:
            case OperationCheck():
                kept += instead(stmt)
                continue
            case If():
                stmt = If(stmt.test, _rewritten(stmt.body, instead), _rewritten(stmt.orelse, instead), loc=stmt.loc)
            case Loop() | Block():
                stmt = replace(stmt, body=_rewritten(stmt.body, instead), loc=stmt.loc)
        kept.append(stmt)
    return kept


def _explicit(check: OperationCheck) -> list[Stmt]:
    raised = Raise(check.error, check.args, loc=check.loc)
    body, report = (_rewritten(part, _explicit) for part in (check.body, check.report))
    return [*body, If(check.bad, [*report, raised], [], loc=check.loc)]


@dataclass
class _Needs:
    """What each variable is made from, and on which paths."""

    types: Mapping[str, TensorType]
    made_by: dict[str, Op] = field(default_factory=dict)
    checks: bool = False
    sources: defaultdict[str, dict[Operand, list[Tests]]] = field(default_factory=lambda: defaultdict(dict))
    roots: list[tuple[Operand, Tests]] = field(default_factory=list)
    behind: dict[str, Tests] = field(default_factory=dict)
    """The tests that decide whether control gets to an operation."""
    here: Tests = frozenset()
    """Those for the statement that is looked at."""
    atoms: dict[str, Tests] = field(default_factory=dict)
    """What linear expressions are made of, once it was asked: sums of sums are asked for it again and again."""
    of_sizes: dict[str, bool] = field(default_factory=dict)
    """Which numbers are computed of sizes of arrays alone, so, too."""

    def body(self, body: Sequence[Stmt], controls: Tests) -> None:
        """Note a body's statements.

        That a loop has come to a round is no control: each of its statements is used by others of its round.  Nor is
        a test that ends the program in an error, unless it may be known: what nobody uses then is left out.
        """
        for stmt in body:
            self.here = controls
            self._statement(stmt, controls)
            controls |= _staying(stmt) | self._not_raising(stmt)

    def _not_raising(self, stmt: Stmt) -> Tests:
        """What is tested where a statement does not end the program in an error, of what may be known."""
        sides = {If: ("body", "orelse"), Loop: ("body",), Block: ("body",)}.get(type(stmt), ())
        bodies = [getattr(stmt, side) for side in sides]
        found = Tests().union(*(self._not_raising(inner) for body in bodies for inner in body))
        if isinstance(stmt, If):
            for body, holds in zip(bodies, (True, False), strict=True):
                if body and isinstance(body[-1], Raise) and self._may_be_known(stmt.test, holds):
                    found |= _tests(stmt.test, FAILS if holds else HOLDS)
        return found

    def _may_be_known(self, test: Operand, holds: bool) -> bool:
        """Whether passes may know that a test holds, or that it does not.

        Nobody knows how floats of the arguments compare.  Of sizes alone, what can be known has been said before.
        """
        op = self.made_by.get(test) if isinstance(test, str) else None
        if op is None:
            return True
        if op.op in COMPARISONS:
            return not (self._are_floats(op.args) or all(map(self._is_of_sizes, op.args)))
        if op.op in ("bitwise_and", "bitwise_or"):
            asked = all if (op.op == "bitwise_and") is holds else any
            return asked(self._may_be_known(arg, holds) for arg in op.args)
        return self._may_be_known(op.args[0], not holds) if op.op == "invert" else True

    def _is_of_sizes(self, value: Operand) -> bool:
        """Whether a number is known, or computed of sizes of arrays alone."""
        if isinstance(value, Const):
            return True
        if value not in self.of_sizes:
            op = self.made_by.get(value)
            known = op is not None and op.op in SIZES_OF_SIZES and all(map(self._is_of_sizes, op.args))
            self.of_sizes[value] = known or (op is not None and op.op == "dim")
        return self.of_sizes[value]

    def _statement(self, stmt: Stmt, controls: Tests) -> None:
        match stmt:
            case Op():
                self.made_by[stmt.target] = stmt
                self.behind[stmt.target] = controls
            case OperationCheck():
                self.checks = True
            case Copy():
                for target, source in zip(stmt.targets, stmt.sources, strict=True):
                    self.sources[target][source] = [*self.sources[target].get(source, []), controls]
            case Effect():
                self._root(*stmt.sources)
            case Check():
                self._root(stmt.bad, *stmt.args)
            case Raise():
                self._root(*stmt.args)
            case If():
                self.body(stmt.body, controls | _tests(stmt.test, HOLDS))
                self.body(stmt.orelse, controls | _tests(stmt.test, FAILS))
            case Block():
                self.body(stmt.body, controls)
            case Loop():
                self._overwritten_by(stmt)
                trips = Tests() if stmt.trips is None else _tests(NEVER if _is_none(stmt.trips) else stmt.trips, SOME)
                if stmt.counter is not None and not _may_end_round(stmt):
                    self.sources[stmt.counter][FIRST] = [controls]
                self.body(stmt.body, controls | trips)

    def _overwritten_by(self, loop: Loop) -> None:
        """What a loop writes over, and does not read, may be known to be written over: there may be a round."""
        if loop.trips is not None and _is_none(loop.trips):
            return
        written, read = _written_and_read(loop.body)
        for target in written - read:
            self.sources[target] = {
                source: [tests | {OVERWRITTEN} for tests in ways] for source, ways in self.sources[target].items()
            }

    def _root(self, *values: Operand) -> None:
        self.roots += [(value, self.here) for value in values]

    def closure(self, outputs: Iterable[Operand]) -> set[Operand]:
        """All that outputs, errors and effects are made of, for certain."""
        written = self._written()
        data = arrays_of_data(self.types, self.made_by, self.sources, self._comes_to_one)
        uses: defaultdict[str, list[Tests]] = defaultdict(list)
        work: list[tuple[Operand, Tests]] = [*((value, Tests()) for value in outputs), *self.roots]
        while work:
            value, tests = work.pop()
            if isinstance(value, Const) or len(uses[value]) > MOST_USES or any(t <= tests for t in uses[value]):
                continue
            if self._is_one_of_numbers(value, data):
                continue
            work += [(value, either) for found in uses[value] if (either := _either(found, tests)) is not None]
            uses[value].append(tests)
            if op := self.made_by.get(value):
                work += self._operands(op, tests | self.behind[value])
            sources = {source: ways for source, ways in self.sources.get(value, {}).items() if source != value}
            for source, ways in sources.items():
                is_new = value in written and not self._is_of(source, value)
                work += [(source, tests | way | ({OVERWRITTEN} if is_new else Tests())) for way in ways]
            if any(self._counts(source, value) for source in sources):
                work += [(decider, tests) for way in sources.values() for decider in _deciders(way)]
        return {v for v, found in uses.items() if any(t <= self.behind.get(v, Tests()) for t in found)}

    def _counts(self, source: Operand, variable: str) -> bool:
        """Whether a variable counts rounds: it tells how many there were."""
        op = self.made_by.get(source) if isinstance(source, str) else None
        if op is None or op.op not in ("add", "subtract") or op.args[0] != variable:
            return False
        return isinstance(op.args[1], Const) and bool(np.all(op.args[1].value))

    def _operands(self, op: Op, tests: Tests) -> Iterator[tuple[Operand, Tests]]:
        """What a value is made of, and the tests without which it may be known all the same."""
        if self._comes_to_one(op):
            return
        for i, arg in enumerate(op.args):
            if i == 0 and op.op in READS and not self._is_whole(arg):
                if (stored := self._stored_there(op)) is not None:
                    yield stored, tests
                continue
            yield arg, tests if i or op.op not in WRITES else tests | {OVERWRITTEN}

    def _comes_to_one(self, op: Op) -> bool:
        """Whether a value may be known whatever an operand is."""
        if op.op in KNOWN_WITHOUT:
            return not (op.op in COMPARISONS and self._are_floats(op.args))
        dtype = self.types[op.target].dtype if op.target in self.types else None
        if dtype is not None and dtype.kind not in "biu":
            return False
        return op.op in INTEGERS_KNOWN_WITHOUT or (op.op in LINEAR and self._may_cancel(op))

    def _is_one_of_numbers(self, value: str, data: set[str]) -> bool:
        """Whether a value is an integer that is made of arrays of numbers alone, and so may be known."""
        op, type = self.made_by.get(value), self.types.get(value)
        if op is None or type is None or type.rank or type.dtype.kind not in "biu":
            return False
        of = [self.types[arg] for arg in elements_of(op) if isinstance(arg, str) and arg in self.types]
        return any(t.rank for t in of) and not any(arg in data for arg in elements_of(op))

    def _are_floats(self, values: Sequence[Operand]) -> bool:
        """Whether values are two numbers that may be NaN: nobody knows how they compare."""
        types = [self.types.get(value) for value in values if isinstance(value, str)]
        return all(t is not None and t.dtype.kind == "f" for t in types) and len({*values}) == len(values)

    def _may_cancel(self, op: Op) -> bool:
        """Whether a linear operation on integers may come to the same number whatever an operand is."""
        if op.target in self.types and self.types[op.target].dtype.kind == "b":
            return True
        if op.op == "multiply":
            return not all(self._is_no_zero(arg) for arg in op.args)
        atoms = [self._atoms(arg) for arg in op.args]
        return len(Tests().union(*atoms)) < sum(map(len, atoms))

    def _is_no_zero(self, factor: Operand) -> bool:
        """Whether passes cannot know that a factor is zero."""
        if isinstance(factor, Const):
            return bool(np.all(factor.value))
        return factor in self.made_by and self.made_by[factor].op in FALLIBLE

    def _atoms(self, value: Operand) -> Tests:
        """What a linear expression is made of; what reads the same is the same."""
        if isinstance(value, Const):
            return Tests()
        if value not in self.atoms:
            op = self.made_by.get(value)
            if op is None:
                self.atoms[value] = Tests([value])
            elif op.op in LINEAR:
                self.atoms[value] = Tests().union(*map(self._atoms, op.args))
            else:
                self.atoms[value] = Tests([f"{op.op}{op.args}{sorted(op.attrs.items())}"])
        return self.atoms[value]

    def _stored_there(self, read: Op) -> Operand | None:
        """What has just been written where an array is read: `x[i] += a` before `x[i] /= b`."""
        write = self.made_by.get(read.args[0]) if isinstance(read.args[0], str) else None
        if write is None or write.op != "set_index" or read.op not in ("take", "gather_nd"):
            return None
        first_axis = not read.attrs.get("axis") and not write.attrs.get("axis")
        return write.args[1] if first_axis and _are_same(read.args[1:], write.args[2:]) else None

    def _is_whole(self, array: Operand) -> bool:
        """Whether an array is of the program's arguments, or computed: nothing else has been put into it."""
        if not isinstance(array, str):
            return True
        return self.made_by[array].op not in PUT_TOGETHER if array in self.made_by else array not in self.sources

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


def _are_same(some: Sequence[Operand], others: Sequence[Operand]) -> bool:
    """Whether operands are the same variables, or equal constants."""
    if len(some) != len(others):
        return False
    pairs = zip(some, others, strict=True)
    return all(
        np.array_equal(a.value, b.value) if isinstance(a, Const) and isinstance(b, Const) else a == b for a, b in pairs
    )


def _tests(test: Operand, how: str) -> Tests:
    return Tests([test + how]) if isinstance(test, str) else Tests()


def _deciders(ways: Iterable[Tests]) -> set[str]:
    """The tests of ways."""
    return {test.removesuffix(how) for way in ways for test in way for how in (HOLDS, FAILS) if test.endswith(how)}


def _either(a: Tests, b: Tests) -> Tests | None:
    """What is tested on each of two ways that only differ in how one test ends."""
    if len(a) != len(b) or len(a ^ b) != 2:
        return None
    one, other = a - b, b - a
    names = {_deciders([side]).pop() if _deciders([side]) else None for side in (one, other)}
    return a & b if len(names) == 1 and None not in names else None


def _staying(stmt: Stmt, inner: frozenset[str] = frozenset()) -> Tests:
    """What is tested where control does not leave by a statement for a block that is not inside of it."""
    match stmt:
        case If():
            sides = [_staying_in(side, inner) for side in (stmt.body, stmt.orelse)]
            leaves = [bool(side) and isinstance(side[-1], Leave) for side in (stmt.body, stmt.orelse)]
            out = [_leaves(side, inner) for side in (stmt.body, stmt.orelse)]
            if out == [False, False]:
                return Tests()
            if out == leaves and out != [True, True] and not sides[0] | sides[1]:
                return _tests(stmt.test, FAILS if out[0] else HOLDS)
            return sides[0] | sides[1] | _tests(stmt.test, SOME)
        case Block():
            return _staying_in(stmt.body, inner | {stmt.label})
        case Loop():
            return _staying_in(stmt.body, inner)
    return Tests()


def _staying_in(body: Sequence[Stmt], inner: frozenset[str]) -> Tests:
    return Tests().union(*(_staying(stmt, inner) for stmt in body))


def _leaves(body: Sequence[Stmt], inner: frozenset[str]) -> bool:
    """Whether control may leave a body for a block that is not inside of it."""
    for stmt in body:
        match stmt:
            case Leave() if stmt.label not in inner:
                return True
            case If() if _leaves(stmt.body, inner) or _leaves(stmt.orelse, inner):
                return True
            case Block() if _leaves(stmt.body, inner | {stmt.label}):
                return True
            case Loop() if _leaves(stmt.body, inner):
                return True
    return False


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
