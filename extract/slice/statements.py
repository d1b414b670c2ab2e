"""What the stages of slicing share: going through residual statements, and changing those of the host."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from graph_program.extract.ir import residual
from graph_program.extract.ir.residual import Host, Op, Operand, Stmt


def hosts_in(body: Iterable[Stmt]) -> Iterable[Host]:
    """The statements of the host, wherever they are."""
    return (stmt for stmt in walk(body) if isinstance(stmt, Host))


def bodies(stmt: Stmt) -> list[list[Stmt]]:
    """The statements inside a statement."""
    match stmt:
        case residual.If():
            return [stmt.body, stmt.orelse]
        case residual.Loop() | residual.Block() | residual.SizeCheck():
            return [stmt.body]
        case residual.OperationCheck():
            return [stmt.body, stmt.report]
    return []


def walk(body: Iterable[Stmt]) -> Iterable[Stmt]:
    """All statements, those inside others too."""
    for stmt in body:
        yield stmt
        for inner in bodies(stmt):
            yield from walk(inner)


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


def made_by(stmt: Stmt) -> list[str]:
    """The variables that a statement itself gives values."""
    match stmt:
        case Op():
            return [stmt.target]
        case residual.Copy() | residual.Effect():
            return list(stmt.targets)
        case residual.Loop():
            return [] if stmt.counter is None else [stmt.counter]
        case Host():
            return [*stmt.results, *stmt.receives]
    return []


def with_bodies(stmt: Stmt, change: Callable[[list[Stmt]], list[Stmt]]) -> Stmt:
    """The statement with other statements inside."""
    match stmt:
        case residual.If():
            return replace(stmt, body=change(stmt.body), orelse=change(stmt.orelse))
        case residual.Loop() | residual.Block() | residual.SizeCheck():
            return replace(stmt, body=change(stmt.body))
        case residual.OperationCheck():
            return replace(stmt, body=change(stmt.body), report=change(stmt.report))
    return stmt


def with_hosts(body: Iterable[Stmt], change: Callable[[Host], Stmt | None]) -> list[Stmt]:
    """The statements with other ones of the host in the places of these; None leaves one out."""
    found: list[Stmt] = []
    for stmt in body:
        new = change(stmt) if isinstance(stmt, Host) else with_bodies(stmt, lambda inner: with_hosts(inner, change))
        if new is not None:
            found.append(new)
    return found


__all__ = ["bodies", "hosts_in", "made_by", "read_by", "walk", "with_bodies", "with_hosts"]
