"""Checks in process say no more than that something has failed: what it was is found by repeating the run.

    Check(bad, 1, (k, n))                       Check(bad, replayed)
    OperationCheck([...], bad, ..., 2, (m,))    ...; Check(bad, replayed)

A file has nobody to ask, so each of its checks has a number, values for the message, and a place among the others.
A run in process can be repeated by the reference, which then tells the first error in program order with its message.
So all checks of operations share one flag there, no check has values, and none has to know whether an earlier one has
failed.  What `raise` and `assert` of the program raise keeps its number: a program may be made to raise those often.

Not where something is to be done before the exception: what has been reached by then is told by the numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from graph_program.extract.control.operation_checks import with_operation_checks
from graph_program.extract.control.statements import told
from graph_program.extract.ir.errors import ErrorInfo
from graph_program.extract.ir.residual import Block, Check, If, Loop, OperationCheck, Program, Stmt


def told_by_replay(program: Program) -> Program:
    """The program with one number for all that its operations fail with.

    Parameters
    ----------
    program : Program
        Without steps on the host; its operations' checks are those that it needs.
    """
    if program.keeps_writes or next(told(program.body), None) is not None:
        return with_operation_checks(program)
    number = len(program.errors)
    body = list(_flagged(program, program.body, number))
    replayed = ErrorInfo(Exception, (), program.loc, replayed=True)
    return replace(program, body=body, errors=[*program.errors, replayed])


def _flagged(program: Program, body: Iterable[Stmt], number: int) -> Iterator[Stmt]:
    for stmt in body:
        match stmt:
            case OperationCheck():
                yield from _flagged(program, stmt.body, number)
                yield Check(stmt.bad, number, loc=stmt.loc)
                continue
            case Check() if not program.errors[stmt.error].explicit:
                stmt = Check(stmt.bad, number, loc=stmt.loc)
            case If():
                sides = (list(_flagged(program, side, number)) for side in (stmt.body, stmt.orelse))
                stmt = If(stmt.test, *sides, loc=stmt.loc)
            case Loop() | Block():
                stmt = replace(stmt, body=list(_flagged(program, stmt.body, number)), loc=stmt.loc)
        yield stmt


__all__ = ["told_by_replay"]
