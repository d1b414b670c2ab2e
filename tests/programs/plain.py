"""Running a program as plain Python and as a graph, and comparing all that a caller can see."""

from __future__ import annotations

import copy
import dataclasses
from array import array
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program

OBSERVERS: list[Callable[[Callable[..., Any], Any, Any], None]] = []
"""Told of each function that `check` has compared, its program and the tuples of arguments."""


def differs(a: Any, b: Any) -> bool:
    """Whether two results differ in class, dtype, shape or value."""
    if type(a) is not type(b):
        return True
    if isinstance(a, np.ndarray | np.generic):
        a, b = (v.view(np.ndarray) if isinstance(v, np.ndarray) else v for v in (a, b))  # subclasses compare otherwise
        same_type = a.dtype == b.dtype and a.dtype.type is b.dtype.type and a.shape == b.shape
        if same_type and a.dtype.name == "bfloat16":
            return not np.array_equal(a.astype(np.float32), b.astype(np.float32), equal_nan=True)
        exact = a.dtype.kind not in "fc"
        return not (same_type and (np.array_equal(a, b) if exact else np.allclose(a, b, equal_nan=True)))
    if isinstance(a, array):
        return a.typecode != b.typecode or differs(a.tolist(), b.tolist())
    if isinstance(a, set | frozenset):  # NaN is in no other set
        a, b = (sorted(v, key=repr) for v in (a, b))
    if isinstance(a, tuple | list | deque):
        return len(a) != len(b) or any(map(differs, a, b))
    if isinstance(a, dict):
        return list(a) != list(b) or any(differs(v, b[k]) for k, v in a.items())
    if dataclasses.is_dataclass(a):
        return differs(vars(a), vars(b))
    if isinstance(a, float | complex):
        return not (a == b or np.isclose(a, b, equal_nan=True))
    return bool(a != b)


def outcome(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The result, or the exception's class and text; and the arguments as the call left them."""
    args = copy.deepcopy(args)
    with np.errstate(all="ignore"):
        try:
            result: Any = function(*args)
        except Exception as error:
            return type(error), str(error), args
    return result, args


def check(function: Callable[..., Any], *inputs: tuple[Any, ...]) -> Callable[..., Any]:
    """Assert that plain Python and the graph do the same on each tuple of arguments; gives the graph program."""
    program = graph_program(function)
    for args in inputs:
        expected, found = outcome(function, args), outcome(program, args)
        assert not differs(expected, found), f"{args!r}: {expected!r} in Python, {found!r} as a graph"
    for observe in OBSERVERS:
        observe(function, program, inputs)
    return program


def check_shown(function: Callable[..., Any], args: tuple[Any, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """Compare the program with plain Python, with what both print."""
    expected, shown = outcome(function, args), capsys.readouterr()
    found = outcome(graph_program(function), args)
    assert not differs(expected, found), (expected, found)
    assert capsys.readouterr() == shown


def check_or_refused(function: Callable[..., Any], *inputs: tuple[Any, ...]) -> None:
    """As `check`, but what fails for all arguments may be refused, with Python's class and words."""
    program = graph_program(function)
    for args in inputs:
        expected, found = outcome(function, args), outcome(program, args)
        if isinstance(found[0], type) and issubclass(found[0], GraphProgramError):
            assert issubclass(found[0], expected[0]) and expected[1] in found[1]
        else:
            assert not differs(expected, found), f"{args!r}: {expected!r} in Python, {found!r} as a graph"


class Cases:
    """Programs with the arguments to try them on: `@cases((1,), (2,))` registers one, `@cases.each` goes over them."""

    def __init__(self) -> None:
        self.found: list[tuple[Any, tuple[tuple[Any, ...], ...]]] = []

    def __call__(self, *inputs: tuple[Any, ...]) -> Callable[[Any], Any]:
        def register(function: Any) -> Any:
            self.found.append((function, inputs))
            return function

        return register

    @property
    def each(self) -> pytest.MarkDecorator:
        """Runs a test for every program registered so far, as its arguments `fn` and `inputs`."""
        return pytest.mark.parametrize(("fn", "inputs"), self.found, ids=[fn.__name__ for fn, _ in self.found])
