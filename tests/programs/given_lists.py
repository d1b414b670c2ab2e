"""Calling programs with lists of several lengths, as plain Python and as a graph, and counting extractions."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np

from graph_program import graph_program
from graph_program.calls import calls
from tests.programs.plain import differs
from tests.programs.stateful import picture


@contextmanager
def counted() -> Iterator[list[str]]:
    """The names of the functions that are extracted meanwhile."""
    names: list[str] = []
    real = calls.extract

    def extract(fn: Any, *args: Any, **options: Any) -> Any:
        if not options["options"].keeps_writes:
            names.append(fn.__name__)
        return real(fn, *args, **options)

    with mock.patch.object(calls, "extract", extract):
        yield names


def outcome(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The result or exception, and the arguments after the call, with a number for what is there twice."""
    try:
        with np.errstate(all="ignore"):
            result: Any = function(*args)
    except (ArithmeticError, LookupError, ValueError, AttributeError, TypeError) as error:
        result = (type(error).__name__, str(error))
    return picture([result, args])


def check(function: Callable[..., Any], *inputs: tuple[Any, ...], extractions: int = 1) -> None:
    """Assert that a program does what Python does for each of its inputs, and how often it was extracted."""
    program = graph_program(function)
    with counted() as names:
        for args in inputs:
            expected, found = (outcome(f, copy.deepcopy(args)) for f in (function, program))
            assert not differs(expected, found), f"{args!r}: {expected!r} in Python, {found!r} as a graph"
    assert len(names) == extractions
