"""What host code is given of the program's own, compared behind the call with what it was before.

show(d)     given = {"n": n};  before = contents(given, ());  show(given)
            require_unchanged(given, before, (), "show(d)")
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


def require_unchanged(value: Any, before: Any, classes: tuple[type, ...] | None, text: str) -> None:
    """Refuse a call in which a host function changes a list, dict or object of the program's.

    Raises
    ------
    RuntimeError
    """
    if contents(value, classes) != before:
        raise RuntimeError(
            f"{text} has changed a {type(value).__name__} that it was given, which the program does not see: "
            "have it return what is new"
        )


__all__ = ["classes_in", "contents", "require_unchanged"]
