"""Going through an iterable of computed length inside an expression: a loop that has no statement.

    [f(r) for r in x if r.sum() > 0]        any(test(v) for v in x)
    list(map(f, x))                         sum(values)

A list is made by appending to one without a name; a value is carried by a name that no program can have.
"""

from __future__ import annotations

from collections.abc import Callable

from graph_program.extract.ir import tree
from graph_program.extract.stage.lists import columns, growing_lists
from graph_program.extract.stage.machine import state
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.decisions import UNROLLED
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.options import MAX_UNROLL
from graph_program.extract.stage.machine.path_ends import ensure_reachable, leave, reaching
from graph_program.extract.stage.machine.signals import Unreachable
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations import iteration, objects
from graph_program.extract.stage.operations.iteration import Source
from graph_program.extract.stage.operations.known_and_truth import truth_value
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.paths.flow import exit_block
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.layouts import Contents
from graph_program.extract.stage.values.values import Static, Tuple, Value


def each(m: Machine, source: Source, body: Callable[[Value], None], carried: frozenset[str] = frozenset()) -> None:
    """Run `body` for every element, as a loop of the graph that carries some names."""
    if source.most is not None:
        iteration.checked_rounds(
            m, tree.ExprStmt(tree.Constant(None, loc=m.node_loc), loc=m.node_loc), source, body, ()
        )
        ensure_reachable(m)
        return
    if source.host is not None:
        host_entries.each(m, source.host, body, carried)
        return
    number = next(m.naming.counter)
    if source.items is not None and source.count is not None and source.count <= MAX_UNROLL:
        m.loops.unrollable[number] = m.loc
        if m.loc in m.decided[UNROLLED]:
            for one in source.items():
                body(one)
            return
    held = f"<iterated {number}>"
    m.locals[held] = Tuple(source.arrays)
    live, m.current_frame.live_now = m.current_frame.live_now, None
    place = m.node_loc

    def run(counter: Value) -> None:
        m.node_loc = place
        body(source.item(counter))

    try:
        loop = state.Body(carried, carried, lambda label: None, run, None, m.fresh("k"), source.trips())
        entries.graph_loop(m, loop, tree.ExprStmt(tree.Constant(None, loc=place), loc=place), number)
    finally:
        m.current_frame.live_now = live
    ensure_reachable(m)
    m.node_loc = place
    m.locals.pop(held, None)


def collected(m: Machine, source: Source) -> Contents:
    """The elements as the contents of a list."""
    return gathered(m, lambda give: each(m, source, give))


def gathered(m: Machine, produce: Callable[[Callable[[Value], None]], None]) -> Contents:
    """The contents of a list of all values that `produce` gives."""
    ref = objects.new_list(m, [])
    name = f".list {next(m.naming.counter)}"
    m.locals[name] = ref

    def give(value: Value) -> None:
        m.live.heap[ref] = columns.joined(m, [growing_lists.contents(m, ref), (value,)])

    produce(give)
    m.locals.pop(name, None)
    return growing_lists.contents(m, ref)


def mapped(m: Machine, whole: Growing, function: Callable[[Value], Value]) -> Contents:
    """The results of a function for each element, as the contents of a list."""
    source = growing_lists.source_of(m, lambda: whole)
    return gathered(m, lambda give: each(m, source, lambda v: give(function(v))))


def folded(m: Machine, source: Source, start: Value, step: Callable[[Value, Value], Value]) -> Value:
    """`step(... step(step(start, first), second) ..., last)`."""
    frame, name = m.current_frame.id, f".total {next(m.naming.counter)}"
    m.live.frames[frame][name] = start

    def body(value: Value) -> None:
        m.live.frames[frame][name] = step(m.live.frames[frame][name], value)

    each(m, source, body, frozenset([name]))
    return m.live.frames[frame].pop(name)


def quantified(m: Machine, source: Source, name: str, test: Callable[[Value], Value]) -> Value:
    """`any` or `all` of a test; what comes behind the element that decides is not looked at."""
    return decided(m, name, lambda tell: each(m, source, lambda v: tell(test(v)), frozenset()))


def decided(m: Machine, name: str, produce: Callable[[Callable[[Value], None]], None]) -> Value:
    """`any` or `all` of the truths that `produce` tells, until one decides."""
    frame, found = m.current_frame.id, f".found {next(m.naming.counter)}"
    m.live.frames[frame][found] = Static(name == "all")
    label = m.fresh(name)
    node = tree.Constant(None, loc=m.node_loc)

    def tell(value: Value) -> None:
        test = truth_value(m, value)
        decides = test if name == "any" else booleans.negate(m, test)

        def stop() -> None:
            m.live.frames[frame][found] = Static(name == "any")
            leave(m, label)
            raise Unreachable

        flow.branch(m, decides, stop, lambda: None)
        ensure_reachable(m)

    with exit_block(m, label, node), reaching(m):
        produce(tell)
    ensure_reachable(m)
    return m.live.frames[frame].pop(found)


def first(m: Machine, default: Value | None, produce: Callable[[Callable[[Value], None]], None]) -> Value:
    """The first value that `produce` tells, else the default or StopIteration."""
    frame, found = m.current_frame.id, f".first {next(m.naming.counter)}"
    label = m.fresh("next")

    def tell(value: Value) -> None:
        m.live.frames[frame][found] = value
        leave(m, label)
        raise Unreachable

    with exit_block(m, label, tree.Constant(None, loc=m.node_loc)), reaching(m):
        produce(tell)
        if default is None:
            m.raise_(StopIteration, None)
        m.live.frames[frame][found] = default
    ensure_reachable(m)
    return m.live.frames[frame].pop(found)


def best(m: Machine, source: Source, better: Callable[[Value, Value], Value]) -> Value:
    """The element that `better(best, next)` leaves; the first one is looked at already."""
    return folded(m, _behind_first(m, source, source.item), source.item(Static(0)), better)


def best_position(m: Machine, source: Source, better: Callable[[Value, Value], Value]) -> Value:
    """The position that `better(best, next)` leaves; there is at least one."""
    return folded(m, _behind_first(m, source, lambda k: k), Static(0), better)


def _behind_first(m: Machine, source: Source, item: Callable[[Value], Value]) -> Source:
    """What stands at all positions but the first."""
    return Source(
        lambda: arithmetic.arithmetic(m, "-", source.trips(), Static(1)),
        lambda k: item(arithmetic.arithmetic(m, "+", k, Static(1))),
    )
