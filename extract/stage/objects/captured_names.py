"""Captured names, and attributes of captured objects as they are: read now, and guarded."""

from __future__ import annotations

import sys
import types

from graph_program.extract.ir.paths import path_text
from graph_program.extract.source.closure import lookup
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.state import Frame
from graph_program.extract.stage.objects import captured_state, live_reads
from graph_program.extract.stage.operations.code_ownership import is_library
from graph_program.extract.stage.values import structure
from graph_program.extract.stage.values.values import Static, Value


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
        live_reads.guard(m, f"{function.__module__}.{name}", ref.read, value)
    return m.lift(value, (name,))


def captured_attribute(m: Machine, owner_value: Static, name: str) -> Value:
    """`owner.name` of a captured object, class or module."""
    obj = owner_value.value
    if obj is sys and name in live_reads.STREAMS:
        return live_reads.stream(m, name)
    try:
        value = getattr(obj, name)
    except AttributeError as error:
        raise m.error("GP307", str(error)) from None
    captured_state.note_origin(m, owner_value, name, value)
    path = (*owner_value.path, f".{name}") if owner_value.path else ()
    if isinstance(obj, types.ModuleType | type):
        live_reads.attribute(m, obj, name, value)
    elif callable(value) and name not in getattr(obj, "__dict__", ()):
        live_reads.member_of(m, obj, name)
    elif path:
        live_reads.guard_of(m, f"{path_text(path)}@{id(obj)}", obj, lambda owner: getattr(owner, name), path)
    return m.lift(value, path)


def captured_has(m: Machine, owner_value: Static, name: str) -> bool:
    """`hasattr(owner, name)` of a captured object, without running anything of the user's."""
    obj = owner_value.value
    found = captured_state.has_now(obj, name)
    if isinstance(obj, types.ModuleType | type):
        live_reads.presence(m, obj, name, found)
    elif owner_value.path and not isinstance(obj, structure.PLAIN):
        text = f"{path_text(owner_value.path)}.{name}?@{id(obj)}"
        live_reads.guard_of(m, text, obj, lambda owner: captured_state.has_now(owner, name))
    return found
