"""What the stages of slicing share: going through residual statements, and changing those of the host."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from graph_program.extract.ir import residual
from graph_program.extract.ir.residual import Host, Op, Operand, Stmt


def hosts_in(body: Iterable[Stmt]) -> Iterable[Host]:
    """The statements of the host, wherever they are."""
    return (stmt for stmt in walk(body) if isinstance(stmt, Host))


def walk(body: Iterable[Stmt]) -> Iterable[Stmt]:
    """All statements, those inside others too."""
    for stmt in body:
        yield stmt
        match stmt:
            case residual.If():
                yield from walk([*stmt.body, *stmt.orelse])
            case residual.Loop() | residual.Block() | residual.SizeCheck():
                yield from walk(stmt.body)
            case residual.OperationCheck():
                yield from walk([*stmt.body, *stmt.report])


def read_by(stmt: Stmt) -> list[Operand]:
    """What a statement itself reads."""
    match stmt:
        case Op():
            return list(stmt.args)
        case residual.Copy() | residual.Effect():
            return list(stmt.sources)
        case residual.If():
            return [stmt.test]
        case residual.Loop():
            return [] if stmt.trips is None else [stmt.trips]
        case residual.Check() | residual.SizeCheck() | residual.OperationCheck():
            return [stmt.bad, *stmt.args]
        case residual.Raise():
            return list(stmt.args)
        case Host():
            return [*stmt.objects, *stmt.sends]
    return []


def with_hosts(body: Iterable[Stmt], change: Callable[[Host], Host | None]) -> list[Stmt]:
    """The statements with other ones of the host in the places of these; None leaves one out."""
    found: list[Stmt] = []
    for stmt in body:
        new: Stmt | None = stmt
        match stmt:
            case Host():
                new = change(stmt)
            case residual.If():
                new = replace(stmt, body=with_hosts(stmt.body, change), orelse=with_hosts(stmt.orelse, change))
            case residual.Loop() | residual.Block() | residual.SizeCheck():
                new = replace(stmt, body=with_hosts(stmt.body, change))
            case residual.OperationCheck():
                new = replace(stmt, body=with_hosts(stmt.body, change), report=with_hosts(stmt.report, change))
        if new is not None:
            found.append(new)
    return found


__all__ = ["hosts_in", "read_by", "walk", "with_hosts"]
