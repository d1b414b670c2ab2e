"""Objects of the program that its own statements have copies of, on the host.

    t = tracks[key]         the host, which has the key, takes it out of a copy of `tracks`
    t.age = 5               refused: `tracks` would not see it (GP588)
    tracks[1].age = 5       refused while `t` may be read: `t` would not see it (GP585)

A host function gets copies, and says so; this is about statements that mean the object itself.  What is
written by code that is not known is compared, when it runs, with what it was before.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from graph_program.extract.diagnostics import GraphProgramError, Label, Loc
from graph_program.extract.ir.host import ERROR, HostStep
from graph_program.extract.stage.lists import columns
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import reachable, tables
from graph_program.extract.stage.machine.state import State
from graph_program.extract.stage.values.host_notes import is_plain
from graph_program.extract.stage.values.inside import inner_values, items_of
from graph_program.extract.stage.values.questions import has_contents, known_value
from graph_program.extract.stage.values.sharing import HOLDS, IS, KEEPS, may_have_been
from graph_program.extract.stage.values.structure import with_article
from graph_program.extract.stage.values.values import Host, Ref, Row, Tensor, Value

INTO = frozenset({"item", "next", "unpack", "attribute"})
"""Kinds of steps that give what is in something."""
OVER = frozenset({"slice", "iterate"})
"""Kinds of steps that give something else with the same things in it."""
CHOOSING = frozenset({"choice", "max", "min", "next", "heappop", "getitem"})
"""Functions that give one of the things in what they are given."""
COLLECTING = frozenset(
    {"list", "tuple", "dict", "sorted", "reversed", "iter", "zip", "enumerate", "filter", "map", "deque", "copy"}
    | {"chain", "islice", "cycle", "combinations", "permutations", "product"}
    | {"sample", "choices", "nlargest", "nsmallest"}
)
"""Functions that give something with the things in it that they are given."""
PLAIN = frozenset({ERROR, "keep", "tell", "truth"})
"""Kinds of steps that run no code of what they are given to speak of."""
MANAGERS = (contextlib._GeneratorContextManager,)
"""What calls of functions make that are decorated with `contextmanager`."""
LIBRARY = frozenset({"builtins", "random", "itertools", "collections", "heapq", "copy", "operator"})
KEEPING = frozenset({"append", "appendleft", "extend", "extendleft", "insert", "setdefault", "update", "put", "add"})
"""Methods of containers that keep what they are given."""


def of_step(m: Machine, kind: str, args: Sequence[Value], keywords: Mapping[str, Value]) -> int:
    """Whether what a step makes may be, or hold, a copy of an object that the program has."""
    if kind == "call" and _keeps(args[0]):
        kept = [v for value in (*args[1:], *keywords.values()) for v in (value, *contents(m, value))]
        lent = [(v, m.loc) for v in kept if isinstance(v, Ref)]
        m.host.lent += lent
        return KEEPS if lent else 0
    if kind == "iterate" and args[0].shares == KEEPS:
        return KEEPS
    level = _level(kind, args)
    if not level:
        return 0
    given = [*(args[1:] if kind == "call" else args), *keywords.values()]
    handed = [v for value in given if not isinstance(value, Host) for v in contents(m, value)]
    m.host.handed += [(v, m.loc) for v in handed]
    shared = any(v.shares in (HOLDS, IS) or (m.host.shared and isinstance(v, Host)) for v in args)
    return level if handed or shared else 0


def _keeps(function: Value) -> bool:
    """Whether a call makes a generator, or a context manager of one, which goes on with what it is given."""
    called = known_value(function)
    called = inspect.unwrap(called) if callable(called) else None
    return called in MANAGERS or inspect.isgeneratorfunction(called)


@contextmanager
def going_on(m: Machine, value: Value) -> Iterator[None]:
    """While a loop goes through a generator, or a `with` is in one, it has what it was given."""
    if value.shares != KEEPS or m.frame is None:
        yield
        return
    frame, name = m.frame.id, f"<{value.text}>"
    before = m.live.frames[frame].get(name)
    m.live.frames[frame][name] = value
    yield
    if m.state is not None:
        m.live.frames[frame].pop(name, None)
        m.live.frames[frame].update({} if before is None else {name: before})


def _level(kind: str, args: Sequence[Value]) -> int:
    if kind in INTO:
        return IS
    if kind in OVER:
        return HOLDS
    function = args[0] if kind == "call" else None
    if function is not None and function.shares in (HOLDS, IS):
        return IS
    name = _library_name(function) if function is None else function.member or _library_name(function)
    return IS if name in CHOOSING else HOLDS if name in COLLECTING else 0


def _library_name(function: Value | None) -> str:
    """The name of a function of the standard library."""
    called = known_value(function)
    module = getattr(called, "__module__", None) or type(getattr(called, "__self__", None)).__module__
    return getattr(called, "__name__", "") if str(module).partition(".")[0].lstrip("_") in LIBRARY else ""


@host_entries.contents.given
def contents(m: Machine, value: Value) -> list[Tensor | Ref]:
    arrays, objects = columns.held((value,), m.live.heap.__getitem__)
    found: list[Tensor | Ref] = [*tables.inside(m, value), *arrays, *objects]
    return [v for v in found if v is not value]


def require_own(m: Machine, kind: str, holder: Value, name: str) -> None:
    """Refuse a write by a statement to what may be a copy.

    Raises
    ------
    ProgramValueError
        GP588.
    """
    if holder.shares != IS or is_plain(holder):
        return
    found = next(((v, place) for v, place in (*m.host.handed, *m.host.shared) if _has(m, v, kind, name)), None)
    if found is None:
        return
    copied, place = found
    what = with_article(tables.described(m, copied))
    raise m.error(
        "GP588",
        f"this writes to {what} on the host that may be a copy of one of the program's, which would not see it",
        labels=(Label(place, "it goes to the host here"),),
        hint="say what type the key or the index has, `key: int = ...`, so that the program's own is found; "
        "or make a copy of it first",
    )


@host_entries.require_equality.given
def require_equality(m: Machine, op: str, a: Value, b: Value) -> None:
    identity = op in ("is", "is not")
    for one, other in ((a, b), (b, a)):
        if not has_contents(one) or not isinstance(other, Host) or is_plain(other):
            continue
        if identity or (one.cls.__module__ != "builtins" and getattr(one.cls, "__eq__", None) is object.__eq__):
            raise m.error(
                "GP325",
                f"`{op}` asks the host for this {one.cls.__name__} itself, of which it has copies at most",
                hint="compare numbers that the objects have, or give their class an __eq__",
            )


def _has(m: Machine, value: Tensor | Ref, kind: str, name: str) -> bool:
    """Whether an object of this class can be written in this way."""
    cls = tables.class_of(m, value)
    if isinstance(value, Ref) and cls is not value.cls:
        return kind.endswith("item") or hasattr(cls, name) or name in tables.parts_of(tables.contents(m, cls))
    if cls in (np.ndarray, list, dict):
        return kind.endswith("item")
    if cls is object:  # stands for those in a list of computed length
        return True
    inside = m.live.heap.get(value)
    return (isinstance(inside, dict) and name in inside) or hasattr(cls, name or "__setitem__")


def watched(kind: str, args: Sequence[Value]) -> tuple[int, ...]:
    """The arguments of a step that may be, or hold, copies which it must leave as they are; 0: a method's object."""
    if kind not in ("call", "in_place"):
        return ()
    on_host = [(i, a) for i, a in enumerate(args) if isinstance(a, Host) and not is_plain(a)]
    return tuple(i for i, a in on_host if (a.holder_shares if kind == "call" and i == 0 else a.shares) in (HOLDS, IS))


