"""Exceptions as values: those that the program makes, and those that its handlers catch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Any

from graph_program.extract.diagnostics import GraphProgramError, Loc
from graph_program.extract.records import dataclass
from graph_program.extract.stage.values.values import Host, Ref, Static, Text, Tuple, Value


@dataclass(frozen=True, eq=False)
class ExceptionObject(Value):
    """An exception made in the program: `cls(*args, **keywords)`.

    `raised` is where it was raised, if it was; `cause` what stood behind `from`; `instance` the object
    with the fields that its class sets by itself.
    """

    cls: type[BaseException]
    args: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()
    raised: Loc | None = None
    cause: Value | None = None
    instance: Ref | None = None
    host: Host | None = None
    """The exception itself, where the host has raised it; its class is not known then."""
    context: Caught | None = None
    """What was being handled when it was raised."""
    explicit: bool = False
    """Whether a statement of the program has raised it, and no operation."""

    @property
    def given(self) -> tuple[Value, ...]:
        """All arguments, those with names last."""
        return (*self.args, *(value for _, value in self.keywords))

    @property
    def on_host(self) -> bool:
        """Whether only the host can raise it."""
        behind = self.cause is not None and (isinstance(self.cause, Host) or _on_host(self.cause))
        return self.host is not None or behind or any(map(_on_host, self.given))


def _on_host(value: Value) -> bool:
    match value:
        case Host():
            return True
        case Text(parts):
            return any(not isinstance(part, str) and _on_host(part[0]) for part in parts)
        case Tuple(elts):
            return any(map(_on_host, elts))
        case ExceptionObject():
            return value.on_host
    return False


@dataclass(frozen=True, eq=False)
class Case:
    """An exception, and the numbers that selectors have where it is this one."""

    conditions: tuple[tuple[Value, int], ...]
    exception: ExceptionObject


@dataclass(frozen=True, eq=False)
class Caught(Value):
    """The exception that a handler has caught: one of those that may have been raised.

    `origin` is the exception, or one of several, that led to the handler.
    `tests` are truth values of `isinstance`, with what is left where each holds and where it does not.
    """

    cases: tuple[Case, ...]
    origin: Value
    tests: list[tuple[Value, Caught, Caught]] = field(default_factory=list)
    outside: int = 0
    """How many calls that were inlined are around the handler."""

    @property
    def on_host(self) -> bool:
        """Whether one of them is, or came out of the handling of one that is."""
        contexts = (case.exception.context for case in self.cases)
        return any(c.exception.on_host for c in self.cases) or any(c is not None and c.on_host for c in contexts)

    def has(self, error: ExceptionObject) -> bool:
        """Whether an exception is one of them."""
        return any(case.exception is error for case in self.cases)


@dataclass(frozen=True, eq=False)
class Handled:
    """What a handler that is being evaluated has caught, and that as an object for host code, if it can be one."""

    what: Caught
    object: Host | None = None
    refusal: GraphProgramError | None = None


def is_exception(value: Value) -> bool:
    """Whether a value is an exception that the program makes or has caught."""
    return isinstance(value, Caught | ExceptionObject)


def narrowed(value: Caught, test: Value, holds: bool) -> Caught:
    """What has been caught, where a test of its class holds or does not."""
    for made, having, others in value.tests:
        if made is test:
            return having if holds else others
    return value


def spelled(message: Sequence[Any]) -> tuple[Any, ...]:
    """The parts of a message: values that are known as texts, others as they are."""
    return tuple(str(part.value) if isinstance(part, Static) else part for part in message)


def with_message(cls: type[BaseException], message: Sequence[Any] | None) -> ExceptionObject:
    """An exception with one text, of strings and values; a value alone is the argument itself."""
    if message is None:
        return ExceptionObject(cls)
    if len(message) == 1 and isinstance(message[0], Value):
        return ExceptionObject(cls, (message[0],))
    message = spelled(message)
    if all(isinstance(part, str) for part in message):
        return ExceptionObject(cls, (Static("".join(message)),))
    return ExceptionObject(cls, (Text(tuple(p if isinstance(p, str | tuple) else (p, "", "") for p in message)),))


def inside(loc: Loc, outside: int) -> Loc:
    """A place without the outermost calls that it was inlined through."""
    chain = loc.chain
    kept = chain[: max(1, len(chain) - outside)]
    found = replace(kept[-1], call=None)
    for place in reversed(kept[:-1]):
        found = replace(place, call=found)
    return found


def python_text(function: Callable[[], Any]) -> tuple[type[BaseException], str]:
    """The class and text of the exception that this Python version raises."""
    try:
        function()
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        return type(error), str(error)
    raise AssertionError("nothing was raised")
