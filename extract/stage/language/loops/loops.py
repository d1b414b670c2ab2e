"""Loops: the stable state at a loop's head, unrolling, peeling.

    i = 0                        i := 0
    while i < n:        ->       loop:
        i += 1                       if not less(i, n): leave
                                     t = add(i, 1)
                                     i := t

The state at the head must hold for every round.  The evaluator guesses it (names assigned in the
loop become variables, everything else is as on entry), evaluates the body, and where the state at
the end of the body does not fit, merges and evaluates again; dims that differ become unknown, numbers
get more classes, so that this ends.  Only the last round's statements are kept.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from graph_program.extract.diagnostics import GraphProgramError, Note
from graph_program.extract.ir import residual, tree
from graph_program.extract.source.assigned_names import assigned_and_bound, assigned_in_expr, assigned_in_target
from graph_program.extract.stage.host.steps.host_loops import host_loop
from graph_program.extract.stage.kinds import explicit_iterators, generators
from graph_program.extract.stage.language.loops.unrolling import checked_rounds, owners, round_of, unroll, unroll_items
from graph_program.extract.stage.machine.checkpoint import Checkpoint
from graph_program.extract.stage.machine.decisions import PEELED, UNROLLED
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.options import MAX_UNROLL
from graph_program.extract.stage.machine.path_ends import close_path, departures, rejoin
from graph_program.extract.stage.machine.signals import (
    ListGrows,
    PeelingFails,
    PeelNeeded,
    SplitNeeded,
    StaticNeeded,
    Unreachable,
)
from graph_program.extract.stage.machine.state import Body, Exit, State
from graph_program.extract.stage.numbers.arithmetic import arithmetic, compare
from graph_program.extract.stage.operations import iteration, strict_zip
from graph_program.extract.stage.operations.known_and_truth import settled
from graph_program.extract.stage.paths import loop_heads, splitting
from graph_program.extract.stage.paths.flow import exit_block, leave_if
from graph_program.extract.stage.paths.iterator_exhaustion import refuse_second_round
from graph_program.extract.stage.paths.joins.join import Join
from graph_program.extract.stage.paths.joins.join_states import assign_state, assigned, join_exits, set_sources
from graph_program.extract.stage.paths.joins.strategies import learn_lengths
from graph_program.extract.stage.values import structure
from graph_program.extract.stage.values.questions import is_partly_set
from graph_program.extract.stage.values.values import UNBOUND, Static, Tensor, Tuple, Value, births, size_of
from graph_program.extract.types.dims import Dim, dim
from graph_program.extract.types.tensors.tensor_type import PY_INT

MAX_ROUNDS = 12
MAX_PEEL = 2


def run_while(m: Machine, node: tree.While) -> None:
    """`while test: body`."""

    def begin(label: str) -> None:
        m.node_loc = node.test.loc
        test = entries.truth_of(m, node.test)
        leave_if(m, label, test, when=False)

    names = assigned_and_bound(node.body, assigned_in_expr(node.test))
    live = loop_heads.live_at_end(m, node)
    graph_loop(m, Body(*names, begin, lambda _: entries.run_body(m, node.body), live), node)


def run_for(m: Machine, node: tree.For) -> None:
    """`for target in iter: body`."""
    m.node_loc = node.iter.loc
    unfolded = generators.unfolded(node)
    if unfolded is not None:
        with generators.in_the_frame(m, unfolded):
            run_for(m, unfolded)
        return
    before = Checkpoint(m)
    iterable = host_entries.with_text_there(m, iteration.begun(m, settled(m, entries.evaluate(m, node.iter))))
    done = generators.gone_through_by(m, node, iterable, before)
    if structure.is_host(iterable) and not isinstance(iterable, Tuple):
        host_loop(m, node, iterable)
        return
    stepped = explicit_iterators.to_step(m, node, iterable)
    if stepped is not None:
        explicit_iterators.run_loop(m, node, stepped)
        return
    iterable, end = strict_zip.checked_at_end(m, iterable)
    run_over(m, node, iterable)
    done()
    if m.state is not None:
        m.node_loc = node.iter.loc
        end()


def run_over(m: Machine, node: tree.For, iterable: Value) -> None:
    """The rounds of a `for` over an iterable."""
    source = iteration.iterate(m, iterable)
    m.node_loc = node.loc
    if source.items is not None and source.unroll:
        count = len(source.items()) if source.count is None else source.count
        unroll(m, node, lambda i: source.item(Static(i)), count, owners(iterable))
        return
    loop = next(m.naming.counter)
    if source.most is not None:
        checked_rounds(m, node, source, lambda item: round_of(m, node, item), owners(iterable))
        return
    if source.items is not None and source.count is not None and source.count <= MAX_UNROLL:
        m.loops.unrollable[loop] = m.loc
        if m.loc in m.decided[UNROLLED]:
            m.note(Note(m.loc, f"for loop unrolled {source.count} times: a list grows in it"))
            unroll_items(m, node, source.items())
            return
        m.loops.unrolling.add(loop)
    try:
        checkpoint = Checkpoint(m)
        counted_loop(m, node, source, loop)
    except (StaticNeeded, ListGrows) as needed:
        ours = needed.loop == loop if isinstance(needed, ListGrows) else loop in needed.value.needs
        if not ours or source.items is None:
            raise
        if source.count is None or source.count > MAX_UNROLL:
            raise getattr(needed, "instead", None) or needed.error from None
        checkpoint.restore()
        m.node_loc = node.loc
        why = "a list grows in it" if isinstance(needed, ListGrows) else "its variable is needed statically"
        m.note(Note(m.loc, f"for loop unrolled {source.count} times: {why}"))
        m.loops.unrolling.discard(loop)
        unroll_items(m, node, source.items())
    finally:
        m.loops.unrolling.discard(loop)


def counted_loop(m: Machine, node: tree.For, source: iteration.Source, loop: int) -> None:
    """A loop whose number of rounds is known when it starts."""

    def run(counter: Value) -> None:
        m.node_loc, began = node.target.loc, next(births)
        round_of(m, node, source.item(counter), began)

    names = assigned_and_bound(node.body, assigned_in_target(node.target))
    body = Body(*names, lambda label: None, run, loop_heads.live_at_end(m, node), m.fresh("k"), source.trips())
    held = f"<iterated {loop}>"
    m.locals[held] = Tuple(source.arrays)
    graph_loop(m, body, node, loop)
    if m.state is not None:
        m.locals.pop(held, None)


@entries.graph_loop.given
def graph_loop(m: Machine, body: Body, node: tree.Node, loop: int | None = None) -> None:
    loop = next(m.naming.counter) if loop is None else loop
    checkpoint, began = Checkpoint(m), next(births)
    m.loops.setting.append((m.frame.id if m.frame else 0, body.assigned))
    try:
        peeling(m, body, node, loop, 0)
    except (PeelingFails, SplitNeeded) as failure:
        if failure.loop != loop if isinstance(failure, PeelingFails) else failure.selector.born < began:
            raise
        checkpoint.restore()
        typed_loop(m, body, node, loop, failure.error)
    finally:
        m.loops.setting.pop()


def typed_loop(m: Machine, body: Body, node: tree.Node, loop: int, error: GraphProgramError) -> None:
    """A loop that carries values of several types; `error` is what is wrong if that does not help."""
    rest = _rest_of(m, loop)
    try:
        _graph_loop(m, body, node, rest, typed=True)
    except PeelNeeded as needed:
        if needed.loop != rest or isinstance(needed, ListGrows):
            raise
        raise error from None


def peeling(m: Machine, body: Body, node: tree.Node, loop: int, peeled: int, first: int | None = None) -> None:
    """Emit a loop, after a round where the types need it; `first` is the loop's number before any was peeled."""
    first = loop if first is None else first
    checkpoint = Checkpoint(m)
    try:
        _graph_loop(m, body, node, loop)
    except PeelNeeded as needed:
        if needed.loop != loop or isinstance(needed, ListGrows):
            raise
        if peeled >= MAX_PEEL:
            raise PeelingFails(first, needed.error) from None
        checkpoint.restore()
        m.note(Note(m.loc, f"one round peeled: {needed.error.diagnostic.message}"))
        peel(m, body, node, loop, peeled, first)


