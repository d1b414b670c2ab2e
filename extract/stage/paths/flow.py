"""Branches: both sides of a test that is not static, merged; blocks: the paths that leave one join at its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graph_program.extract.ir import residual, tree
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.path_ends import (
    append,
    close_path,
    departures,
    ensure_reachable,
    leave,
    reaching,
    rejoin,
)
from graph_program.extract.stage.machine.signals import Unreachable
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


def leave_if(m: Machine, label: str, test: Value, when: bool = True) -> None:
    """Leave the block `label` where `test` is `when`."""
    if is_known(test):
        if bool(test.value) is when:
            leave(m, label)
            raise Unreachable
        return
    outer = m.live
    with m.collect() as leaving:
        m.state = outer.copy()
        leave(m, label)
    m.state = outer
    narrow(outer, test, not when)
    outer.reach = None
    sides: tuple[list[residual.Stmt], list[residual.Stmt]] = (leaving, []) if when else ([], leaving)
    m.emit(residual.If(m.operand(test), *sides, loc=m.loc))


class exit_block:
    """Evaluate into a residual `Block` whose exits join after it."""

    def __init__(self, m: Machine, label: str, node: tree.Node):
        self.m, self.label, self.node = m, label, node

    def __enter__(self) -> None:
        self.before, self.reach = departures(self.m), self.m.live.reach
        self.m.pending[self.label] = []
        self.outer, self.m.out = self.m.out, []

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        m = self.m
        inner, m.out = m.out, self.outer
        exits = m.pending.pop(self.label)
        if kind is not None:
            return
        if m.state is None and len(exits) == 1 and exits[0].out is inner and isinstance(inner[-1], residual.Leave):
            inner.pop()  # the only way out is the end
            m.out.extend(inner)
            m.state = exits[0].state
            rejoin(m, self.before, self.reach)
            return
        left = bool(exits)
        if m.state is not None:
            m.out, outer = inner, m.out
            exits.append(close_path(m))
            m.out = outer
        if left:
            m.emit(residual.Block(self.label, inner, loc=self.node.loc))
        else:
            append(m, inner)
        m.state = join_exits(m, exits)
        rejoin(m, self.before, self.reach)
