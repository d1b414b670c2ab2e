"""What the text of steps calls where exceptions are: who takes one, how one is as it was, what leaves a `with`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from graph_program.backends.host.exchange import Step


def enter(manager: Any) -> tuple[Any, Any]:
    """What leaves a context manager, and what entering it gives."""
    cls = type(manager)
    try:
        entering, leaving = cls.__enter__, cls.__exit__
    except AttributeError:
        name = cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
        raise TypeError(f"'{name}' object does not support the context manager protocol") from None
    return partial(leaving, manager), entering(manager)


def as_before(error: BaseException, traceback: Any, context: BaseException | None) -> None:
    """Have an exception as it was before it was raised again."""
    error.with_traceback(traceback)
    if error.__context__ is not context:
        error.__context__ = context


def inner(place: Any, count: int) -> Any:
    """A traceback without its outermost frames; a variable for it would lead from a frame in it back to it."""
    for _ in range(count):
        place = place and place.tb_next
    return place


def beyond(level: int) -> int:
    """The `stacklevel` of a frame of the user's where frames of ours are between: those that run the host's steps."""
    ours = ("graph_program", "graph_program_runtime", "segment_driver", "onnxruntime", "onnxruntime_extensions")
    frame: Any = sys._getframe(1)
    names, users, found = frame.f_globals, 0, 0
    while frame is not None and users < level:
        module = frame.f_globals.get("__name__", "").partition(".")[0]
        again = found > 0 and frame.f_globals is names  # the function of an exported program, around its steps
        own = module in ours or again or frame.f_code.co_filename.startswith("<graph_program:")
        users += not own
        found += users > 0
        frame = frame.f_back
    return found + level - users


def with_fields(cls: type[BaseException], args: tuple[Any, ...], /, **fields: Any) -> BaseException:
    """An exception made without `__init__`."""
    error = cls.__new__(cls, *args)
    error.args = args
    vars(error).update(fields)
    return error


def catching(
    run: Step, catches: Sequence[Any], results: int, receives: Sequence[Any], outside: Sequence[int] = ()
) -> Step:
    """A step that tells which of the handlers around takes what it raises, and keeps that.

    Parameters
    ----------
    run : callable
        What the step does without that.
    catches : sequence of tuple of type
        The classes of the handlers, the innermost first.
    results, receives : int, sequence of TensorType
        What the step makes and tells, with that.
    outside : sequence of int
        How many frames of calls are around each of the handlers.
    """
    if not catches:
        return run
    nothing = (None,) * (results - 1)
    zeros = tuple(np.zeros([d.constant or 0 for d in t.shape], t.dtype) for t in receives[:-1])

    def caught(objects: Sequence[Any], sent: Sequence[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        try:
            made, told = run(objects, sent)
        except BaseException as error:
            for who, classes in enumerate(catches, 1):
                if isinstance(error, classes):
                    error.with_traceback(inner(error.__traceback__, 1 + (outside[who - 1] if outside else 0)))
                    return (*nothing, error), (*zeros, who)
            error.with_traceback(inner(error.__traceback__, 1))  # our own call is none of the user's
            raise
        return (*made, None), (*told, 0)

    return caught


__all__ = ["as_before", "beyond", "catching", "enter", "inner", "with_fields"]
