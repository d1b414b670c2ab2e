"""Names: locals of the frame, of enclosing frames, captured names, builtins."""

from __future__ import annotations

import sys
import types

from graph_program.extract import diagnostics
from graph_program.extract.ir.paths import path_text
from graph_program.extract.source.closure import lookup
from graph_program.extract.stage.host.steps import host_code, host_scopes
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.state import Frame
from graph_program.extract.stage.objects import captured_state, live_reads
from graph_program.extract.stage.operations.known_and_truth import unbound_text
from graph_program.extract.stage.paths.one_of_several import read
from graph_program.extract.stage.values.values import UNBOUND, Maybe, Static, Unbound, Value


def read_name(m: Machine, name: str) -> Value:
    """The value of a name, where it stands."""
    frame = owner(m, name)
    if frame is None:
        return captured(m, name)
    table = m.live.frames.get(frame.id)
    value = UNBOUND if table is None else table.get(name, UNBOUND)
    if isinstance(value, Unbound):
        return unbound(m, name, frame)
    if isinstance(value, Maybe) and value.absent == "unbound" and is_free(m, name, frame):
        m.check(value.missing, NameError, free_text(name))
        value = value.value
    m.hint_name = name
    result = host_code.there(m, read(m, value))
    if result is not value and table is not None:
        table[name] = result
    return result


def unbound(m: Machine, name: str, frame: Frame) -> Value:
    """A local that is certainly not set: refused if every run gets here, else the path ends with Python's error.

    In a loop whose earlier rounds may set it, nothing is said of it before.
    """
    if any(number == frame.id and name in names for number, names in m.setting):
        free = is_free(m, name, frame)
        cls, text = (NameError, free_text(name)) if free else (UnboundLocalError, unbound_text(name))
        m.raise_(cls, (text,))
    if is_free(m, name, frame):
        raise m.error(
            "GP306",
            free_text(name),
            cls=diagnostics.ProgramNameError,
            hint="assign it before the inner function is called",
        )
    raise m.error(
        "GP306",
        unbound_text(name),
        cls=diagnostics.ProgramNameError,
        hint="assign it on every path that leads here",
    )


def is_free(m: Machine, name: str, frame: Frame) -> bool:
    """Whether a local of a frame is read by a function, or a comprehension, inside it."""
    return frame is not m.frame or (bool(frame.scopes) and name not in frame.scopes[-1])


def free_text(name: str) -> str:
    """Python's message for a variable of an enclosing function that is not set."""
    return f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope"


def owner(m: Machine, name: str) -> Frame | None:
    """The frame whose local a name is; None for captured names, globals and builtins."""
    frame = m.frame
    while frame is not None:
        function = frame.function
        if name in function.locals:
            return frame
        if name in function.globals:
            return None
        frame = frame.parent
    return None


def assign_name(m: Machine, name: str, value: Value) -> None:
    """`name = value`."""
    assert m.frame is not None
    frame = owner(m, name)
    if frame is None:
        raise m.error(
            "GP335",
            f"this program writes to '{name}', which it does not own",
            hint="return the new value, and assign it outside",
        )
    host_scopes.note(m, frame.id, name, value)
    table = m.live.frames[frame.id]
    if isinstance(value, Unbound) and not host_scopes.has_been(m, frame.id, name):
        table.pop(name, None)
    else:
        table[name] = value


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
        raise m.error(
            "GP305",
            str(error),
            cls=diagnostics.ProgramNameError,
            hint="define it before the program is first called",
        ) from None
    if ref.kind != "builtin":
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
        raise m.error("GP307", str(error), cls=diagnostics.ProgramAttributeError) from None
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
    elif owner_value.path and not isinstance(obj, captured_state.PLAIN):
        text = f"{path_text(owner_value.path)}.{name}?@{id(obj)}"
        live_reads.guard_of(m, text, obj, lambda owner: captured_state.has_now(owner, name))
    return found
