"""Calling a method of an object several times, as plain Python and as a graph, and comparing all that changes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from graph_program import graph_program
from tests.programs.plain import differs


def picture(obj: Any, seen: dict[int, int] | None = None) -> Any:
    """All that can be seen of an object, with a number for each array and object that may be there twice."""
    seen = {} if seen is None else seen
    if isinstance(obj, np.generic | int | float | str | bool | type | None) or callable(obj):
        return obj if not callable(obj) else None
    if id(obj) in seen:
        return ("again", seen[id(obj)])
    seen[id(obj)] = len(seen)
    if isinstance(obj, np.ndarray):
        return ("array", obj.copy())
    if isinstance(obj, list | tuple):
        return [type(obj).__name__, *(picture(x, seen) for x in obj)]
    if isinstance(obj, dict):
        return ["dict", *((picture(k, seen), picture(v, seen)) for k, v in obj.items())]
    slots = [name for cls in type(obj).__mro__ for name in getattr(cls, "__slots__", ())]
    attributes = {name: getattr(obj, name) for name in slots if hasattr(obj, name)} | getattr(obj, "__dict__", {})
    return [type(obj).__name__, *((name, picture(attributes[name], seen)) for name in sorted(attributes))]


def history(make: Callable[[], Any], name: str, calls: Iterable[tuple[Any, ...]], graph: bool) -> list[Any]:
    """What there is after each call: result or exception, the object, the arguments."""
    obj = make()
    method = getattr(obj, name)
    if graph:
        method = graph_program(method)
    found = []
    kept = []  # so that ids stay apart
    for args in copy.deepcopy(list(calls)):
        try:
            with np.errstate(all="ignore"):
                result: Any = method(*args)
        except (ArithmeticError, LookupError, ValueError, AttributeError) as error:
            result = (type(error).__name__, str(error))
        kept.append((result, args))
        found.append(picture([result, obj, args]))
    return found


def check_calls(make: Callable[[], Any], name: str, *calls: tuple[Any, ...]) -> None:
    """Assert that a method does the same to its object as plain Python and as a graph, call after call."""
    expected, found = (history(make, name, calls, graph) for graph in (False, True))
    for number, (python, graph) in enumerate(zip(expected, found, strict=True)):
        assert not differs(python, graph), f"call {number}: {python!r} in Python, {graph!r} as a graph"


def check_identities(function: Callable[..., Any], *inputs: tuple[Any, ...]) -> None:
    """Assert that the same objects and arrays are in the result and in the arguments as in plain Python."""
    for args in inputs:
        expected, found = (_seen_after(f, copy.deepcopy(args)) for f in (function, graph_program(function)))
        assert not differs(expected, found), f"{args!r}: {expected!r} in Python, {found!r} as a graph"


def _seen_after(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    before = list(_reachable(args))
    result = function(*args)
    return picture([before, result, args])


def _reachable(obj: Any) -> Iterable[Any]:
    """The objects and arrays in arguments, in order."""
    yield obj
    inside = obj if isinstance(obj, list | tuple) else obj.values() if isinstance(obj, dict) else ()
    for one in [*inside, *getattr(obj, "__dict__", {}).values()]:
        if isinstance(one, list | tuple | dict | np.ndarray) or hasattr(one, "__dict__"):
            yield from _reachable(one)
