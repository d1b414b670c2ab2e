"""Counters with a limit that only a run has: in which rounds something happens to them, by doubling jumps.

    n = loop(k < rounds) with n.1 = 0:              jumps[k, kind] = the next round and kind of what happens behind
        t = greater_equal(n.1 + 1, limit)   to      loop(... log2(rounds) times):
        give true, where(c and not t, n.1 + 1, 0)       reached[jumps[reached]] = true;  jumps = jumps[jumps]
                                                    n = set[last reached] + how many rounds have added 1 since then

Something happens where a round sets the counter, or changes what it goes with, and where it comes next to the limit
(`kinds`).  What does so next is known of each round and kind: the next round that sets something of it, or the one
that adds the last 1 on the way to the limit, which counting tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.vectorize.carried import Carried
from graph_program.extract.transform.vectorize.doubling import reached_from
from graph_program.extract.transform.vectorize.kinds import FARTHEST, Kinds, kinds_of
from graph_program.extract.transform.vectorize.latches import INT64
from graph_program.extract.transform.vectorize.listed import Listed, count_before, listed, next_of
from graph_program.extract.transform.vectorize.machines import looked_up, numbered
from graph_program.extract.transform.vectorize.maker import INT64_MAX
from graph_program.extract.transform.vectorize.spaced import FAR, cut
from graph_program.extract.transform.vectorize.states import TABLES
from graph_program.extract.types.dims import dim


def counted(carried: Carried) -> bool:
    """Say what one more counter with a limit is in each round, with what it goes with; whether there is one."""
    if carried.lanes.maker.rewriter.depth:
        return False
    for slot in carried.slots:
        if slot.final is None and slot.parameter not in carried.lanes.known:
            mark = carried.lanes.maker.mark()
            kinds = kinds_of(carried, slot)
            if kinds is not None:
                _Rounds(carried, kinds).say()
                return True
            carried.lanes.maker.forget(mark)
    return False


@dataclass(frozen=True)
class _Found:
    """What something that happens makes of the counter, for each of them, and last what the loop begins with.

    Attributes
    ----------
    kind : Value
    row : Value
        So many rounds are done then.
    near : Value
        The counter without the limit, as far as it is not far away.
    number : Value
        The counter.
    """

    kind: Value
    row: Value
    near: Value
    number: Value


@dataclass(frozen=True)
class _Way:
    """Where the counter comes next to the limit: how many rounds are done then, and the next event behind that."""

    row: Value
    next: Value


class _Rounds:
    """What becomes of each kind in each round; a row in front stands for what the loop begins with."""

    def __init__(self, carried: Carried, kinds: Kinds):
        self.carried, self.kinds = carried, kinds
        self.lanes, self.maker = carried.lanes, carried.lanes.maker
        self.made = {value: self._constant(column) for value, column in kinds.columns().items()}
        self._do(kinds.parts.steps, self.made)
        self.count = self.maker.constant(kinds.count)
        self.rows = self.maker.op("add", self.lanes.count, self.maker.constant(1))
        self.limit = self._limit()

    def say(self) -> None:
        """Say what the counter, and what goes with it, is in each round."""
        maker, kinds = self.maker, self.kinds
        kept, added = (self._of(value, self.made) for value in (kinds.made.kept, kinds.made.added))
        base, (state, begun) = maker.op("add", self._constant(kinds.numbers), added), self._state()
        (near, first_near), (number, first) = self._set(kept, base)
        events = self._listed(self._happens(kept, near, state), ~kinds.ends)
        adds = maker.op("bitwise_and", kept, maker.op("not_equal", added, self._number(0)))
        moves = self._listed(adds, kinds.moved != 0)
        found = _Found(
            self._at(events, self._kind(near, state), self._kind(first_near, begun)),
            self._behind(maker.op("add", events.rounds, self._number(1)), self._number(0)),
            self._at(events, near, first_near),
            self._at(events, number, first),
        )
        nowhere = maker.op("dim", found.kind, axis=0)
        following = next_of(maker, events, count_before(maker, events, found.row, found.kind), found.kind, nowhere)
        way = self._way(found, following, events, moves, nowhere) if kinds.nears.any() else None
        last = self._last(found, self._behind(following if way is None else way.next, nowhere))
        self._say(*self._behind_each(found, way, moves, last))

    def _behind_each(self, found: _Found, way: _Way | None, moves: Listed, last: Value) -> tuple[Value, Value]:
        """The state and the counter behind each round, and in front, of what has happened last."""
        maker, kinds = self.maker, self.kinds
        kind, row, number = (maker.inside("take", one, last) for one in (found.kind, found.row, found.number))
        if way is not None:
            since = maker.inside("take", way.row, last)
            is_near = maker.op("less_equal", since, self._all_rows())
            kind = maker.op("where", is_near, self._column(kinds.behind, kind), kind)
            row = maker.op("where", is_near, since, row)
            number = maker.op("where", is_near, self._with_limit(self._column(kinds.numbers, kind)), number)
        if kinds.moved.any():
            rounds = maker.op("subtract", *(count_before(maker, moves, one, kind) for one in (self._all_rows(), row)))
            number = maker.op("add", number, maker.op("multiply", rounds, self._column(kinds.moved, kind)))
        return maker.op("floor_divide", kind, self._number(kinds.width)), number

    def _say(self, state: Value, value: Value) -> None:
        carried, maker, kinds = self.carried, self.maker, self.kinds
        known = [
            (slot, looked_up(carried, np.array(column, slot.parameter.type.dtype), state))
            for slot, column in kinds.machine.columns()
        ]
        for slot, rows in (*known, (kinds.parts.counter, value)):
            self.lanes.define(slot.parameter, carried.one_before(rows), varying=True)
            self.lanes.define(slot.result, maker.rows(rows, maker.constant(1), maker.constant(INT64_MAX)), varying=True)
            slot.final = partial(carried.end, rows)

    # ------------------------------------------------------------ what rounds make of each kind

    def _constant(self, column: np.ndarray) -> Value:
        return self.maker.rewriter.constant(column)

    def _column(self, column: np.ndarray, kind: Value) -> Value:
        """What a column has for kinds."""
        return self.maker.inside("take", self._constant(column), kind)

    def _number(self, number: int) -> Value:
        return self.maker.constant(number)

    def _of(self, value: Value, made: Mapping[Value, Value]) -> Value:
        """A value of each lane and kind."""
        if value in made:
            return made[value]
        return self.maker.expand(self.lanes.get(value), 1) if self.lanes.varies(value) else self.lanes.get(value)

    def _do(self, steps: Iterable[tuple[Value, Node]], made: dict[Value, Value]) -> None:
        for output, node in steps:
            write = self.maker.inside if node.op in TABLES else self.maker.op
            made[output] = write(node.op, *(self._of(value, made) for value in node.inputs), **node.attrs)

    def _state(self) -> tuple[Value, Value]:
        """The number of the state behind each round, and that of the one that the loop begins with."""
        machine, zero = self.kinds.machine, self._number(0)
        if not machine.slots:
            return zero, zero
        ends = self._constant(self.kinds.ends)
        pairs = [(self._of(slot.result, self.made), self.made[slot.parameter]) for slot in machine.slots]
        behind = [self.maker.op("where", ends, before, one) if any(machine.ends) else one for one, before in pairs]
        begun = numbered(self.carried, machine, [slot.initial for slot in machine.slots])
        return numbered(self.carried, machine, behind), begun

    def _table(self, made: Value) -> Value:
        """For each lane and kind."""
        return self.maker.broadcast(made, [self.lanes.count, self.count], (self.lanes.size, dim(self.kinds.count)))

    def _limit(self) -> Value | None:
        """The limit, if it is no known number."""
        limits = list(self.kinds.parts.limit or ())
        return self.lanes.get(limits[0]) if limits else None

    def _set(self, kept: Value, base: Value) -> tuple[tuple[Value, Value], tuple[Value, Value]]:
        """The counter without the limit, cut where it is far from it, and as it is: behind each round, and at first."""
        maker, value, initial = self.maker, self.kinds.made.set, self.kinds.parts.counter.initial
        whole = self._with_limit(base)
        if value is None:
            return (base, self._near(initial)), (whole, initial)
        steps, found = self.kinds.parts.set_steps, list[Value]()
        given = dict.fromkeys((value, *(side for _, node in steps for side in node.inputs[1:])))
        leaves = [one for one in given if one not in dict(steps)]
        for own in (self._near, lambda number: number):
            made = {**self.made, **{leaf: own(self._of(leaf, {})) for leaf in leaves}}
            self._do(steps, made)
            found.append(made[value])
        pairs = zip((base, whole), found, strict=True)
        near, number = (maker.op("where", kept, one, other) for one, other in pairs)
        return (near, self._near(initial)), (number, initial)

    def _near(self, number: Value) -> Value:
        """A number without the limit, cut so that it is no farther from it than any round."""
        maker, limit, known = self.maker, self.limit, self.maker.rewriter.constant_of(number)
        if limit is None:
            return cut(maker, number)
        if known is not None and abs(int(known)) < FARTHEST:
            return maker.op("subtract", number, cut(maker, limit))
        made, zero = maker.op("subtract", number, limit), self._number(0)
        below, negative = (maker.op("less", one, zero) for one in (number, made))
        differs = maker.op("not_equal", below, maker.op("less", limit, zero))
        wraps = maker.op("bitwise_and", differs, maker.op("not_equal", below, negative))
        far = maker.op("where", below, self._number(-FAR), self._number(FAR))
        return maker.op("where", wraps, far, cut(maker, made))

    def _with_limit(self, number: Value) -> Value:
        return number if self.limit is None else self.maker.op("add", number, self.limit)

    def _kind(self, near: Value, state: Value) -> Value:
        """The kind of a counter and a state."""
        maker, kinds = self.maker, self.kinds
        cell = maker.op("subtract", near, self._number(kinds.near.start - 1))
        cell = maker.op("maximum", maker.op("minimum", cell, self._number(kinds.width - 1)), self._number(0))
        return maker.op("add", maker.op("multiply", state, self._number(kinds.width)), cell)

    # ------------------------------------------------------------ what happens next

    def _happens(self, kept: Value, near: Value, state: Value) -> Value:
        """Whether a round sets the counter, or changes what it goes with; or adds something to one near the limit."""
        maker, kinds = self.maker, self.kinds
        changes = maker.op("not_equal", near, self._constant(kinds.numbers))
        changes = maker.op("where", self._constant(kinds.is_far), maker.op("invert", kept), changes)
        if not kinds.machine.slots:
            return changes
        own = self._constant(np.arange(kinds.count) // kinds.width)
        return maker.op("bitwise_or", changes, maker.op("not_equal", state, own))

    def _listed(self, happens: Value, where: np.ndarray) -> Listed:
        made = happens if where.all() else self.maker.op("bitwise_and", happens, self._constant(where))
        return listed(self.maker, self._table(made))

    def _at(self, events: Listed, table: Value, first: Value) -> Value:
        """What a table of rounds and kinds has where something happens, and what there is at first behind it."""
        maker, flat = self.maker, self.maker.op("reshape", self._table(table), self._number(-1))
        places = maker.op("add", maker.op("multiply", events.rounds, self.count), events.kinds)
        return self._behind(maker.inside("take", flat, places), first)

    def _behind(self, rows: Value, last: Value) -> Value:
        return self.maker.op("concatenate", rows, self.maker.expand(last, 0), axis=0)

    def _way(self, found: _Found, following: Value, events: Listed, moves: Listed, nowhere: Value) -> _Way:
        """Where the counter comes next to the limit before something else happens; behind all rounds if it does not."""
        maker, kinds, one = self.maker, self.kinds, self._number(1)
        low, high = (self._number(number) for number in (kinds.near.start, kinds.near.stop - 1))
        way = maker.op("maximum", maker.op("subtract", low, found.near), maker.op("subtract", found.near, high))
        way = way if self.kinds.is_far.all() else maker.op("maximum", way, one)
        before = maker.op("add", count_before(maker, moves, found.row, found.kind), maker.op("subtract", way, one))
        place = next_of(maker, moves, before, found.kind, maker.op("dim", moves.rounds, axis=0))
        rounds = maker.inside("take", self._behind(moves.rounds, self.lanes.count), place)
        count = self.lanes.count  # of what the loop begins with, and of what is nowhere
        other = maker.inside("take", self._behind(self._behind(events.rounds, count), count), following)
        is_first = maker.op("bitwise_and", self._column(kinds.nears, found.kind), maker.op("less", rounds, other))
        row = maker.op("add", maker.op("where", is_first, rounds, self.lanes.count), one)
        behind = self._column(kinds.behind, found.kind)
        inside = maker.op("minimum", row, self.lanes.count)
        then = next_of(maker, events, count_before(maker, events, inside, behind), behind, nowhere)
        return _Way(row, maker.op("where", is_first, then, following))

    def _last(self, found: _Found, jumps: Value) -> Value:
        """For each round, and behind the last, what has happened last."""
        maker, one = self.maker, self._number(1)
        numbers = maker.op("iota", maker.op("dim", jumps, axis=0))
        begins = maker.op("equal", numbers, maker.op("subtract", maker.op("dim", found.row, axis=0), one))
        reached = maker.rows(reached_from(maker, begins, jumps, self.rows), self._number(0), self._number(-1))
        places = maker.op("take", maker.op("nonzero", reached), self._number(0), axis=0)
        nothing = maker.op("full", self._number(-1), self.rows)
        at = maker.inside("scatter_nd", nothing, places, maker.inside("take", found.row, places), unique=True)
        is_one = maker.op("less_equal", self._number(0), at)
        in_order = maker.op("take", at, maker.op("take", maker.op("nonzero", is_one), self._number(0), axis=0), axis=0)
        count = maker.op("cumsum", maker.op("cast", is_one, dtype=INT64), axis=0)
        return maker.inside("take", in_order, maker.op("subtract", count, one))

    def _all_rows(self) -> Value:
        return self.maker.op("iota", self.rows)


__all__ = ["counted"]
