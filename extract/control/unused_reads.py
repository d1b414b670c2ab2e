"""Checks for reads and writes that nothing depends on, and whose index may be outside.

    y = take(x, k, axis=0)              n = dim(x, axis=0)
    return 1                            check k < -n or k >= n: IndexError
                                        y = take(x, k, axis=0)
                                        return 1

An operation that is run raises its error by itself.  One whose value nobody needs is dropped, and its
error would go with it, where Python raises: `x[k]` alone, or `if x[k] == 0: return y` before `return y`.

What is needed is told on the residual program, and cautiously: a value that only decides between ways
that end in the same values counts as not needed, as later stages may find that out.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from graph_program.extract.ir.errors import ErrorInfo, TextArgument
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
    Program,
    Raise,
    Stmt,
)
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensor_type import BOOL, INT64, PY_BOOL, PY_INT, TensorType

MINUS_ONE = Const(np.array(-1, np.int64))

FIRST_INDEX = {"take": 1, "gather_nd": 1, "set_index": 2, "scatter_nd": 2}
"""Operations that raise IndexError, and where their indices begin."""


def check_unused_reads(program: Program) -> Program:
    """The program with checks before the operations that may fail and that nothing depends on."""
    needs = _Needs()
    needs.body(program.body, ())
    if not needs.fallible:
        return program
    needed = needs.closure(program.outputs)
    if all(op.target in needed for op in needs.fallible):
        return program
    program = replace(program, types=dict(program.types), errors=list(program.errors))
    program.body = _Checks(program, needs.made_by, needed).body(program.body, ())
    return program


@dataclass
class _Needs:
    """What each variable is made from, and what decides which value it gets."""

    made_by: dict[str, Op] = field(default_factory=dict)
    fallible: list[Op] = field(default_factory=list)
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
                if stmt.op in FIRST_INDEX:
                    self.fallible.append(stmt)
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


class _Checks:
    """Writes the checks."""

    def __init__(self, program: Program, made_by: dict[str, Op], needed: set[Operand]):
        self.program = program
        self.types = program.types
        self.made_by = made_by
        self.needed = needed

    def body(self, body: Sequence[Stmt], loops: tuple[Loop, ...]) -> list[Stmt]:
        result: list[Stmt] = []
        for stmt in body:
            match stmt:
                case Op() if stmt.op in FIRST_INDEX and stmt.target not in self.needed:
                    result += self._checks(stmt, loops)
                case If():
                    stmt = If(stmt.test, self.body(stmt.body, loops), self.body(stmt.orelse, loops), loc=stmt.loc)
                case Loop():
                    stmt = replace(stmt, body=self.body(stmt.body, (*loops, stmt)), loc=stmt.loc)
                case Block():
                    stmt = replace(stmt, body=self.body(stmt.body, loops), loc=stmt.loc)
            result.append(stmt)
        return result

    def _checks(self, op: Op, loops: tuple[Loop, ...]) -> list[Stmt]:
        x, indices = op.args[0], op.args[FIRST_INDEX[op.op] :]
        first = int(op.attrs.get("axis", 0))
        made: list[Stmt] = []
        for axis, index in enumerate(indices, first):
            if isinstance(x, str) and not self._fits(x, axis, index, loops):
                made += self._check(op, x, axis, index)
        return made

    def _fits(self, x: str, axis: int, index: Operand, loops: tuple[Loop, ...]) -> bool:
        """Whether an index is inside for all sizes that the array may have."""
        if isinstance(index, str):
            return self._counts(x, axis, index, loops)
        size = self.types[x].shape[axis].constant
        return size is not None and bool(np.all((index.value >= -size) & (index.value < size)))

    def _counts(self, x: str, axis: int, index: str, loops: tuple[Loop, ...]) -> bool:
        """Whether an index is the counter of a loop over that axis."""
        loop = next((loop for loop in loops if loop.counter == index), None)
        return loop is not None and self._at_most(loop.trips, x, axis)

    def _at_most(self, trips: Operand | None, x: str, axis: int) -> bool:
        op = self.made_by.get(trips) if isinstance(trips, str) else None
        if op is None or not isinstance(op.args[0], str):
            return False
        if op.op == "minimum":
            return any(self._at_most(part, x, axis) for part in op.args)
        return op.op == "dim" and self.types[op.args[0]].shape[op.attrs["axis"]] == self.types[x].shape[axis]

    def _check(self, op: Op, x: str, axis: int, index: Operand) -> list[Stmt]:
        write = _Writer(self.types, op)
        type_ = self.types[index] if isinstance(index, str) else constant_type(index)
        shape = type_.shape
        if type_.dtype != INT64:
            index = write.op(TensorType(INT64, shape), "cast", index, dtype=INT64)
        flags = TensorType(BOOL, shape) if shape else PY_BOOL
        size = write.op(PY_INT, "dim", x, axis=axis)
        low = write.op(flags, "less", index, write.op(PY_INT, "negative", size))
        bad = write.op(flags, "bitwise_or", low, write.op(flags, "greater_equal", index, size))
        if not shape:
            return [*write.made, Check(bad, self._error(op, axis), (index, size), loc=op.loc)]
        some = write.op(PY_BOOL, "any", bad, axes=tuple(range(len(shape))), keepdims=False)
        report = _Writer(self.types, op)
        total = (math.prod(shape[1:], start=shape[0]),)
        flat = report.op(TensorType(BOOL, total), "reshape", bad, MINUS_ONE)
        which = report.op(PY_INT, "argmax", flat, axis=0, keepdims=False)
        flat = report.op(TensorType(INT64, total), "reshape", index, MINUS_ONE)
        value = report.op(PY_INT, "take", flat, which, axis=0)
        raised = Raise(self._error(op, axis), (value, size), loc=op.loc)
        return [*write.made, If(some, [*report.made, raised], [], loc=op.loc)]

    def _error(self, op: Op, axis: int) -> int:
        text = TextArgument(("index ", (0, "", ""), f" is out of bounds for axis {axis} with size ", (1, "", "")))
        self.program.errors.append(ErrorInfo(IndexError, (text,), op.loc, (PY_INT, PY_INT)))
        return len(self.program.errors) - 1


def constant_type(constant: Const) -> TensorType:
    """The type of a constant operand."""
    return TensorType(constant.value.dtype, tuple(map(dim, constant.value.shape)))


class _Writer:
    """New operations at the place of another one."""

    def __init__(self, types: dict[str, TensorType], place: Op):
        self.types = types
        self.place = place
        self.made: list[Stmt] = []

    def op(self, type: TensorType, name: str, *args: Operand, **attrs: object) -> str:
        base = target = f"{self.place.target}.index"
        number = 0
        while target in self.types:
            number += 1
            target = f"{base}{number}"
        self.types[target] = type
        self.made.append(Op(target, name, args, attrs, loc=self.place.loc))
        return target
