"""Branches: evaluate both sides of a test that is not static, and merge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graph_program.extract.ir import residual
from graph_program.extract.stage.caught import narrowed
from graph_program.extract.stage.exception_values import Caught
from graph_program.extract.stage.join_states import join_exits
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.path_ends import close_path, departures, rejoin
from graph_program.extract.stage.signals import Unreachable
from graph_program.extract.stage.state import Exit, State
from graph_program.extract.stage.values import NONE, Maybe, Static, Tensor, Value

RESULT = "<value>"
"""The pseudo local through which a branch of an expression gives its value."""


def branch(m: Machine, test: Value, body: Callable[[], None], orelse: Callable[[], None]) -> None:
    """Evaluate `body` where `test` holds and `orelse` where it does not."""
    if isinstance(test, Static):
        (body if test.value else orelse)()
        return
    loc, state, before = m.loc, m.live, departures(m)
    operand = m.operand(test)
    sides: list[list[residual.Stmt]] = []
    exits: list[Exit] = []
    place = m.node_loc
    for holds, side in ((True, body), (False, orelse)):
        m.state = state.copy()
        m.state.reach = None
        m.node_loc = place
        narrow(m.state, test, holds)
        with m.collect() as statements:
            try:
                side()
            except Unreachable:
                m.state = None
            if m.state is not None:
                exits.append(close_path(m))
        sides.append(statements)
    m.node_loc = place
    m.emit(residual.If(operand, sides[0], sides[1], loc=loc))
    m.state = join_exits(m, exits)
    rejoin(m, before, state.reach)


def raise_where(m: Machine, bad: Value, exception: type[BaseException], *message: Any) -> None:
    """Raise an exception where `bad` holds, in a branch: for what comes behind must not run then."""
    from graph_program.extract.stage import raising

    if isinstance(bad, Static):
        m.check(bad, exception, *message)
        return
    branch(m, bad, lambda: raising.fail(m, raising.with_message(exception, message)), lambda: None)
    if m.state is None:
        raise Unreachable


def narrow(state: State, test: Value, holds: bool) -> None:
    """What a test says, on the side where it `holds` or does not.

    `if best is not None:` makes `best` its value; so does the second half of
    `best is None or v < best`.  A comparison of sizes is a fact.
    """
    if not isinstance(test, Tensor):
        return
    if test.compares is not None:
        state.facts = state.facts.learn((test.compares if holds else test.compares.denied,))
    if test.denied is not None:
        narrow(state, test.denied, not holds)
    if test.implied is not None and test.implied[0] is holds:
        for part, has in test.implied[1]:
            narrow(state, part, has)
    for names in state.frames.values():
        for name, value in names.items():
            if isinstance(value, Maybe) and value.missing is test and value.absent == "none":
                names[name] = NONE if holds else value.value
            elif isinstance(value, Caught):
                names[name] = narrowed(value, test, holds)
    for ref, contents in state.heap.items():
        if isinstance(contents, dict) and any(isinstance(v, Maybe) and v.missing is test for v in contents.values()):
            state.heap[ref] = {k: _narrowed(v, test, holds) for k, v in contents.items()}


def _narrowed(value: Value, test: Value, holds: bool) -> Value:
    if isinstance(value, Maybe) and value.missing is test and value.absent == "none":
        return NONE if holds else value.value
    return value


def choose(m: Machine, test: Value, body: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
    """The value of one of two expressions; only the chosen one is evaluated."""
    if isinstance(test, Static):
        return (body if test.value else orelse)()
    assert m.frame is not None
    frame = m.frame.id

    def side(compute: Callable[[], Value]) -> Callable[[], None]:
        def run() -> None:
            value = compute()
            m.live.frames[frame][RESULT] = value

        return run

    outer = m.live.frames[frame].get(RESULT)
    branch(m, test, side(body), side(orelse))
    if m.state is None:
        raise Unreachable
    names = m.live.frames[frame]
    value = names.pop(RESULT)
    if outer is not None:
        names[RESULT] = outer
    return value
