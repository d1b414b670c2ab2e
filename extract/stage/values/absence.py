"""Values that some path does not have: a variable that it has not set, or None."""

from __future__ import annotations

from collections.abc import Callable

from graph_program.extract.stage.values.values import Maybe, Static, Unbound, Value


def is_unbound(value: Value) -> bool:
    """Whether some path has not set a variable."""
    return isinstance(value, Unbound) or (isinstance(value, Maybe) and value.absent == "unbound")


def is_none(value: Value) -> bool:
    """Whether it is None on some path."""
    return (isinstance(value, Static) and value.value is None) or (isinstance(value, Maybe) and value.absent == "none")


def missing_flag(value: Value, test: Callable[[Value], bool]) -> Value:
    """Whether a value is missing, as a value."""
    if isinstance(value, Maybe) and test(value):
        return value.missing
    return Static(test(value))


def present_part(value: Value, test: Callable[[Value], bool]) -> Value | None:
    """The value where it is there; None for what never is."""
    if not test(value):
        return value
    return value.value if isinstance(value, Maybe) else None
