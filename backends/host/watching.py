"""What host code is given of the program's own, compared behind the call with what it was before.

show(d)     given = {"n": n};  before = as_given(given, ());  show(given)
            require_unchanged(before, (), "show(d)")
"""

from __future__ import annotations

import collections
import operator
import sys
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
            raise changed(value, text)


def changed(value: Any, text: str) -> RuntimeError:
    """What is raised where host code has changed something of the program's."""
    return RuntimeError(
        f"{text} has changed a {type(value).__name__} that it was given, which the program does not see: "
        "have it return what is new"
    )


def lend(table: Any, value: Any, classes: tuple[type, ...] | None, text: str) -> None:
    """Remember what host code was given of the program's own, as something there may have kept it."""
    entries: list[tuple[Any, list[Any]]] = []
    seen, work = set[int](), [value]
    while work:
        holder = work.pop()
        inside = inner_parts(holder, classes)
        if inside is not None and id(holder) not in seen:
            seen.add(id(holder))
            entries.append((holder, inside))
            work += inside
    table.lent.append((entries, classes, text))


def inner_parts(value: Any, classes: tuple[type, ...] | None) -> list[Any] | None:
    """What a list, dict or object of the program's holds; None for what cannot be changed."""
    if isinstance(value, list | tuple | set | collections.deque):
        return list(value)
    if isinstance(value, dict):
        return [*value, *value.values()]
    own = type(value) in classes if classes is not None else hasattr(value, "__dict__") and not callable(value)
    if not own or isinstance(value, np.ndarray | np.generic | type):
        return None
    slots = (name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ()))
    fields = {**getattr(value, "__dict__", {}), **{name: getattr(value, name, None) for name in slots}}
    return [*fields, *fields.values()]


def look_again(table: Any) -> None:
    """Refuse a call in which something on the host has changed what it has kept of the program's.

    What nothing on the host has any more is forgotten.

    Raises
    ------
    RuntimeError
    """
    for entries, classes, text in table.lent:
        for value, before in entries:
            now = inner_parts(value, classes) or []
            same = len(now) == len(before) and all(map(operator.is_, now, before))
            if not same and contents(now, classes) != contents(before, classes):
                raise changed(value, text)
    if table.lent:
        table.lent[:] = [lent for lent in table.lent if is_held(lent[0])]


def is_held(entries: list[tuple[Any, list[Any]]]) -> bool:
    """Whether anything else leads to one of some values than each other, and the entries themselves."""
    inside = collections.Counter(id(part) for _, before in entries for part in before)
    alone = reference_counts([([], [])])[0]
    counts = zip(entries, reference_counts(entries), strict=True)
    return any(count > alone + 2 * inside[id(value)] for (value, _), count in counts)


def reference_counts(entries: list[tuple[Any, list[Any]]]) -> list[int]:
    """How many references there are to each value, some of them of this function's own."""
    return [sys.getrefcount(value) for value, _ in entries]


__all__ = ["as_copied", "as_given", "classes_in", "lend", "look_again", "require_unchanged"]
