"""Captured objects whose attributes the program writes: those attributes are state.

    class Tracker:                                  inputs    z, self.x
        def update(self, z):                ->      outputs   result, self.x
            self.x = self.F @ self.x + z

What is written is only known once the program has been evaluated up to there, and it may have been
read before: the write raises `Needed`, and the evaluation starts again with the attribute as
state.  The object is then a `Ref` whose contents are its state; its other attributes are captured
values, as before.  An array, list or dict that is written in place makes the attribute that it was
reached through state; so what is state depends on the text of the program only.
"""

from __future__ import annotations

import array
import collections
import dataclasses
import functools
import inspect
import itertools
import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.ir.paths import KeyStep, path_text
from graph_program.extract.stage.arrays import archives
from graph_program.extract.stage.machine.decisions import HOST_DICTS, STATE, StateAttribute
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.objects import caller_rows
from graph_program.extract.stage.operations import known_and_truth
from graph_program.extract.stage.values.questions import has_contents, known_value
from graph_program.extract.stage.values.structure import PLAIN, is_of_world
from graph_program.extract.stage.values.values import MadeSet, Ref, Static, Value

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine

CONTAINERS = (list, dict, tuple)
OF_THE_HOST = (collections.deque, collections.defaultdict, collections.Counter, bytearray, array.array)
"""Containers that stay on the host, where they change all the time."""


@entries.lift.given
def lift(m: Machine, value: Any, path: tuple[Any, ...] = ()) -> Value:
    """A captured object as a value: what stands for it, where it has or is state."""
    if isinstance(value, PLAIN):
        return Static(value, path)
    if isinstance(value, np.lib.npyio.NpzFile):
        value = archives.arrays(value)

    if isinstance(value, OF_THE_HOST):
        return host_entries.captured_container(m, value, path)
    owned = m.outside.owned
    found = owned.values.get(id(value))
    if found is None:
        if type(value) is not tuple:
            owned.apart[id(value)] = value
        return Static(value, path)
    caller_rows.require_apart(m, found)
    place = owned.paths.get(id(value))
    if place is not None:
        owned.same[id(value)] = (place, value)
    return found


def note_origin(m: Machine, owner: Static, name: str, value: Any) -> None:
    """Remember through which attribute a captured array, container or object is reached."""
    if not _has_origin(value):
        return
    if isinstance(owner.value, CONTAINERS):
        pass_origin(m, owner.value, value)
    elif not isinstance(owner.value, types.ModuleType | type):
        attribute = StateAttribute(owner.value, owner.path or (type(owner.value).__name__,), name)
        m.outside.owned.origins.setdefault(id(value), attribute)


def pass_origin(m: Machine, container: Any, item: Any) -> None:
    """An item of a captured container is reached through the attribute that the container is."""
    origin = m.outside.owned.origins.get(id(container))
    if origin is not None and _has_origin(item):
        m.outside.owned.origins.setdefault(id(item), origin)


def _has_origin(value: Any) -> bool:
    return isinstance(value, np.ndarray | list | dict | set | tuple) or can_have_state(value)


@entries.require_whole.given
def require_whole(m: Machine, ref: Ref, contents: Any) -> None:
    live = m.outside.owned.captured.get(ref)
    missing = () if live is None else [n for n in instance_attributes(live.value) if n not in contents]
    if live is None or not missing:
        return
    error = m.error("GP335", f"'{path_text(ref.path)}' is one of several objects, and not all of it is state")
    first = StateAttribute(live.value, live.path, missing[0])
    raise _needed(m, m.outside.owned.origins.get(id(live.value), first), error)


@entries.refused_write.given
def refused_write(m: Machine, target: Any, error: GraphProgramError) -> Exception:
    return _needed(m, m.outside.owned.origins.get(id(target)), error)


def refused_change(m: Machine, obj: Static, name: str) -> Exception:
    """What to raise where a method changes a captured container."""
    if not obj.path:
        constant = m.error(
            "GP333",
            f"{type(obj.value).__name__}.{name}(...) changes what is a constant in a program",
            hint="keep a list: `if v not in seen: seen.append(v)`",
        )
        made = isinstance(obj, MadeSet) and obj.loc not in m.decided[HOST_DICTS]
        return Needed(HOST_DICTS, [obj.loc], constant) if made else constant
    error = m.error(
        "GP333",
        f"{type(obj.value).__name__}.{name}(...) changes '{path_text(obj.path)}', which this program does not own",
        hint="build it inside the program, or pass it as a parameter",
    )
    return refused_write(m, obj.value, error)


@known_and_truth.refused_choice.given
def refused_choice(m: Machine, values: Sequence[Value], error: GraphProgramError) -> Exception:
    known = [v for v in values if is_of_world(v)]
    if len(known) < len(values) or len({type(v.value) for v in known}) != 1:
        return error
    shared = tuple(steps[0] for steps in itertools.takewhile(_are_equal, zip(*(v.path for v in known), strict=False)))
    origins = m.outside.owned.origins.values()
    return _needed(m, next((a for a in origins if (*a.path, f".{a.name}") == shared), None), error)


