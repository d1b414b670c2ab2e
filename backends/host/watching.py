"""What host code is given of the program's own, compared behind the call with what it was before.

show(d)     given = {"n": n};  before = as_given(given, ());  show(given)
            require_unchanged(before, (), "show(d)")
"""

from __future__ import annotations

import collections
from typing import Any

import numpy as np

from graph_program.extract.ir.results import PickedResult, RecordResult, Result, TableResult, parts_of


def classes_in(result: Result | TableResult) -> set[type]:
    """The classes of the program's objects in what host code is given; others in it belong to the host."""
    match result:
        case PickedResult(tables=tables):
            return {cls for table in tables for cls in classes_in(table)}
        case TableResult(cls=cls, fields=fields):
            return {cls}.union(*(classes_in(part) for _, part in fields))
        case RecordResult(cls=cls):
            return {cls}.union(*map(classes_in, parts_of(result)))
    return set[type]().union(*map(classes_in, parts_of(result)))


def contents(value: Any, classes: tuple[type, ...] | None, seen: tuple[int, ...] = ()) -> Any:
    """What is in arrays, lists, dicts and objects of some classes (of all, for None), to be compared later."""

    def inside(part: Any) -> Any:
        return contents(part, classes, (*seen, id(value)))

    if id(value) in seen:
        return seen.index(id(value))
    if isinstance(value, np.ndarray | np.generic):
        return type(value), value.dtype, value.shape, value.tobytes()
    if isinstance(value, list | tuple | collections.deque):
        return type(value), [inside(part) for part in value]
    if isinstance(value, dict):
        return type(value), [(key, inside(part)) for key, part in value.items()]
    if isinstance(value, set | frozenset):
        return type(value), frozenset(value)
    if isinstance(value, int | float | complex | str | bytes | bytearray | None):
        return type(value), repr(value)
    if type(value) in classes if classes is not None else hasattr(value, "__dict__") and not callable(value):
        slots = (name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ()) if hasattr(value, name))
        fields = {**getattr(value, "__dict__", {}), **{name: getattr(value, name) for name in slots}}
        return type(value), [(name, inside(part)) for name, part in fields.items()]
    return id(value)


def as_given(value: Any, classes: tuple[type, ...] | None) -> list[tuple[Any, Any]]:
    """What is the program's own, with what is in it."""
    return [(value, contents(value, classes))]


def as_copied(value: Any, classes: tuple[type, ...] | None) -> list[tuple[Any, Any]]:
    """What may be copies of the program's own in something on the host, with what is in them."""
    return [(part, contents(part, classes)) for part in _outermost(value, classes, set())]


def _outermost(value: Any, classes: tuple[type, ...] | None, seen: set[int]) -> list[Any]:
    """The objects of some classes in lists, dicts and the like that are not in others of them."""
    if id(value) in seen:
        return []
    seen.add(id(value))
    if classes is None or type(value) in classes:
        return [value]
    parts = value.values() if isinstance(value, dict) else value
    inside = parts if isinstance(value, dict | list | tuple | set | frozenset | collections.deque) else ()
    return [found for part in inside for found in _outermost(part, classes, seen)]


def require_unchanged(before: list[tuple[Any, Any]], classes: tuple[type, ...] | None, text: str) -> None:
    """Refuse a call in which a host function changes a list, dict or object of the program's.

    Raises
    ------
    RuntimeError
    """
    for value, inside in before:
        if contents(value, classes) != inside:
            raise RuntimeError(
                f"{text} has changed a {type(value).__name__} that it was given, which the program does not see: "
                "have it return what is new"
            )


__all__ = ["as_copied", "as_given", "classes_in", "require_unchanged"]