def with_classes(m: Machine, steps: Sequence[HostStep]) -> list[HostStep]:
    """The steps of a program, with the classes of the objects that the host may have copies of."""
    found = {tables.class_of(m, value) for value, _ in (*m.host.handed, *m.host.shared)}
    classes = None if object in found else tuple(sorted(found, key=lambda cls: (cls.__module__, cls.__qualname__)))
    lent = any(step.lends for step in steps)
    return [
        replace(step, copied=classes if step.watched else step.copied, looks=lent and step.kind not in PLAIN)
        for step in steps
    ]


def lends(m: Machine, kind: str, args: Sequence[Value], keywords: Mapping[str, Value]) -> bool:
    """Whether a call of unknown code is given lists, dicts or objects that the program has, too: it may keep them."""
    if kind != "call":
        return False
    given = [v for v in (*args[1:], *keywords.values()) if not isinstance(v, Host)]
    held = [v for value in given for v in (value, *contents(m, value)) if isinstance(v, Ref)]
    return bool(held) and any(v is one for name, v in reachable.visible(m) if name != reachable.OPERAND for one in held)


def merged(m: Machine, values: Sequence[Value], states: Sequence[State]) -> int:
    """Whether what several paths have for a value on the host may be, or hold, a copy."""
    level = max((v.shares for v in values), default=0)
    for value, state in zip(values, states, strict=True):
        arrays, objects = columns.held((value,), state.heap.__getitem__)
        found: list[Tensor | Ref] = [*arrays, *objects]
        handed = [v for v in found if _places(state, v) > 1]
        handed += [m.rows.tables[row.cls] for row in inner_values(state.heap, value) if isinstance(row, Row)]
        m.host.handed += [(v, m.loc) for v in handed]
        level = IS if handed else level
    return level


def _places(state: State, value: Value) -> int:
    """How many names and objects have a value."""
    names = (names.values() for names in state.frames.values())
    return sum(v is value for values in (*names, *map(items_of, state.heap.values())) for v in values)


@host_entries.stale.given
def stale(m: Machine, target: Tensor | Ref, owners: Sequence[Tensor | Ref]) -> GraphProgramError | None:
    handed = next((at for v, at in m.host.handed if any(may_have_been(v, one) for one in owners)), None)
    lent = next((at for v, at in m.host.lent if any(may_have_been(v, one) for one in owners)), None)
    if lent is not None:
        name = next((name for name, other in reachable.visible(m) if other.shares == KEEPS), None)
        if name is not None:
            return _kept(m, target, name, lent)
    if handed is None:
        return None
    name = next((name for name, v in reachable.visible(m) if v.shares in (HOLDS, IS)), None)
    if name is None:
        return None
    return host_entries.refused_write(
        m,
        handed,
        "GP585",
        f"this {tables.described(m, target)} is written while '{name}' may have a copy of it on the host",
        hint="say what type the key or the index has, `key: int = ...`, so that the program's own is found",
    )


def _kept(m: Machine, target: Tensor | Ref, name: str, place: Loc) -> GraphProgramError:
    return host_entries.refused_write(
        m,
        place,
        "GP585",
        f"this {tables.described(m, target)} is written while '{name}' goes on with a copy of it on the host",
        hint="give it a copy of its own, `list(...)` or `dict(...)`, where Python's result is the same",
    )
