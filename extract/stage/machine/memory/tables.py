"""Tables of objects: what their columns hold, and which objects are to be in one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from graph_program.extract import library
from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.stage.machine.decisions import TABLES, TAKEN_APART
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.values.column_data import Column, Element, Growing
from graph_program.extract.stage.values.generic import forward
from graph_program.extract.stage.values.inside import inner_values
from graph_program.extract.stage.values.layouts import Counted, Group, InTable, Layout, leaves
from graph_program.extract.stage.values.values import Ref, Row, Tensor, Value

Part = tuple[Layout, tuple[Column, ...]]
Parts = dict[str, Part]
"""By attribute, how it is laid out and its columns."""
SHARED = ("GP440", "GP351")
"""Refusals of a write to an object that may be in several places."""


def class_of(m: Machine, value: Tensor | Ref) -> type:
    """The class of an array or object, or of those in a table."""
    if isinstance(value, Tensor):
        return np.ndarray
    return next((cls for cls, table in m.rows.tables.items() if table is value), value.cls)


def object_of(m: Machine, element: Element) -> Ref | None:
    """The object that an element of its class's table is; None for an element of a list."""
    root = element.root
    return root if isinstance(root, Ref) and m.rows.tables.get(root.cls) is element.holder else None


def inside(m: Machine, value: Value) -> list[Ref]:
    """The tables that have objects which are in a value, or which these refer to."""
    classes: set[type] = set()
    waiting = set(_classes_inside(m, value))
    while waiting:
        cls = waiting.pop()
        classes.add(cls)
        found = m.live.heap[m.rows.tables[cls]]
        waiting |= set(classes_in(found.layout) if isinstance(found, Growing) else ()) - classes
    return [m.rows.tables[cls] for cls in m.rows.tables if cls in classes]


def _classes_inside(m: Machine, value: Value) -> Iterator[type]:
    for one in inner_values(m.live.heap, value):
        if isinstance(one, Row):
            yield one.cls
        found = m.live.heap.get(one)
        if isinstance(found, Growing):
            yield from classes_in(found.layout)


def name_of(cls: type) -> str:
    """What the objects in a table are called where it is said what shares memory."""
    return f"<{cls.__name__}>"


def is_name(name: str) -> bool:
    """Whether a name for what shares memory is that of the objects in a table."""
    return name.startswith("<")


def otherwise(m: Machine, target: Tensor | Ref, refusal: Exception) -> Exception:
    """What to raise where a write is refused: that objects are to be in tables, if that may help."""
    if isinstance(refusal, Needed) and refusal.decision is TAKEN_APART and refusal.error is not None:
        instead = otherwise(m, target, refusal.error)  # before lists of the caller are taken apart
        return instead if isinstance(instead, Needed) else refusal
    if not isinstance(refusal, GraphProgramError) or refusal.code not in SHARED:
        return refusal
    own = isinstance(target, Ref) and can_have(target.cls)
    classes = {target.cls} if own else m.rows.listed  # type: ignore[union-attr]
    return asked(m, classes, refusal)


def asked(m: Machine, classes: Iterable[type], refusal: GraphProgramError) -> Needed | GraphProgramError:
    """What to raise where classes are to have tables: `refusal`, if all that can have one have it."""
    new = frozenset(filter(can_have, classes)) - m.decided[TABLES].keys()
    return needed(new, refusal) if new else refusal


def needed(classes: Iterable[type], refusal: GraphProgramError) -> Needed:
    """What to raise where classes are to have tables; their order is the same in every process."""
    return Needed(TABLES, sorted(classes, key=lambda cls: (cls.__module__, cls.__qualname__)), refusal)


def can_have(cls: type) -> bool:
    """Whether the objects of a class can be in a table."""
    return cls.__module__ != "builtins" and not cls.__module__.startswith(library.__name__)


def contents(m: Machine, cls: type) -> Growing:
    """What the table of a class holds."""
    found = m.live.heap[m.rows.tables[cls]]
    assert isinstance(found, Growing)
    return found


def group_of(layout: Layout) -> Group:
    inner = layout.inner if isinstance(layout, Counted) else layout
    assert isinstance(inner, Group)
    return inner


def parts_of(whole: Growing) -> Parts:
    """The columns of each attribute."""
    group, columns = group_of(whole.layout), iter(whole.columns)
    if isinstance(whole.layout, Counted):
        next(columns)
    pairs = zip(group.keys, group.parts, strict=True)
    return {key: (part, tuple(next(columns) for _ in leaves(part))) for key, part in pairs}


def is_recursive(m: Machine, cls: type) -> bool:
    """Whether objects in a table may refer to others of their class."""
    seen: set[type] = set()
    waiting = [cls]
    while waiting:
        found = m.live.heap[m.rows.tables[waiting.pop()]]
        inside = set(classes_in(found.layout)) if isinstance(found, Growing) else set()
        if cls in inside:
            return True
        waiting += inside - seen
        seen |= inside
    return False


def classes_in(layout: Layout) -> Iterator[type]:
    """The classes of the objects in tables that are in what is laid out so."""
    if isinstance(layout, InTable):
        yield layout.cls
    for part in layout.inside:
        yield from classes_in(part)


def has_moved(m: Machine, value: Value) -> bool:
    """Whether a table has what an object, array, list or dict of the caller holds."""
    return value in m.rows.given or value in m.rows.moved


def hidden_name(name: str) -> str:
    """The hidden column that says whether an attribute has been set."""
    return f"<{name} is set>"


def original(name: str) -> str:
    """The hidden column with the array or list that an attribute was first."""
    return f"<{name} as given>"


def is_hidden(name: str) -> bool:
    """Whether a column is no attribute, but says whether one has been set."""
    return name.startswith("<")


def described(m: Machine, target: Tensor | Ref) -> str:
    """What is written, in a word."""
    return class_of(m, target).__name__.removeprefix("nd")


@forward
def opened(m: Machine, value: Ref | Row) -> Ref:
    """An object to look into: one in a table with what it holds now."""
