"""What a program reads of live objects is looked at again before each call: each read leaves a `Guard`.

x * settings.RATE       guard settings.RATE             a module's attribute
x * C.gain              guard C.gain                    a class's, or that of one of its bases
model.forward(x)        guard Model.forward             a method, which may be patched
scaled(x)               guard scaled.__defaults__

Enumerations, NumPy, `math` and what else is in `CONSTANT` are supposed to stay as they are, so that a call
does not look at each function that it uses; so are the classes of installed packages.  The standard streams
are no captured values at all: host code reads them when it runs (`Stream`).  Captured names, and attributes of
captured objects, are read here as they are.
"""

from __future__ import annotations

import enum
import functools
import io
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from graph_program.extract.ir.interface import Guard
from graph_program.extract.ir.paths import Path, path_text
from graph_program.extract.source.closure import lookup
from graph_program.extract.stage.machine.decisions import STEPS
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory.captured_arrays import read_late
from graph_program.extract.stage.machine.state import Frame
from graph_program.extract.stage.objects import captured_state
from graph_program.extract.stage.operations.code_ownership import comes_installed, is_library
from graph_program.extract.stage.values import structure
from graph_program.extract.stage.values.questions import is_known_as, known_value
from graph_program.extract.stage.values.user_classes import class_of
from graph_program.extract.stage.values.values import NONE, Static, Stream, Value

CONSTANT = frozenset(
    {"builtins", "graph_program", "numpy", "math", "cmath", "operator", "functools", "itertools"}
    | {"collections", "copy", "dataclasses", "enum", "typing"}
)
"""Packages whose attributes are not looked at again."""
STREAMS = ("stdin", "stdout", "stderr")
ABSENT = object()


def guard(m: Machine, text: str, read: Any, value: Any) -> None:
    """Note that a captured value was used, so that the next call looks at it again."""
    if not isinstance(value, types.ModuleType):
        _keep(m, Guard(text, read, value, _is_exact(value)))


def guard_of(m: Machine, text: str, owner: Any, look: Callable[[Any], Any], path: Path = ()) -> None:
    """The same for what a captured object has; `path` is where, if it is an attribute."""
    value = look(owner)
    if not isinstance(value, types.ModuleType):
        read = functools.partial(look, owner)
        _keep(m, Guard(text, read, value, _is_exact(value), owner=owner, look=look, path=path))


def _is_exact(value: Any) -> bool:
    """Whether the very object is asked for, whatever its class says of equality."""
    return not isinstance(value, structure.PLAIN) and (
        captured_state.is_record(value) or isinstance(value, captured_state.OF_THE_HOST)
    )


def _keep(m: Machine, new: Guard) -> None:
    text = new.text
    known = m.outside.guards.setdefault(text, new)
    if not known.late and read_late(m):
        m.outside.guards[text] = replace(known, late=True)


def attribute(m: Machine, owner: types.ModuleType | type, name: str, value: Any) -> None:
    """Note that an attribute of a module or class was read."""
    if isinstance(owner, type):
        member(m, owner, name)
    elif owner.__name__.partition(".")[0] not in CONSTANT:
        guard(m, _text(owner, name), lambda: getattr(owner, name), value)


def presence(m: Machine, owner: types.ModuleType | type, name: str, found: bool) -> None:
    """Note that somebody has asked whether a module or class has an attribute."""
    if _may_change(owner):
        guard(m, _text(owner, f"{name}?"), lambda: captured_state.has_now(owner, name), found)


def member(m: Machine, cls: type, name: str) -> None:
    """Note that what a class, or one of its bases, has under a name was read."""
    spaces = _namespaces(cls)
    found = _found(spaces, name)
    if found is not ABSENT and _may_change(cls):
        guard(m, _text(cls, name), lambda: _found(spaces, name), found)


def method(m: Machine, function: types.FunctionType, args: Sequence[Value]) -> None:
    """Note that a function was called with some arguments: as a method, where it is one of the first one's class."""
    _defaults(m, function)
    called_on = args[0] if args else NONE
    cls = called_on.value if is_known_as(called_on, type) else class_of(called_on)
    if cls is None or not _may_change(cls):
        return
    base, name = _place_of(cls, function)
    if base is None:
        return
    thing = known_value(called_on, cls)
    if thing is not cls:
        member_of(m, thing, name)
    else:
        member(m, cls, name)
    if _found(_namespaces(cls), name) is not vars(base)[name]:  # super().name
        member(m, base, name)


def member_of(m: Machine, obj: Any, name: str) -> None:
    """Note that an attribute of a captured object was found on its class, and not on the object."""
    spaces = _namespaces(type(obj))

    def look(owner: Any) -> Any:
        return None if name in getattr(owner, "__dict__", ()) else _found(spaces, name)

    if _may_change(type(obj)):
        guard_of(m, f"{type(obj).__qualname__}.{name}@{id(obj)}", obj, look)


