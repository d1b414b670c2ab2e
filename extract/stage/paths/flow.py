"""Branches: evaluate both sides of a test that is not static, and merge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graph_program.extract.ir import residual
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.path_ends import close_path, departures, ensure_reachable, reaching, rejoin
from graph_program.extract.stage.machine.state import Exit
from graph_program.extract.stage.paths import structural_parameters
from graph_program.extract.stage.paths.joins.join_states import join_exits
from graph_program.extract.stage.paths.narrowing import Place, forget, narrow
from graph_program.extract.stage.values import exception_values
from graph_program.extract.stage.values.questions import is_known, is_optional
from graph_program.extract.stage.values.values import Value

RESULT = "<value>"
"""The pseudo local through which a branch of an expression gives its value."""


@entries.branch.given
def branch(m: Machine, test: Value, body: Callable[[], None], orelse: Callable[[], None]) -> None:
    if is_known(test):
        (body if test.value else orelse)()
        return
    loc, state, before = m.loc, m.live, departures(m)
    operand = m.operand(test)
    sides: list[list[residual.Stmt]] = []
    exits: list[Exit] = []
    told: list[dict[Place, Value]] = []
    place = m.node_loc
    for holds, side in ((True, body), (False, orelse)):
        m.state = state.copy()
        m.state.reach = None
        m.node_loc = place
        said: dict[Place, Value] = {}
        narrow(m.state, test, holds, said)
        structural_parameters.take_side(m, operand, holds)
        with m.collect() as statements:
            with reaching(m):
                side()
            if m.state is not None:
                exits.append(close_path(m))
                told.append(said)
        sides.append(statements)
    m.node_loc = place
    m.emit(residual.If(operand, sides[0], sides[1], loc=loc))
    forget(state, [(said, exit_.state) for said, exit_ in zip(told, exits, strict=True)])
    m.state = join_exits(m, exits)
    rejoin(m, before, state.reach)


def raise_where(m: Machine, bad: Value, exception: type[BaseException], *message: Any) -> None:
    """Raise an exception where `bad` holds, in a branch: for what comes behind must not run then."""
    for i, part in enumerate(message):
        if isinstance(part, tuple) and is_optional(part[0]):
            missing, (before, behind) = part[0].missing, (message[:i], message[i + 1 :])
            raise_where(m, booleans.both(m, bad, missing), exception, *before, "None", *behind)
            there = booleans.both(m, bad, booleans.negate(m, missing))
            return raise_where(m, there, exception, *before, (part[0].value, *part[1:]), *behind)
    if is_known(bad):
        return m.check(bad, exception, *message)
    branch(m, bad, lambda: entries.raise_one(m, exception_values.with_message(exception, message)), lambda: None)
    ensure_reachable(m)
    return None


@entries.choose.given
def choose(m: Machine, test: Value, body: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
    if is_known(test):
        return (body if test.value else orelse)()
    frame = m.current_frame.id

    def side(compute: Callable[[], Value]) -> Callable[[], None]:
        def run() -> None:
            value = compute()
            m.live.frames[frame][RESULT] = value

        return run

    outer = m.live.frames[frame].get(RESULT)
    branch(m, test, side(body), side(orelse))
    ensure_reachable(m)
    names = m.live.frames[frame]
    value = names.pop(RESULT)
    if outer is not None:
        names[RESULT] = outer
    return value