def peel(m: Machine, body: Body, node: tree.Node, loop: int, peeled: int, first: int) -> None:
    """One round in front of the loop."""
    label, reach = m.fresh("peeled"), m.live.reach
    with exit_block(m, label, node):
        try:
            if body.trips is not None and not certainly_positive(m, body.trips):
                leave_if(m, label, compare(m, "<=", body.trips, Static(0)))
            body.begin(label)
            m.live.reach = first_reach(m, reach, body.trips)
            body.run(Static(0))
        except Unreachable:
            pass
        if m.state is not None:
            peeling(m, _rest(m, body), node, _rest_of(m, loop), peeled + 1, first)


def _rest_of(m: Machine, loop: int) -> int:
    """A number for what is left of a loop, which is unrolled as the loop is."""
    rest = next(m.naming.counter)
    if loop in m.loops.unrollable:
        m.loops.unrollable[rest] = m.loops.unrollable[loop]
    return rest


def _rest(m: Machine, body: Body) -> Body:
    """The loop after its first round."""
    if body.trips is None:
        return body
    run = body.run
    trips = arithmetic(m, "-", body.trips, Static(1))
    return replace(body, run=lambda k: run(arithmetic(m, "+", k, Static(1))), counter=m.fresh("k"), trips=trips)


def _graph_loop(m: Machine, body: Body, node: tree.Node, loop: int, typed: bool = False) -> None:
    loc, entry_state = m.loc, m.live
    needs = frozenset() if body.retry is None else frozenset([body.retry])
    place = node.loc.within(m.frame.call if m.frame else None)
    join = Join(m, loop, place=place, since=next(births), needs=needs, typed=typed)
    frame = m.frame.id if m.frame else 0
    held = {name for name in entry_state.frames.get(frame, {}) if name.startswith("<")}
    head = loop_heads.first_guess(join, entry_state, body, frame, held)
    before, reach = departures(m), entry_state.reach
    label = m.fresh("exit")
    checkpoint = Checkpoint(m)
    checked = False
    for _ in range(MAX_ROUNDS):
        m.state = head.copy()
        m.state.facts, m.state.reach = entry_state.facts, first_reach(m, reach, body.trips)
        m.pending[label] = []
        writes = m.writes
        with m.collect() as statements:
            back = _round(m, body, label, join)
        if back is None:
            break
        loop_heads.forget(back.state, body.live, frame, held)
        join.facts = back.state.facts
        stable = loop_heads.is_stable(join, head, back.state)
        if stable and not (
            loop_heads.counters_hold(join, head, back.state) and loop_heads.numbers_hold(join, head, back.state)
        ):
            checkpoint.restore()
            head = loop_heads.widen(join, entry_state, head, back.state)
            continue
        if stable and (checked or m.writes == writes or not set_sources(join, head, entry_state, back.state)):
            break
        checkpoint.restore()
        if stable:  # once more, now that the head's values know what they may share memory with
            checked = True
        else:
            head = loop_heads.widen(join, entry_state, head, back.state)
    else:
        raise m.error(
            "GP310",
            "the types of the values carried by this loop do not settle",
            hint="give the values that change their final type and shape before the loop",
        )
    asked = m.decided[PEELED].get(place)
    if asked is not None and loop_heads.is_mixed_at(head, loop):
        raise PeelNeeded(loop, asked)
    if back is not None:
        set_sources(join, head, entry_state, back.state)
        refuse_second_round(m, entry_state, back.state)
    if body.trips is None and back is not None and not m.pending[label] and checkpoint.has_no_way_out():
        raise m.error("GP359", "this loop never ends", hint="leave it with `break`, `return` or a condition")
    _finish(m, body, label, loc, join, entry_state, head, statements, back, node)
    rejoin(m, before, reach)


