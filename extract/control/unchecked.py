"""A program without the checks of its operations, for whoever has tested that none of them fails.

    if equal(n, 0):                                 q = floor_divide(k, n)
        raise ZeroDivisionError        to           if less(q, 0):
    q = floor_divide(k, n)                              raise ValueError        # `raise ValueError` of the program
    if less(q, 0):
        raise ValueError

What `raise` and `assert` of the program raise stays.  Where an operation raises something else, no run is taken to
get, so a branch of which one side ends there is the other side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from graph_program.extract.control.size_checks import without_size_checks
from graph_program.extract.ir.errors import ErrorInfo
from graph_program.extract.ir.residual import (
    Block,
    Check,
    Copy,
    If,
    Leave,
    Loop,
    Op,
    OperationCheck,
    Program,
    Raise,
    SizeCheck,
    Stmt,
)

End = Raise | None
"""How a place ends for certain: with this error; None where it may go on."""


def without_checks(program: Program) -> Program:
    """The program whose operations do not fail.

    Parameters
    ----------
    program : Program
        Without steps on the host, which wait for the checks before them.
    """
    assert not program.host
    body, end = _Assuming(program.errors).body(program.body, None, {})
    return program if end is not None else without_size_checks(replace(program, body=body))


class _Assuming:
    """Leaves out what checks, and the ways to where an operation has failed."""

    def __init__(self, errors: Sequence[ErrorInfo]):
        self.errors = errors

    def body(self, body: Sequence[Stmt], after: End, doomed: Mapping[str, Raise]) -> tuple[list[Stmt], End]:
        """Statements, and how they end; `after` is how what follows them ends, `doomed` what blocks are left for."""
        kept: list[Stmt] = []
        end = after
        for stmt in reversed(body):
            made, end = self._statement(stmt, end, doomed)
            leaves = isinstance(stmt, Raise | Leave)
            kept = [] if end is not None else made if leaves else [*made, *kept]
        return kept, end

    def _statement(self, stmt: Stmt, end: End, doomed: Mapping[str, Raise]) -> tuple[list[Stmt], End]:
        match stmt:
            case SizeCheck() | OperationCheck():
                return [], end
            case Check() if not self.errors[stmt.error].explicit:
                return [], end
            case Raise():
                return ([stmt], None) if self.errors[stmt.error].explicit else ([], stmt)
            case Leave():
                return [stmt], doomed.get(stmt.label)
            case If():
                return self._if(stmt, end, doomed)
            case Block():
                others = {label: found for label, found in doomed.items() if label != stmt.label}
                inner, inside = self.body(stmt.body, end, others if end is None else {**others, stmt.label: end})
                return [replace(stmt, body=inner, loc=stmt.loc)], inside
            case Loop():
                return self._loop(stmt, end, doomed)
            case Op() | Copy():
                return [stmt], end
        if isinstance(stmt, Check):
            return [stmt, *([] if end is None else [end])], None
        return [stmt], end

    def _if(self, stmt: If, end: End, doomed: Mapping[str, Raise]) -> tuple[list[Stmt], End]:
        (then, failed), (orelse, other) = (self.body(side, end, doomed) for side in (stmt.body, stmt.orelse))
        if failed is None and other is None:
            return [If(stmt.test, then, orelse, loc=stmt.loc)], None
        return (then if failed is None else orelse), failed and other

    def _loop(self, stmt: Loop, end: End, doomed: Mapping[str, Raise]) -> tuple[list[Stmt], End]:
        """A loop that runs to its end gets to what follows; of one whose rounds fail, there is none."""
        inner, inside = self.body(stmt.body, None, doomed)
        if inside is not None:
            return [], end if stmt.trips is not None else inside
        ending = [end] if end is not None and stmt.trips is not None else []
        return [replace(stmt, body=inner, loc=stmt.loc), *ending], None


__all__ = ["without_checks"]
