"""Loops that the host drives: `for batch in loader`, `for k, (x, y) in enumerate(zip(rows, loader))`.

for k, frame in enumerate(frames):          k = 0
    ...                             ->      loop:
                                                h1, there, frame = host[0](frames)      # next(...)
                                                if not there: leave
                                                ...; k = k + 1

What the graph has of a `zip` is read there; only the host's own parts are asked for the next element.
"""

from __future__ import annotations

import collections.abc
from collections.abc import Callable
from typing import Any

from graph_program.extract.ir import tree
from graph_program.extract.library import iterators
from graph_program.extract.records import dataclass
from graph_program.extract.source.assigned_names import assigned_and_bound, assigned_in_target
from graph_program.extract.stage.host.library import noted_calls
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.host.values import host_aliasing, host_annotations, host_types
from graph_program.extract.stage.kinds import range_values
from graph_program.extract.stage.machine import state
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.path_ends import ensure_reachable
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations import iteration
from graph_program.extract.stage.paths import iterator_exhaustion, loop_heads
from graph_program.extract.stage.paths.flow import leave_if
from graph_program.extract.stage.values import structure
from graph_program.extract.stage.values.questions import is_iteration, is_ref_to
from graph_program.extract.stage.values.values import Closure, Host, Iteration, Range, Static, Tensor, Value

TURNS = (zip, enumerate, map)
"""What the graph goes through round by round where the host has a part of it."""


def takes_turns(function: Any, args: list[Value], keywords: dict[str, Value]) -> bool:
    """Whether a call makes an iterator of the host's parts and of the graph's, as the graph can go through it."""
    if function not in TURNS or keywords or not args:
        return False
    if function is map and not isinstance(args[0], Closure):
        return False  # the host has that function, too
    parts = {zip: args, enumerate: args[:1], map: args[1:]}[function]
    known = all(
        isinstance(part, Host | Iteration | Range | Tensor) or is_ref_to(part, iterators.counter) for part in parts
    )
    return known and structure.is_host(*parts) and not structure.is_host(*(a for a in args if a not in parts))


@dataclass
class Part:
    """A part of what a loop goes through: the host's iterator, what the graph has, or an iterator of such parts."""

    value: Value
    iterator: Host | None = None
    source: iteration.Source | None = None
    trips: Value | None = None
    inner: tuple[Part, ...] = ()


class Driver:
    """Goes through an iterable, of which parts are on the host; made before the loop."""

    def __init__(self, m: Machine, iterable: Value):
        self.m = m
        self.frame = m.current_frame.id
        self.count = f"<round {next(m.naming.counter)}>"
        m.live.frames[self.frame][self.count] = Static(0)
        self.part = self._part(iterable)

    def _part(self, value: Value) -> Part:
        m = self.m
        if isinstance(value, Host):
            note = host_annotations.element(value.note)
            note = None if note is None else noted_calls.of(collections.abc.Iterator, note)
            return Part(value, host_code.one(m, "iterate", value, text=f"iter({value.text})", note=note))
        if isinstance(value, Iteration) and structure.is_host(value):
            iterator_exhaustion.consume(m, value)
            iterator_exhaustion.refuse_repeated(m, value)
            return Part(value, inner=tuple(map(self._part, value.parts)))
        source = iteration.iterate(m, value)
        return Part(value, source=source, trips=source.trips())

    def advance(self, label: str) -> Callable[[], Value]:
        """Leave the loop where there is nothing more; else, what gives the element."""
        frame = self.m.live.frames[self.frame]
        k = frame[self.count]
        item = self._next(self.part, label, k)
        frame = self.m.live.frames[self.frame]
        frame[self.count] = range_values.next_round(self.m, k) if self._counts(self.part) else k
        return item

    def _counts(self, part: Part) -> bool:
        """Whether anything asks for the number of the round."""
        numbered = is_iteration(part.value, "enumerate")
        return part.source is not None or numbered or any(map(self._counts, part.inner))

    def _next(self, part: Part, label: str, k: Value) -> Callable[[], Value]:
        m = self.m
        if part.iterator is not None:
            assert isinstance(part.value, Host)
            item, there = host_types.following(m, part.iterator, part.value)
            leave_if(m, label, there, when=False)
            return item
        if part.source is not None:
            assert part.trips is not None
            source = part.source
            leave_if(m, label, arithmetic.compare(m, "<", k, part.trips), when=False)
            return lambda: source.item(k)
        items = [self._next(inner, label, k) for inner in part.inner]
        assert isinstance(part.value, Iteration)
        value = part.value
        sources = [iteration.Source(lambda: Static(0), lambda _, item=item: item()) for item in items]  # type: ignore[misc]
        return lambda: iteration.COMBINED[value.kind](m, value, sources, k)


def host_loop(m: Machine, node: tree.For, iterable: Value) -> None:
    """A loop over what the host goes through: it tells each round whether there is one more."""
    driver = Driver(m, iterable)

    def begin(label: str) -> None:
        m.node_loc = node.iter.loc
        item = driver.advance(label)
        m.node_loc = node.target.loc
        entries.assign(m, node.target, item())

    names = assigned_and_bound(node.body, assigned_in_target(node.target) | {driver.count})
    with host_aliasing.going_on(m, iterable):
        entries.graph_loop(
            m,
            state.Body(*names, begin, lambda _: entries.run_body(m, node.body), loop_heads.live_at_end(m, node)),
            node,
        )


@host_entries.each.given
def each(m: Machine, iterable: Value, body: Callable[[Value], None], carried: frozenset[str]) -> None:
    driver = Driver(m, iterable)
    place, node = m.node_loc, tree.ExprStmt(tree.Constant(None, loc=m.node_loc), loc=m.node_loc)
    live, m.current_frame.live_now = m.current_frame.live_now, None
    items: list[Callable[[], Value]] = []

    def begin(label: str) -> None:
        m.node_loc = place
        items[:] = [driver.advance(label)]

    def run(_: object) -> None:
        body(items[0]())

    try:
        entries.graph_loop(m, state.Body(carried | {driver.count}, carried | {driver.count}, begin, run, None), node)
    finally:
        m.current_frame.live_now = live
    ensure_reachable(m)
    m.node_loc = place
