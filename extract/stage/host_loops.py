"""Loops that the host drives: `for batch in loader`."""

from __future__ import annotations

from collections.abc import Callable

from graph_program.extract.ir import tree
from graph_program.extract.stage import host_code, host_types
from graph_program.extract.stage.assigned import assigned_in_target, assigned_names
from graph_program.extract.stage.exits import leave_if
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.signals import Unreachable
from graph_program.extract.stage.targets import assign
from graph_program.extract.stage.values import Host, Value


def host_loop(m: Machine, node: tree.For, iterable: Host) -> None:
    """A loop over what the host goes through: it tells each round whether there is one more."""
    from graph_program.extract.stage.loops import Body, graph_loop, live_at_end
    from graph_program.extract.stage.statements import run_body

    iterator = host_code.one(m, "iterate", iterable, text=f"iter({iterable.text})")

    def begin(label: str) -> None:
        m.node_loc = node.iter.loc
        item, there = host_types.following(m, iterator, iterable)
        leave_if(m, label, there, when=False)
        m.node_loc = node.target.loc
        assign(m, node.target, item())

    target = assigned_in_target(node.target)
    assigned, bound = assigned_names(node.body) | target, assigned_names(node.body, False) | target
    graph_loop(m, Body(assigned, bound, begin, lambda _: run_body(m, node.body), live_at_end(m, node)), node)


def each(m: Machine, iterable: Host, body: Callable[[Value], None], carried: frozenset[str]) -> None:
    """Run `body` for everything that the host goes through, in an expression."""
    from graph_program.extract.stage.loops import Body, graph_loop

    assert m.frame is not None
    iterator = host_code.one(m, "iterate", iterable, text=f"iter({iterable.text})")
    place, node = m.node_loc, tree.ExprStmt(tree.Constant(None, loc=m.node_loc), loc=m.node_loc)
    live, m.frame.live_now = m.frame.live_now, None
    items: list[Callable[[], Value]] = []

    def begin(label: str) -> None:
        m.node_loc = place
        item, there = host_types.following(m, iterator, iterable)
        leave_if(m, label, there, when=False)
        items[:] = [item]

    def run(_: object) -> None:
        body(items[0]())

    try:
        graph_loop(m, Body(carried, carried, begin, run, None), node)
    finally:
        m.frame.live_now = live
    if m.state is None:
        raise Unreachable
    m.node_loc = place