def _round(m: Machine, body: Body, label: str, join: Join) -> Exit | None:
    """Evaluate the body once; the end of the round, if it is reached."""

    def work() -> None:
        body.begin(label)
        body.run(counter)

    counter = None
    if body.counter:
        m.types[body.counter] = PY_INT
        m.host.both.add(body.counter)
        counter = Tensor(body.counter, PY_INT, m.loc, bits=48, needs=frozenset([join.loop]))
        rounds = None if body.trips is None else size_of(body.trips)
        counter.inside = None if rounds is None else (dim(0), m.facts.resolve(rounds) - 1)
    m.loops.rounds.append(next(births))
    try:
        splitting.together(m, work, int(join.since))
    except Unreachable:
        return None
    finally:
        m.loops.rounds.pop()
    return close_path(m) if m.state is not None else None


def _finish(
    m: Machine,
    body: Body,
    label: str,
    loc: Any,
    join: Join,
    entry_state: State,
    head: State,
    statements: list[residual.Stmt],
    back: Exit | None,
    node: tree.Node,
) -> None:
    exits = m.pending.pop(label)
    m.state = entry_state
    trips = None if body.trips is None else m.operand(body.trips)
    entry = close_path(m)
    assign_state(join, head, entry)
    if back is not None and not assigned(join, head, back):
        back = None
    m.node_loc = node.loc
    loop_statement = residual.Loop(statements, body.counter or None, trips, label, loc=loc)
    if body.trips is None:
        m.emit(residual.Block(label, [loop_statement], loc=loc))
        m.state = join_exits(m, exits)
        return
    m.emit(loop_statement)
    m.state = head.copy()
    m.state.facts = entry_state.facts
    if back is not None:
        m.state.consumed = back.state.consumed
        learn_lengths(m, body.trips, entry_state, head, back.state)
    if certainly_positive(m, body.trips):
        if back is None:
            m.state = None  # the first round leaves
        else:
            _drop_unset(m, back)


def _drop_unset(m: Machine, back: Exit) -> None:
    """After a loop that ran at least once, what every round sets is set."""
    if m.frame is None:
        return
    names, at_end = m.locals, back.state.frames[m.frame.id]
    for name, value in names.items():
        end = at_end.get(name, UNBOUND)
        if is_partly_set(value) and end is not UNBOUND and end.there is end:  # every round sets it
            names[name] = value.value


def certainly_positive(m: Machine, trips: Value) -> bool:
    """Whether a trip count is at least 1 for all sizes."""
    size = size_of(trips)
    return size is not None and m.facts.decide(">=", size, 1) is True


def first_reach(m: Machine, reach: tuple[Dim, ...] | None, trips: Value | None) -> tuple[Dim, ...] | None:
    """The reach of a loop's first round, where `reach` is that of the loop."""
    if trips is None or reach is None or certainly_positive(m, trips):
        return reach
    size = size_of(trips)
    return None if size is None else (*reach, m.facts.resolve(size))
