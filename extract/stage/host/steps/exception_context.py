"""What is being handled: host code in a handler finds it as the current exception, and what it raises comes of that.

    except KeyError as error:               handler: host[1](error)
        logging.exception("lost")   ->               # try: raise error
                                                     # except BaseException: logging.exception("lost")

An exception of the graph's own is made on the host for that: where the handler begins, in case that some of its
host code can ask for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.ir.host import ERROR
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.kinds import caught
from graph_program.extract.stage.machine.checkpoint import Checkpoint
from graph_program.extract.stage.machine.decisions import STEPS
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.paths.several import each_case
from graph_program.extract.stage.values.exception_values import Case, Caught, ExceptionObject, Handled, inside
from graph_program.extract.stage.values.questions import is_just
from graph_program.extract.stage.values.values import Host, Static, Value

NEVER_ASKED = frozenset({ERROR, "keep", "tell"})
"""Kinds of steps that run no code which could ask for the current exception, nor raise anything."""


@contextmanager
def handling(m: Machine, what: Caught) -> Iterator[None]:
    """Evaluate a handler."""
    m.tries.handling.append(_handled(m, what))
    try:
        yield
    finally:
        m.tries.handling.pop()


def _handled(m: Machine, what: Caught) -> Handled:
    if not m.decided[STEPS]:
        return Handled(what)
    before = Checkpoint(m)
    try:
        made = each_case.of_each(m, what.cases, lambda error: object_of(m, error, what.outside))
    except GraphProgramError as refusal:
        before.restore()
        return Handled(what, None, refusal)
    m.state = before.state
    assert isinstance(made, Host)
    return Handled(what, made)


def current(m: Machine, kind: str, args: Sequence[Value]) -> Host | None:
    """The exception that a step can ask for, if there is one."""
    shows = kind == "call" and is_just(args[0], print)
    if not m.tries.handling or kind in NEVER_ASKED or shows:
        return None
    return object_handled(m)


def object_handled(m: Machine) -> Host:
    """What is being handled, on the host."""
    handled = m.tries.handling[-1]
    if handled.refusal is not None:
        raise handled.refusal
    assert handled.object is not None
    return handled.object


def object_of(m: Machine, error: ExceptionObject, outside: int = 0) -> Host:
    """An exception as an object on the host; `outside`: how many calls around have not seen it yet."""
    if error.host is not None:
        return error.host
    for handled in reversed(m.tries.handling):
        if handled.what.has(error) and handled.object is not None:
            return handled.object
    return _made(m, error, outside)


def _made(m: Machine, error: ExceptionObject, outside: int) -> Host:
    """An exception of the graph's own on the host, as it was raised."""
    behind = _behind(m, error)
    fields = {} if error.instance is None else dict(m.live.heap[error.instance])
    args = caught.made_of(m, error)
    fields.pop("args", None)
    keywords = dict(error.keywords) if error.instance is None else fields
    if error.raised is not None:
        behind = {"place": Static(inside(error.raised, outside)), **behind}
    words = " ".join([*behind, *(["fields"] if error.instance is not None else [])])
    given = [Static(error.cls), *behind.values(), *args]
    (made,), _ = host_code.step(
        m, ERROR, given, keywords, detail=words, text=f"{error.cls.__name__}(...)", explicit=True
    )
    return replace(made, note=error.cls)


def _behind(m: Machine, error: ExceptionObject) -> dict[str, Value]:
    """Its cause and its context on the host."""
    found: dict[str, Value] = {}
    context = error.context
    if context is not None:
        found["context"] = each_case.of_each(m, context.cases, lambda one: object_of(m, one, context.outside))
    if isinstance(error.cause, ExceptionObject):
        same = context is not None and len(context.cases) == 1 and context.has(error.cause)
        found["cause"] = found["context"] if same else object_of(m, error.cause)
    elif error.cause is not None:
        found["cause"] = error.cause
    return found


@entries.in_context.given
def in_context(m: Machine, error: ExceptionObject) -> ExceptionObject:
    if error.raised is None and error.context is not None:
        return error
    if not m.tries.handling or any(handled.what.has(error) for handled in m.tries.handling):
        return error
    return replace(error, context=m.tries.handling[-1].what)


def caused(m: Machine, error: ExceptionObject, cause: ExceptionObject, what: Caught) -> ExceptionObject:
    """`raise error from` one of what was caught; which one it is then says also what is being handled."""
    if m.tries.handling and m.tries.handling[-1].what.has(cause):
        return replace(error, cause=cause, context=replace(what, cases=(Case((), cause),)))
    raised = None if cause.raised is None else inside(cause.raised, what.outside)
    return replace(error, cause=replace(cause, raised=raised))
