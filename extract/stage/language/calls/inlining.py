"""Inlining: the body of a function, as a block that its `return`s leave; its names live in a frame of its own."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable

from graph_program.extract.ir import tree
from graph_program.extract.source.liveness import live_after
from graph_program.extract.source.tail_calls import tail_calls
from graph_program.extract.source.unsupported import refuse_construct
from graph_program.extract.stage.kinds import generators
from graph_program.extract.stage.language.calls import recursion
from graph_program.extract.stage.language.diagnosis import reveal
from graph_program.extract.stage.machine.checkpoint import Checkpoint
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.path_ends import ensure_reachable
from graph_program.extract.stage.machine.signals import TailRecursion
from graph_program.extract.stage.machine.state import RETURN, Frame
from graph_program.extract.stage.objects.argument_binding import bind
from graph_program.extract.stage.operations.code_ownership import is_library
from graph_program.extract.stage.paths.flow import exit_block
from graph_program.extract.stage.values.values import NONE, Value


@entries.inline.given
def inline(
    m: Machine,
    function: tree.Function,
    python: types.FunctionType | None,
    scope: Frame | None,
    defaults: dict[str, Value],
    args: list[Value],
    keywords: dict[str, Value],
    tail: bool = False,
    at_yield: Callable[[Value], None] | None = None,
) -> Value:
    if function.is_async or (function.is_generator and at_yield is None):
        raise refuse_construct("async_function" if function.is_async else "generator", m.loc)
    if any(map(generators.is_generator, (*args, *keywords.values()))) and not (python and is_library(python)):
        raise generators.kept(m)  # functions of a library go through them at once
    site = dataclasses.replace(m.loc)  # each call has a place of its own, by which its code is told apart
    frame = Frame(function, scope, python, site, live_after=live_after(function), caller=m.frame, tail=tail)
    frame.at_yield = at_yield
    names = bind(m, function, args, keywords, defaults)
    recursion.enter(m, frame, names)
    state = m.live
    state.frames[frame.id] = names
    outer, m.frame = m.frame, frame
    place = m.node_loc
    try:
        run_function_body(m, function, frame)
    finally:
        m.frame = outer
        m.node_loc = place
    ensure_reachable(m)
    result = m.live.frames[frame.id].pop(RETURN, NONE)
    if not frame.escapes:
        del m.live.frames[frame.id]
    return result


def run_function_body(m: Machine, function: tree.Function, frame: Frame) -> None:
    """The statements of a function, as a block that `return` leaves."""
    label = m.fresh(f"return_{function.name}" if function.name.isidentifier() else "return")
    frame.labels[RETURN] = label
    frame.tail_calls = tail_calls(function)
    reveal.answer_parameters(m, function)
    if not frame.tail_calls:
        with exit_block(m, label, function):
            recursion.run_once(m, frame)
        return
    checkpoint = Checkpoint(m)
    try:
        with exit_block(m, label, function):
            recursion.run_once(m, frame)
    except TailRecursion as found:
        if found.frame is not frame:
            raise
        checkpoint.restore()
        with exit_block(m, label, function):
            recursion.run_as_loop(m, frame, label)