def _are_equal(steps: tuple[Any, ...]) -> bool:
    return len(set(steps)) == 1


def refused_set(m: Machine, holder: Static, name: str, error: GraphProgramError) -> Exception:
    """What to raise where an attribute of a captured object is set: `error`, unless it can be state."""
    if not can_have_state(holder.value):
        return error
    path = holder.path or (type(holder.value).__name__,)
    return _needed(m, StateAttribute(holder.value, path, name), error)


def _needed(m: Machine, attribute: StateAttribute | None, error: GraphProgramError) -> Exception:
    return error if attribute is None or attribute in m.decided[STATE] else Needed(STATE, [attribute], error)


def can_have_state(obj: Any) -> bool:
    """Whether an object's attributes can be set as those of ordinary classes are."""
    cls = type(obj)
    return (
        not isinstance(obj, (*PLAIN, *CONTAINERS, np.ndarray, set, frozenset))
        and _inherits(cls, "__setattr__")
        and _inherits(cls, "__getattribute__")
    )


def _inherits(cls: type, name: str) -> bool:
    """Whether a class leaves a special method as `object` has it."""
    return getattr(cls, name) is getattr(object, name)


def live_object(m: Machine, ref: Ref) -> Static | None:
    """The captured object that an instance with state is; None for other objects."""
    return m.outside.owned.captured.get(ref)


def is_attribute(m: Machine, live: Static, name: str) -> bool:
    """Whether an attribute of a captured object is state."""
    return any(known.owner is live.value and known.name == name for known in m.decided[STATE])


def note_set(m: Machine, ref: Ref, name: str) -> None:
    """Remember on this path that an attribute has been set."""
    key = setting_key(ref, name)
    setting = m.outside.owned.setting
    if setting is not None and key in m.live.heap[setting]:
        m.live.heap[setting] = {**m.live.heap[setting], key: Static(True)}


def is_set(m: Machine, ref: Ref, name: str) -> Value:
    """Whether an attribute has been set, as far as that is known."""
    setting = m.outside.owned.setting
    found = None if setting is None else m.live.heap[setting].get(setting_key(ref, name))
    return Static(True) if found is None else found


def setting_key(ref: Ref, name: str) -> str:
    """The key of an attribute in `Owned.setting`."""
    return f"{ref.born}.{name}_set"


def instance_attributes(obj: Any) -> dict[str, Any]:
    """The attributes that an instance has of its own, those in slots included."""
    slots = [name for cls in type(obj).__mro__[::-1] for name in _slots(cls)]
    found = {name: getattr(obj, name) for name in slots if hasattr(obj, name)}
    return found | getattr(obj, "__dict__", {})


ABSENT = object()


def attribute_now(obj: Any, name: str) -> Any:
    """The attribute of an object, or `ABSENT`; a `cached_property` that nobody has asked for is absent."""
    if isinstance(inspect.getattr_static(type(obj), name, None), functools.cached_property):
        return obj.__dict__.get(name, ABSENT)
    return getattr(obj, name, ABSENT)


def has_now(obj: Any, name: str) -> bool:
    """`hasattr(obj, name)`; a property counts as there, and is not asked."""
    described = isinstance(inspect.getattr_static(type(obj), name, None), property | functools.cached_property)
    return described or hasattr(obj, name)


def _slots(cls: type) -> list[str]:
    members = vars(cls).items()
    return [name for name, member in members if isinstance(member, types.MemberDescriptorType)]


def is_record(obj: Any) -> bool:
    """Whether an object is an instance that can be taken apart attribute by attribute."""
    cls = type(obj)
    return (
        not isinstance(obj, (*PLAIN, *CONTAINERS, np.ndarray, set, frozenset, BaseException))
        and (_inherits(cls, "__setattr__") or dataclasses.is_dataclass(cls))
        and _inherits(cls, "__getattribute__")
        and _inherits(cls, "__new__")
        and bool(hasattr(obj, "__dict__") or any(_slots(c) for c in cls.__mro__))
    )


@entries.lift_item.given
def lift_item(m: Machine, owner: Static, key: Any) -> Value:
    path = (*owner.path, KeyStep(key)) if owner.path else ()
    pass_origin(m, owner.value, owner.value[key])
    return lift(m, owner.value[key], path)


@entries.lift_items.given
def lift_items(m: Machine, owner: Static) -> list[Value]:
    base = list if isinstance(owner.value, list) else tuple
    items = list(base.__iter__(owner.value))  # a subclass may give others
    for item in items:
        pass_origin(m, owner.value, item)
    found = [lift(m, x, (*owner.path, i) if owner.path else ()) for i, x in enumerate(items)]
    if any(map(has_contents, found)) and any(can_have_state(known_value(v)) for v in found):
        error = m.error("GP335", f"some objects of '{path_text(owner.path)}' are state, and others are not")
        instead = refused_write(m, owner.value, error)
        if instead is not error:
            raise instead
    return found
