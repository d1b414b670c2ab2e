"""Branches: evaluate both sides of a test that is not static, and merge."""

from __future__ import annotations

from collections.abc import Callable

from graph_program.extract.ir import residual
from graph_program.extract.stage.join import join_exits
from graph_program.extract.stage.machine import Exit, Machine, Unreachable
from graph_program.extract.stage.values import Static, Value

RESULT = "<value>"
"""The pseudo local through which a branch of an expression gives its value."""


def branch(m: Machine, test: Value, body: Callable[[], None], orelse: Callable[[], None]) -> None:
    """Evaluate `body` where `test` holds and `orelse` where it does not."""
    if isinstance(test, Static):
        (body if test.value else orelse)()
        return
    loc, state = m.loc, m.live
    operand = m.operand(test)
    sides: list[list[residual.Stmt]] = []
    exits: list[Exit] = []
    place = m.node_loc
    for side in (body, orelse):
        m.state = state.copy()
        m.node_loc = place
        with m.collect() as statements:
            try:
                side()
            except Unreachable:
                m.state = None
            if m.state is not None:
                exits.append(m.end_path())
        sides.append(statements)
    m.node_loc = place
    m.emit(residual.If(operand, sides[0], sides[1], loc=loc))
    m.state = join_exits(m, exits)


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
