"""The handlers around what is evaluated: which class of exception gets where.

    try:                                    block handler:
        y = d[k] // n           ->              if equal(n, 0): ...; leave handler
    except ZeroDivisionError:                   ...
        ...

Which classes a point can raise is known at extraction, so a `try` statement around that catches it is found then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING

from graph_program.extract.diagnostics import LimitError
from graph_program.extract.records import dataclass

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine
    from graph_program.extract.stage.machine.state import Frame
    from graph_program.extract.stage.values.exception_values import ExceptionObject

EVERYTHING = (BaseException,)


@dataclass(frozen=True)
class Clause:
    """The classes that an `except` catches, and the block at whose end its handler stands."""

    classes: tuple[type[BaseException], ...]
    label: str


@dataclass(frozen=True, eq=False)
class Scope:
    """A `try` whose body is being evaluated, in `frame`; `held` is the pseudo local of what it catches."""

    frame: Frame
    clauses: tuple[Clause, ...]
    held: str
    hosts: dict[str, ExceptionObject] = field(default_factory=dict)
    """By the label of a clause: what it catches of the host."""
    is_generator: bool = False
    """A generator instead, which catches nothing; but what leaves it is no StopIteration."""
    is_program: bool = False
    """The whole program instead: what leaves it is raised, in the state that the program has come to."""


@contextmanager
def catching(m: Machine, scope: Scope) -> Iterator[None]:
    """Evaluate the body of a `try`."""
    m.tries.scopes.append(scope)
    try:
        yield
    finally:
        m.tries.scopes.pop()


def handler_of(m: Machine, cls: type[BaseException]) -> tuple[Scope, Clause] | None:
    """The handler that an exception of a class gets to, if any; a limit of ours is none that Python would raise."""
    return way_out(m, cls)[1]


def way_out(m: Machine, cls: type[BaseException]) -> tuple[type[BaseException], tuple[Scope, Clause] | None]:
    """The class that an exception has where it gets to, and its handler there: no StopIteration leaves a generator."""
    if issubclass(cls, LimitError):
        return cls, end_of_program(m)
    for scope in reversed(m.tries.scopes):
        if scope.is_generator and issubclass(cls, StopIteration):
            cls = RuntimeError
        for clause in scope.clauses:
            if issubclass(cls, clause.classes):
                return cls, (scope, clause)
    return cls, None


def end_of_program(m: Machine) -> tuple[Scope, Clause] | None:
    """Where exceptions that leave the program end, if that is followed."""
    outermost = m.tries.scopes[0] if m.tries.scopes else None
    return (outermost, outermost.clauses[0]) if outermost is not None and outermost.is_program else None


@contextmanager
def in_generator(m: Machine) -> Iterator[None]:
    """Evaluate what a generator expression does for an element."""
    with catching(m, Scope(m.current_frame, (), "", is_generator=True)):
        yield


def is_caught(m: Machine, cls: type[BaseException]) -> bool:
    """Whether the program catches an exception of a class, raised here."""
    return handler_of(m, cls) is not None
