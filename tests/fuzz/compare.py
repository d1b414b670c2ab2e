"""Run one source text as plain Python and as a program, and compare everything that can be seen."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import io
import itertools
import linecache
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from graph_program import LostWritesWarning

_numbers = itertools.count()


def load(source: str, name: str = "program") -> Callable[..., Any]:
    """The function `name` of a source text that exists in memory only, with its lines known."""
    file = f"<program {next(_numbers)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    module = types.ModuleType(f"fuzzed_{next(_numbers)}")
    module.__file__ = file
    sys.modules[module.__name__] = module  # dataclasses look their module up
    try:
        exec(compile(source, file, "exec"), module.__dict__)
    finally:
        del sys.modules[module.__name__]
    return getattr(module, name)


@dataclass
class Outcome:
    """What a call did: its value or exception, and its arguments afterwards."""

    value: Any = None
    error: BaseException | None = None
    args: tuple[Any, ...] = ()
    owners: frozenset[tuple[str, str]] = frozenset()
    """Which parts of the result are which parts of the arguments, as objects."""
    log: tuple[Any, ...] = ()
    """What host code has been given, and what was printed."""
    before: tuple[Any, ...] | None = None
    """The arguments before the call, as which it leaves them by its own words (`LostWritesWarning`)."""


def call(fn: Callable[..., Any], args: tuple[Any, ...], copied: bool = True) -> Outcome:
    """Call, with copies of the arguments if they are to be kept."""
    before, args = copy.deepcopy(args), copy.deepcopy(args) if copied else args
    log = getattr(fn, "__wrapped__", fn).__globals__.get("LOG")
    told = contextlib.redirect_stdout(io.StringIO())
    with np.errstate(all="ignore"), told as printed, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", LostWritesWarning)
        try:
            outcome = Outcome(fn(*args), None, args)
        except Exception as error:
            outcome = Outcome(None, error, args)
    if any(issubclass(warning.category, LostWritesWarning) for warning in warned):
        outcome.before = before
    if log is None:
        return outcome
    seen, log[:] = tuple(log), []
    return dataclasses.replace(outcome, log=(*seen, printed.getvalue()))


Accept = Callable[[Any, Any], bool]
"""Whether two numbers or arrays may differ in class, dtype or shape as they do, or two exceptions in their texts."""


def difference(want: Outcome, got: Outcome, accept: Accept | None = None) -> str | None:
    """Where two outcomes differ; None if they do not."""
    found = differing(want.log, got.log, "log", accept)
    if found is not None:
        return f"{found} (raised {want.error!r} and {got.error!r})" if want.error or got.error else found
    if (want.error is None) != (got.error is None):
        return f"expected {want.error!r} / {want.value!r}, got {got.error!r} / {got.value!r}"
    if want.error is not None:
        same = type(want.error) is type(got.error) and str(want.error) == str(got.error)
        if not same:
            accepted = accept is not None and accept(want.error, got.error)
            return None if accepted else f"expected {want.error!r}, got {got.error!r}"
        if got.before is not None:
            return differing(got.before, got.args[: len(got.before)], "args that are said to be as they were", accept)
        return differing(want.args, got.args, f"args where {want.error!r} is raised", accept)
    return differing(want.value, got.value, "result", accept) or differing(want.args, got.args, "args", accept)


def differing(want: Any, got: Any, where: str, accept: Accept | None = None) -> str | None:
    """Where two values differ in class, structure, dtype, shape or (to rounding) value."""
    if type(want) is not type(got):
        if accept is not None and accept(want, got):
            return None
        return f"{where}: expected {want!r} ({type(want).__name__}), got {got!r} ({type(got).__name__})"
    if isinstance(want, np.ndarray | np.generic):
        return _differing_arrays(want, got, where, accept)
    if isinstance(want, float):
        same = np.allclose(want, got, rtol=1e-9, atol=1e-12, equal_nan=True)
        return None if same else f"{where}: {want!r} != {got!r}"
    if dataclasses.is_dataclass(want):
        names = [f.name for f in dataclasses.fields(want)]
        return _first(differing(getattr(want, n), getattr(got, n), f"{where}.{n}", accept) for n in names)
    if isinstance(want, tuple | list):
        if len(want) != len(got):
            return f"{where}: length {len(want)} != {len(got)}"
        return _first(differing(w, g, f"{where}[{i}]", accept) for i, (w, g) in enumerate(zip(want, got, strict=True)))
    if isinstance(want, dict):
        if want.keys() != got.keys():
            return f"{where}: keys {list(want)} != {list(got)}"
        return _first(differing(want[k], got[k], f"{where}[{k!r}]", accept) for k in want)
    if want == got:
        return None
    if getattr(want, "__dict__", None):  # with NaN it is not equal to its copy
        return differing(vars(want), vars(got), where, accept)
    return f"{where}: {want!r} != {got!r}"


def same_objects(result: Any, args: tuple[Any, ...]) -> frozenset[tuple[str, str]]:
    """Which arrays and mutable objects of the arguments are parts of a result: places in both."""
    owned: dict[int, list[str]] = {}
    for where, value in _places(args, "args"):
        if not isinstance(value, tuple):
            owned.setdefault(id(value), []).append(where)
    found = ((where, owned.get(id(value), ())) for where, value in _places(result, "result"))
    return frozenset((where, owner) for where, owners in found for owner in owners)


def _places(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    """Arrays, lists, dicts and instances in a value, each with its place."""
    if isinstance(value, np.ndarray | list | tuple | dict) or dataclasses.is_dataclass(value):
        yield where, value
    if isinstance(value, list | tuple):
        for i, part in enumerate(value):
            yield from _places(part, f"{where}[{i}]")
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _places(part, f"{where}[{key!r}]")
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _places(getattr(value, field.name), f"{where}.{field.name}")


def _differing_arrays(want: Any, got: Any, where: str, accept: Accept | None) -> str | None:
    if want.dtype != got.dtype or want.shape != got.shape:
        if accept is not None and accept(want, got):
            return None
        return f"{where}: {want.dtype}{want.shape} != {got.dtype}{got.shape}"
    tolerance = {2: 2e-3, 4: 2e-5}.get(want.dtype.itemsize, 1e-9) if want.dtype.kind == "f" else 0.0
    same = np.allclose(want, got, rtol=tolerance, atol=tolerance * 1e-2, equal_nan=want.dtype.kind == "f")
    return None if same else f"{where}: {want!r} != {got!r}"


def _first(found: Any) -> str | None:
    return next((f for f in found if f is not None), None)
