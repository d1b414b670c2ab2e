"""The residual program: what is left when everything static has been evaluated.

Plain variables, each holding one tensor (a number is a tensor of rank 0), structured control flow,
no names to resolve, no aggregates, no calls.  It prints as readable Python and is the last form that
still looks like the user's text:

    x = 0                                   total = 0.0
    for row in table:                       for k in range(dim(table, 0)):
        if row.sum() < 0:                       row = gather(table, k, axis=0)
            break                               s = sum(row, axes=(0,))
        x += row.sum()                          t = less(s, 0.0)
    return x                                    if t: leave L1
                                                s1 = add(total, s)
                                                total = s1

A variable is either assigned once by an `Op`, or it is a merge variable: assigned by `Copy` at the
end of each path that joins at the end of an `If`, `Block` or loop iteration.  `Copy` is parallel:
all sources are read before any target is written.

Errors: error numbers index `Program.errors`.  `Raise` ends the program with that error.  `Check`
records the error if `bad` is true, unless one is recorded already, and goes on (all operations are
total); a recorded error ends the program at the next loop test and at the end.  So the first error
in program order is the one reported, and straight-line code stays straight.  A `SizeCheck` is a
`Raise` under a condition that the sizes of the arguments decide; an `OperationCheck` one under a condition
that makes the next operation fail, if it is run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.errors import ErrorInfo
from graph_program.extract.ir.host import HostStep
from graph_program.extract.records import dataclass
from graph_program.extract.types.rules.facts import SizeTest
from graph_program.extract.types.tensors.tensor_type import TensorType


@dataclass(frozen=True)
class Const:
    """A constant operand; dtype and shape are those of the array."""

    value: np.ndarray

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and same_constant(self.value, other.value)

    def __hash__(self) -> int:
        return hash((self.value.dtype.str, self.value.shape, self.value.tobytes()))


TRUE = Const(np.asarray(True))


def same_constant(a: np.ndarray, b: np.ndarray) -> bool:
    """Bitwise equality: NaN equals itself, 0.0 does not equal -0.0."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


Operand = str | Const
"""A variable's name or a constant."""


@dataclass
class Stmt:
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass
class Op(Stmt):
    """`target = op(args, **attrs)`; `op` names an `OpDef` of tensor_api; attrs are static."""

    target: str
    op: str
    args: tuple[Operand, ...]
    attrs: Mapping[str, Any]


@dataclass
class Copy(Stmt):
    """Parallel assignment of merge variables."""

    targets: list[str]
    sources: list[Operand]


@dataclass
class Effect(Stmt):
    """A host effect is reached: parallel assignment, unless an error is recorded."""

    targets: list[str]
    sources: list[Operand]


@dataclass
class If(Stmt):
    test: Operand
    body: list[Stmt]
    orelse: list[Stmt]


@dataclass
class Loop(Stmt):
    """Run `body` again and again.

    With `trips` None it ends only by `Leave`, `Raise` or a recorded error.  With `trips` (an int64
    scalar; negative means 0) the body runs at most that many times, `counter` being 0, 1, ...; then
    control passes to the statement after the loop.
    """

    body: list[Stmt]
    counter: str | None = None
    trips: Operand | None = None
    label: str = ""


@dataclass
class Block(Stmt):
    label: str
    body: list[Stmt]


@dataclass
class Leave(Stmt):
    """Jump to just after the enclosing `Block` with this label."""

    label: str


@dataclass
class Check(Stmt):
    bad: Operand
    error: int
    args: tuple[Operand, ...] = ()


@dataclass
class Raise(Stmt):
    error: int
    args: tuple[Operand, ...] = ()


@dataclass
class SizeCheck(Stmt):
    """Compute `body`; end with the error if `bad`, which is true just where `test` does not hold.

    Every run reaches it that the statements before do not end (and, in a loop, that does a round), so
    that the sizes of the arguments tell before the run.  The body reads nothing but inputs.
    """

    body: list[Stmt]
    bad: Operand
    error: int
    args: tuple[Operand, ...]
    test: SizeTest


@dataclass
class Host(Stmt):
    """Python runs the step `Program.host[step]`, if no error is recorded; it is never run twice or skipped.

    `objects` are the numbers of the objects on the host that it reads, `sends` what it reads of the graph;
    `results` get the numbers of the objects that it makes, `receives` what it tells the graph.
    """

    step: int
    objects: tuple[Operand, ...]
    sends: tuple[Operand, ...]
    results: list[str]
    receives: list[str]


FALLIBLE = frozenset({"take", "gather_nd", "set_index", "scatter_nd", "full"})
"""Operations that may have a check: they fail for indices or sizes that only a run tells."""


@dataclass
class OperationCheck(Stmt):
    """Compute `body`; where `bad`, compute `report` and end with the error.

    That is where the operation that makes the variable `operation` would fail, so a program that runs
    that operation for certain may do without.
    """

    body: list[Stmt]
    bad: Operand
    report: list[Stmt]
    error: int
    args: tuple[Operand, ...]
    operation: str = ""


@dataclass
class Program:
    """A residual program: inputs, statements, and the variables whose final values are outputs."""

    name: str
    inputs: list[str]
    body: list[Stmt]
    outputs: list[Operand]
    output_names: list[str]
    types: dict[str, TensorType]
    errors: list[ErrorInfo]
    loc: Loc
    host: list[HostStep] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Decisions worth telling (`explain`): loops unrolled and why, iterations peeled and why."""
    places: Mapping[str, str] = field(default_factory=dict)
    """For the variables of objects on the host, the name that had each first, with its frame: see `slice/scopes`."""
    keeps_writes: bool = False
    """Whether outputs mean something where there is an error: they say what was written before."""
