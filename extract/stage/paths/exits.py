"""Leaving a block, and what comes behind it: the paths that leave it join at its end."""

from __future__ import annotations

from typing import Any

from graph_program.extract.ir import residual, tree
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.path_ends import append, close_path, departures, leave, rejoin
from graph_program.extract.stage.machine.signals import Unreachable
from graph_program.extract.stage.paths.joins.join_states import join_exits
from graph_program.extract.stage.paths.narrowing import narrow
from graph_program.extract.stage.values.questions import is_known
from graph_program.extract.stage.values.values import Value


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