def stream(m: Machine, name: str) -> Value:
    """`sys.stdin`, `sys.stdout` or `sys.stderr`, which host code reads."""
    if not m.decided[STEPS]:
        return Stream(getattr(sys, name), ("sys", f".{name}"))
    note = io.TextIOBase if name == "stdin" else None
    return host_entries.step(m, "attribute", Static(sys), detail=name, text=f"sys.{name}", note=note, harmless=True)


def _defaults(m: Machine, function: types.FunctionType) -> None:
    if is_library(function):
        return
    text = f"{function.__module__}.{function.__qualname__}"
    for name in ("__defaults__", "__kwdefaults__"):
        found = getattr(function, name)
        if found:
            guard(m, f"{text}.{name}@{id(function)}", functools.partial(getattr, function, name), found)


def _place_of(cls: type, function: types.FunctionType) -> tuple[type | None, str]:
    """The class, or base of it, that has a function, and under which name."""
    for base in cls.__mro__:
        for name in (function.__name__, *vars(base)):
            if name in vars(base) and _is_of(vars(base)[name], function):
                return base, name
    return None, ""


def _is_of(member: Any, function: types.FunctionType) -> bool:
    """Whether what a class has is a function, or a property, class method or program made of it."""
    parts = (getattr(member, name, None) for name in ("fget", "fset", "func", "__wrapped__"))
    return member is function or any(part is function for part in parts)


def _namespaces(cls: type) -> Sequence[Mapping[str, Any]]:
    """What a class and its bases have, as it is at any time."""
    return [base.__dict__ for base in cls.__mro__]


def _found(spaces: Sequence[Mapping[str, Any]], name: str) -> Any:
    """What the first of some namespaces that has a name has there."""
    return next((space[name] for space in spaces if name in space), ABSENT)


def _may_change(owner: types.ModuleType | type) -> bool:
    """Whether a module or class is one whose attributes are looked at again."""
    if isinstance(owner, types.ModuleType):
        return owner.__name__.partition(".")[0] not in CONSTANT
    return not issubclass(owner, enum.Enum) and _is_own_module(owner.__module__)


@functools.lru_cache(maxsize=1024)
def _is_own_module(name: str) -> bool:
    if name == "__main__":
        return True
    if name.partition(".")[0] in sys.stdlib_module_names | CONSTANT:
        return False
    file = getattr(sys.modules.get(name), "__file__", None)
    return not comes_installed(name, file)


def _text(owner: types.ModuleType | type, name: str) -> str:
    found = owner.__name__ if isinstance(owner, types.ModuleType) else owner.__qualname__
    return f"{found}.{name}@{id(owner)}"


def root(frame: Frame | None) -> Frame:
    """The activation of a live Python function that a frame lies in."""
    assert frame is not None
    while frame.parent is not None:
        frame = frame.parent
    return frame


def captured(m: Machine, name: str) -> Value:
    """A closure variable, global or builtin of the live function."""
    function = root(m.frame).python
    assert function is not None
    try:
        ref = lookup(function, name)
        value = ref.read()
    except NameError as error:
        raise m.error("GP305", str(error), hint="define it before the program is first called") from None
    if ref.kind != "builtin" and not is_library(function):
        guard(m, f"{function.__module__}.{name}", ref.read, value)
    return m.lift(value, (name,))


def captured_attribute(m: Machine, owner_value: Static, name: str) -> Value:
    """`owner.name` of a captured object, class or module."""
    obj = owner_value.value
    if obj is sys and name in STREAMS:
        return stream(m, name)
    try:
        value = getattr(obj, name)
    except AttributeError as error:
        raise m.error("GP307", str(error)) from None
    captured_state.note_origin(m, owner_value, name, value)
    path = (*owner_value.path, f".{name}") if owner_value.path else ()
    if isinstance(obj, types.ModuleType | type):
        attribute(m, obj, name, value)
    elif callable(value) and name not in getattr(obj, "__dict__", ()):
        member_of(m, obj, name)
    elif path:
        guard_of(m, f"{path_text(path)}@{id(obj)}", obj, lambda owner: getattr(owner, name), path)
    return m.lift(value, path)


def captured_has(m: Machine, owner_value: Static, name: str) -> bool:
    """`hasattr(owner, name)` of a captured object, without running anything of the user's."""
    obj = owner_value.value
    found = captured_state.has_now(obj, name)
    if isinstance(obj, types.ModuleType | type):
        presence(m, obj, name, found)
    elif owner_value.path and not isinstance(obj, structure.PLAIN):
        text = f"{path_text(owner_value.path)}.{name}?@{id(obj)}"
        guard_of(m, text, obj, lambda owner: captured_state.has_now(owner, name))
    return found
