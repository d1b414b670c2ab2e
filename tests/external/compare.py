"""What one call of a program shows to its caller, and whether two calls show the same."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from graph_program import GraphProgramError
from tests.external.copies import copied
from tests.programs.plain import differs

GENERAL = (Exception, BaseException, object)


@dataclass(frozen=True)
class Outcome:
    """A call's result or exception, its arguments as it left them, and what it printed."""

    result: Any
    arguments: tuple[Any, ...]
    error: BaseException | None
    printed: str


def outcome(function: Callable[..., Any], args: tuple[Any, ...], keywords: Mapping[str, Any] | None = None) -> Outcome:
    """Call with a copy of the arguments."""
    args, named = copied((args, dict(keywords or {})))
    printed = io.StringIO()
    with np.errstate(all="ignore"), warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("ignore")
        try:
            result = function(*args, **named)
        except Exception as error:
            return Outcome(None, (), error, printed.getvalue())
    return Outcome(result, (*args, *named.values()), None, printed.getvalue())


def without_contents(value: Any) -> Any:
    """A result with zeros for what its arrays hold: of some, NumPy does not say what."""
    if isinstance(value, tuple | list):
        return type(value)(map(without_contents, value))
    return np.zeros_like(value) if isinstance(value, np.ndarray) else value


def refusal(found: Outcome, expected: Outcome) -> str:
    """The code with which a program was refused; "" if it was not, or if Python raises that, too."""
    if not isinstance(found.error, GraphProgramError):
        return ""
    if expected.error is not None and isinstance(found.error, built_in_classes(expected.error)):
        return ""
    return found.error.diagnostic.code


def built_in_classes(error: BaseException) -> tuple[type, ...]:
    """The exception's classes that are Python's own: NumPy's AxisError is a ValueError and an IndexError."""
    return tuple(cls for cls in type(error).__mro__ if cls.__module__ == "builtins" and cls not in GENERAL)


def mismatch(expected: Outcome, found: Outcome) -> str:
    """What differs between two calls, in words; "" if nothing does."""
    if expected.error is not None or found.error is not None:
        if isinstance(found.error, GraphProgramError):
            return ""
        same = type(expected.error) is type(found.error) and str(expected.error) == str(found.error)
        return "" if same else f"{expected.error!r} in Python, {found.error!r} as a graph"
    if differs_deeply(expected.result, found.result):
        return f"{expected.result!r} in Python, {found.result!r} as a graph"
    if differs_deeply(expected.arguments, found.arguments):
        return f"arguments left as {expected.arguments!r} in Python, {found.arguments!r} as a graph"
    if expected.printed != found.printed:
        return f"printed {expected.printed!r} in Python, {found.printed!r} as a graph"
    return ""


def differs_deeply(a: Any, b: Any) -> bool:
    """Whether two results differ, also in the fields of objects."""
    if type(a) is not type(b):
        return not is_widened(a, b)
    if isinstance(a, tuple | list):
        return len(a) != len(b) or any(map(differs_deeply, a, b))
    if isinstance(a, dict):
        return list(a) != list(b) or any(differs_deeply(a[k], b[k]) for k in a)
    if hasattr(a, "__dict__") and type(a).__eq__ is object.__eq__ and not callable(a):
        return differs_deeply(vars(a), vars(b))
    return differs(a, b)


def is_widened(a: Any, b: Any) -> bool:
    """Whether a number is the same in a NumPy class: the deviation of loops and merges that the language documents."""
    numbers = isinstance(a, int | float | np.generic) and isinstance(b, np.generic)
    return numbers and bool(a == b or (a != a and b != b))
