"""What residual statements contain: checks, effects, ways out of a loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graph_program.extract.ir.residual import Block, Check, Copy, Effect, If, Leave, Loop, Op, Raise, Stmt


def checked(body: Iterable[Stmt]) -> set[int]:
    """The errors that checks in a body may record."""
    found: set[int] = set()
    for stmt in body:
        found |= {stmt.error} if isinstance(stmt, Check) else checked(inner(stmt))
    return found


def told(body: Iterable[Stmt]) -> Iterator[str]:
    """The variables that tell what effects on the host there are."""
    for stmt in body:
        if isinstance(stmt, Effect):
            yield from stmt.targets
        yield from told(inner(stmt))


def only_host_ends(body: list[Stmt], labels: frozenset[str] = frozenset()) -> bool:
    """Whether nothing in the body of an endless loop leaves it, so that it ends when the host raises."""
    for stmt in body:
        match stmt:
            case Raise():
                return False
            case Leave():
                if stmt.label not in labels:
                    return False
            case Block():
                if not only_host_ends(stmt.body, labels | {stmt.label}):
                    return False
            case _ if not only_host_ends(inner(stmt), labels):
                return False
    return True


def inner(stmt: Stmt) -> list[Stmt]:
    match stmt:
        case If():
            return [*stmt.body, *stmt.orelse]
        case Loop() | Block():
            return stmt.body
    return []


def while_test(body: list[Stmt], labels: frozenset[str] = frozenset()) -> If | None:
    """The `If` that every iteration comes to and one of whose arms does nothing but leave the loop.

    `labels` are those of blocks inside the loop.
    """
    for stmt in body:
        if isinstance(stmt, If) and isinstance(stmt.test, str):
            if _leaves(stmt.body, labels) != _leaves(stmt.orelse, labels):
                return stmt
        elif isinstance(stmt, Block):
            found = while_test(stmt.body, labels | {stmt.label})
            if found is not None:
                return found
        if not _falls_through([stmt], frozenset()):
            return None
    return None


def _leaves(arm: list[Stmt], inside: frozenset[str]) -> bool:
    """Whether an arm is straight code and a `Leave` of a block that is not `inside`."""
    straight = all(isinstance(stmt, Op | Copy | Check) for stmt in arm[:-1])
    return bool(arm) and straight and isinstance(arm[-1], Leave) and arm[-1].label not in inside


def _falls_through(body: Iterable[Stmt], labels: frozenset[str]) -> bool:
    """Whether control always gets to the end of the statements."""
    for stmt in body:
        match stmt:
            case Raise() | Loop():
                return False
            case Leave():
                return stmt.label in labels
            case Block():
                if not _falls_through(stmt.body, labels | {stmt.label}):
                    return False
            case If():
                if not (_falls_through(stmt.body, labels) and _falls_through(stmt.orelse, labels)):
                    return False
    return True
