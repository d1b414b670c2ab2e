"""Counters with a limit that only a run has: in which rounds something happens to them, by doubling jumps.

    n = loop(k < rounds) with n.1 = 0:              jumps[k, kind] = the next round and kind of what happens behind
        t = greater_equal(n.1 + 1, limit)   to      loop(... log2(rounds) times):
        give true, where(c and not t, n.1 + 1, 0)       reached[jumps[reached]] = true;  jumps = jumps[jumps]
                                                    n = set[last reached] + how many rounds have added 1 since then

Something happens where a round sets the counter, or changes what it goes with, and where it comes next to the limit
(`limits`).  What does so next is known of each round and kind: the next round that sets something of it, or the one
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
from graph_program.extract.transform.vectorize.latches import INT64
from graph_program.extract.transform.vectorize.limits import Kinds, kinds_of
from graph_program.extract.transform.vectorize.machines import looked_up, numbered
from graph_program.extract.transform.vectorize.maker import INT64_MAX
from graph_program.extract.transform.vectorize.states import TABLES
from graph_program.extract.types.dims import dim

FAR = 2**62
"""No round is so far from another one."""
SMALL = 2**31


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
class _Listed:
    """Rounds in which something happens to each kind: how many there are before each round, and all of them.

    Attributes
    ----------
    before : Value
        For each round, and behind the last, and each kind.
    first : Value
        For each kind, how many those of kinds before it are.
    total : Value
        For each kind, how many its own are.
    rounds : Value
        Of one kind behind the other, and the number of rounds.
    """

    before: Value
    first: Value
    total: Value
    rounds: Value


class _Rounds:
    """What becomes of each kind in each round; a row in front stands for what the loop begins with."""

    def __init__(self, carried: Carried, kinds: Kinds):
        self.carried, self.kinds = carried, kinds
        self.lanes, self.maker = carried.lanes, carried.lanes.maker
        self.columns = {value: self._constant(column) for value, column in kinds.columns().items()}
        self.made = dict(self.columns)
        self._do(kinds.parts.steps, self.made)
        self.count = self.maker.constant(kinds.count)
        self.rows = self.maker.op("add", self.lanes.count, self.maker.constant(1))
        self.limit = self._limit()

    def say(self) -> None:
        """Say what the counter, and what goes with it, is in each round."""
        maker, kinds = self.maker, self.kinds
        kept, added = (self._of(value, self.made) for value in (kinds.made.kept, kinds.made.added))
        state, base = self._state(), maker.op("add", self._constant(kinds.numbers), added)
        near, number = self._set(kept, base)
        cell = maker.op(
            "minimum", maker.op("subtract", near, self._number(kinds.near.start - 1)), self._number(kinds.width - 1)
        )
        cell = maker.op("maximum", cell, self._number(0))
        kind = maker.op("add", maker.op("multiply", self._front(*state), self._number(kinds.width)), cell)
        listed = self._events(kept, added, state[0], maker.rows(near, maker.constant(1), maker.constant(INT64_MAX)))
        moves = self._listed(
            maker.op("bitwise_and", kept, maker.op("not_equal", added, self._number(0))), kinds.moved != 0
        )
        at = self._last(self._jumps(kind, near, listed, moves))
        kinds_now, value = (maker.inside("take", self._flat(table), at) for table in (kind, number))
        if kinds.moved.any():
            row = maker.op("floor_divide", at, self.count)
            past = [
                maker.inside("take", self._flat(moves.before), self._place(one, kinds_now))
                for one in (self._all_rows(), row)
            ]
            moved = maker.inside("take", self._constant(kinds.moved), kinds_now)
            value = maker.op("add", value, maker.op("multiply", maker.op("subtract", *past), moved))
        self._say(maker.op("floor_divide", kinds_now, self._number(kinds.width)), value)

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

    def _front(self, made: Value, initial: Value) -> Value:
        """For each lane and kind, behind what the loop begins with."""
        first = self.maker.broadcast(initial, [self._number(1), self.count], (dim(1), dim(self.kinds.count)))
        return self.maker.op("concatenate", first, self._table(made), axis=0)

    def _limit(self) -> Value | None:
        """The limit, if it is no known number."""
        limits = list(self.kinds.parts.limit or ())
        return self.lanes.get(limits[0]) if limits else None

    def _set(self, kept: Value, base: Value) -> tuple[Value, Value]:
        """The counter behind each round, without the limit as far as it is not far away, and as it is."""
        maker, value, initial = self.maker, self.kinds.made.set, self.kinds.parts.counter.initial
        whole = base if self.limit is None else maker.op("add", base, self.limit)
        if value is None:
            return self._front(base, self._near(initial)), self._front(whole, initial)
        steps, found = self.kinds.parts.set_steps, []
        inner = {output for output, _ in steps}
        leaves = [
            v for v in dict.fromkeys((value, *(v for _, node in steps for v in node.inputs[1:]))) if v not in inner
        ]
        for own in (self._near, lambda number: number):
            made = {**self.made, **{leaf: own(self._of(leaf, {})) for leaf in leaves}}
            self._do(steps, made)
            found.append(made[value])
        pairs = zip((base, whole), found, strict=True)
        near, number = (maker.op("where", kept, one, other) for one, other in pairs)
        return self._front(near, self._near(initial)), self._front(number, initial)

    def _near(self, number: Value) -> Value:
        """A number without the limit, cut so that it is no farther from it than any round."""
        maker, limit, known = self.maker, self.limit, self.maker.rewriter.constant_of(number)
        if limit is None or (known is not None and abs(int(known)) < SMALL):
            made = number if limit is None else maker.op("subtract", number, self._cut(limit))
            return made if known is not None and limit is not None else self._cut(made)
        made, zero = maker.op("subtract", number, limit), self._number(0)
        below, negative = (maker.op("less", one, zero) for one in (number, made))
        differs = maker.op("not_equal", below, maker.op("less", limit, zero))
        wraps = maker.op("bitwise_and", differs, maker.op("not_equal", below, negative))
        return maker.op(
            "where", wraps, maker.op("where", below, self._number(-FAR), self._number(FAR)), self._cut(made)
        )

    def _cut(self, number: Value) -> Value:
        known = self.maker.rewriter.constant_of(number)
        if known is not None and abs(int(known)) <= FAR:
            return number
        return self.maker.op("maximum", self.maker.op("minimum", number, self._number(FAR)), self._number(-FAR))

    # ------------------------------------------------------------ what happens next

    def _events(self, kept: Value, added: Value, state: Value, near: Value) -> _Listed:
        """The rounds that set the counter, or change what it goes with; those next to the limit that add something."""
        maker, kinds = self.maker, self.kinds
        changed = maker.op("bitwise_or", maker.op("invert", kept), self._constant(~kinds.is_far))
        differs = maker.op(
            "bitwise_or", self._constant(kinds.is_far), maker.op("not_equal", near, self._constant(kinds.numbers))
        )
        changed = maker.op("bitwise_and", changed, differs)
        if kinds.machine.slots:
            own = self._constant(np.arange(kinds.count) // kinds.width)
            changed = maker.op("bitwise_or", changed, maker.op("not_equal", state, own))
        return self._listed(changed, ~kinds.ends)

    def _listed(self, happens: Value, where: np.ndarray) -> _Listed:
        maker = self.maker
        happens = self._table(happens if where.all() else maker.op("bitwise_and", happens, self._constant(where)))
        counts = maker.op("cumsum", maker.op("cast", happens, dtype=INT64), axis=0)
        zero = maker.broadcast(self._number(0), [self._number(1), self.count], (dim(1), dim(self.kinds.count)))
        before = maker.op("concatenate", zero, counts, axis=0)
        total = maker.op("take", before, self._number(-1), axis=0)
        first = maker.op("subtract", maker.op("cumsum", total, axis=0), total)
        places = maker.op("nonzero", maker.op("transpose", happens, perm=(1, 0)))
        rounds = maker.op("take", places, self._number(1), axis=0)
        return _Listed(before, first, total, maker.op("concatenate", rounds, maker.expand(self.lanes.count, 0), axis=0))

    def _next(self, listed: _Listed, kind: Value, more: Value | None = None) -> Value:
        """The next round of a kind behind each round and kind, or so many more; the number of rounds if there is none."""
        maker = self.maker
        place = maker.inside("take", self._flat(listed.before), self._place(maker.expand(self._all_rows(), 1), kind))
        place = place if more is None else maker.op("add", place, more)
        is_there = maker.op("less", place, maker.inside("take", listed.total, kind))
        place = maker.op("add", place, maker.inside("take", listed.first, kind))
        last = maker.op("subtract", maker.op("dim", listed.rounds, axis=0), self._number(1))
        return maker.inside("take", listed.rounds, maker.op("where", is_there, place, last))

    def _jumps(self, kind: Value, near: Value, events: _Listed, moves: _Listed) -> Value:
        """Where something happens next behind each round and kind, as places in the table of both; behind it, nowhere."""
        maker, kinds = self.maker, self.kinds
        found = self._next(events, kind)
        if kinds.nears.any():
            low, high = (self._number(one) for one in (kinds.near.start, kinds.near.stop - 1))
            way = maker.op("maximum", maker.op("subtract", low, near), maker.op("subtract", near, high))
            comes = maker.inside("take", self._constant(kinds.nears), kind)
            last = self._next(moves, kind, maker.op("subtract", way, self._number(1)))
            found = maker.op("minimum", found, maker.op("where", comes, last, self.lanes.count))
        behind = maker.op("add", found, self._number(1))
        nowhere = maker.op("multiply", self.rows, self.count)
        place = maker.op("minimum", self._place(behind, kind), nowhere)
        return maker.op("concatenate", self._flat(place), maker.expand(nowhere, 0), axis=0)

    def _last(self, jumps: Value) -> Value:
        """For each round, and in front, where something has happened last, as a place in the table."""
        maker = self.maker
        numbers = maker.op("iota", maker.op("dim", jumps, axis=0))
        begins = maker.op("equal", numbers, self._number(0))
        reached = maker.rows(reached_from(maker, begins, jumps, self.rows), self._number(0), self._number(-1))
        places = maker.op("take", maker.op("nonzero", reached), self._number(0), axis=0)
        each = maker.op("any", maker.op("reshape", reached, self.rows, self.count), axes=(1,), keepdims=False)
        count = maker.op("cumsum", maker.op("cast", each, dtype=INT64), axis=0)
        return maker.inside("take", places, maker.op("subtract", count, self._number(1)))

    def _all_rows(self) -> Value:
        return self.maker.op("iota", self.rows)

    def _place(self, row: Value, kind: Value) -> Value:
        return self.maker.op("add", self.maker.op("multiply", row, self.count), kind)

    def _flat(self, table: Value) -> Value:
        return self.maker.op("reshape", table, self._number(-1))


__all__ = ["counted"]
