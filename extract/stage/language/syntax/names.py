"""Names: locals of the frame, of enclosing frames, captured names, builtins."""

from __future__ import annotations

from graph_program.extract.ir import tree
from graph_program.extract.stage.host.steps import host_code, host_scopes
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.state import Frame
from graph_program.extract.stage.objects.live_reads import captured
from graph_program.extract.stage.operations.known_and_truth import unbound_text
from graph_program.extract.stage.paths.several.one_of_several import read
from graph_program.extract.stage.values.questions import is_partly_set
from graph_program.extract.stage.values.values import UNBOUND, Closure, Value


def read_name(m: Machine, name: str) -> Value:
    """The value of a name, where it stands."""
    frame = owner(m, name)
    if frame is None:
        return captured(m, name)
    table = m.live.frames.get(frame.id)
    value = UNBOUND if table is None else table.get(name, UNBOUND)
    if value is UNBOUND:
        return unbound(m, name, frame)
    if is_partly_set(value) and is_free(m, name, frame):
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
    if any(number == frame.id and name in names for number, names in m.loops.setting):
        free = is_free(m, name, frame)
        cls, text = (NameError, free_text(name)) if free else (UnboundLocalError, unbound_text(name))
        m.raise_(cls, (text,))
    if is_free(m, name, frame):
        raise m.error("GP306", free_text(name), hint="assign it before the inner function is called")
    raise m.error("GP306", unbound_text(name), hint="assign it on every path that leads here")


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
    frame = owner(m, name)
    if frame is None:
        raise m.error(
            "GP335",
            f"this program writes to '{name}', which it does not own",
            hint="return the new value, and assign it outside",
        )
    host_scopes.note(m, frame.id, name, value)
    table = m.live.frames[frame.id]
    if value is UNBOUND and not host_scopes.has_been(m, frame.id, name):
        table.pop(name, None)
    else:
        table[name] = value


def closure(m: Machine, function: tree.Function) -> Closure:
    """A nested function or lambda as a value; its defaults are evaluated now."""
    frame = m.frame
    while frame is not None:
        frame.escapes = True
        frame = frame.parent
    defaults = {p.name: entries.evaluate(m, p.default) for p in function.params if p.default is not None}
    return Closure(function, m.frame, defaults)
