"""Programs exported with one set of arguments and called with others on a device: equal to Python."""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graph_program.program import GraphProgramFunction
from tests.loading.device import Arguments, Device, Outcome, Raised, plain, plain_error

Program = GraphProgramFunction[..., Any]


def agree(device: Device, program: Program, calls: Sequence[Any], example: Any = None, **options: Any) -> list[Outcome]:
    """Export a program for the first call (or `example`), and make all calls on the device and in Python.

    Results, exceptions and what is left in the arguments are compared; state goes from call to call on both sides.
    """
    listed = [c if isinstance(c, Arguments) else Arguments(tuple(c)) for c in calls]
    with warnings.catch_warnings(action="ignore"):
        model = program.model(_by_name(program, example or listed[0]))
    outcomes = device.run(model.SerializeToString(), copy.deepcopy(listed), **options)
    for outcome, call in zip(outcomes, listed, strict=True):
        same_outcome(outcome, in_python(program.python, copy.deepcopy(call)))
    return outcomes


def _by_name(program: Program, call: Any) -> Any:
    """Arguments as `model` takes them."""
    call = call if isinstance(call, Arguments) else Arguments(tuple(call))
    if not call.kwargs:
        return call.args
    names = list(inspect.signature(program.python).parameters)
    return {**dict(zip(names, call.args, strict=False)), **call.kwargs}


def in_python(function: Callable[..., Any], call: Arguments) -> Outcome:
    """The same of a Python function."""
    result: Any = None
    error: Raised | None = None
    try:
        result = function(*call.args, **call.kwargs)
    except Exception as raised:
        error = plain_error(raised)
    seen: dict[int, Any] = {}
    return Outcome(plain(result, seen), error, plain((*call.args, *call.kwargs.values()), seen), {})


def same_outcome(found: Outcome, wanted: Outcome) -> None:
    """Compare a call on the device with Python's."""
    if wanted.error is not None or found.error is not None:
        assert found.error is not None and wanted.error is not None, (found, wanted)
        assert (found.error.name, found.error.text) == (wanted.error.name, wanted.error.text)
        assert found.error.classes[-3:] == wanted.error.classes[-3:]
        return
    same(found.result, wanted.result)
    same(found.args, wanted.args)


def same(a: Any, b: Any) -> None:
    """Equal in class, element type, shape and value, part by part."""
    assert type(a) is type(b), (a, b)
    if isinstance(a, dict):
        assert list(a) == list(b)
        same(list(a.values()), list(b.values()))
    elif isinstance(a, tuple | list):
        assert len(a) == len(b), (a, b)
        for one, other in zip(a, b, strict=True):
            same(one, other)
    elif isinstance(a, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-12)
    elif isinstance(a, float | complex | np.inexact):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-12)
    else:
        assert a == b


__all__ = ["Arguments", "agree", "in_python", "same", "same_outcome"]
