"""Numbers that go through a few states, by what rounds see: what becomes of each state, put together by doubling.

    state = loop(k < n) with state.1 = 0:           becomes = where(states == 0, where(a, 1, 0), ...)
        if state.1 == 0: state = 1 if a[k]  to      loop(while shift < n) with shift = 1:
        elif ...                                        becomes[k] = becomes[k][becomes[k - shift]]
        give true, state                            state = becomes[:, 0]

Which states there are is found by doing rounds of which nothing is known from those that the loop begins with.  Several
numbers that depend on each other are one state (Ladner and Fischer, "Parallel Prefix Computation", 1980).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce

import numpy as np

from graph_program.extract.ir.graph import Value
from graph_program.extract.transform.vectorize.carried import Carried
from graph_program.extract.transform.vectorize.doubling import doubled
from graph_program.extract.transform.vectorize.latches import INT64
from graph_program.extract.transform.vectorize.maker import INT64_MAX, Maker
from graph_program.extract.transform.vectorize.states import TABLES, Machine, machine_of, spans
from graph_program.extract.types.dims import dim


def stepped(carried: Carried) -> bool:
    """Say what numbers of a few states are in each round; whether there are any of which that was not known."""
    if not carried.as_many_in_all_rounds:
        return False
    for slot in carried.slots:
        if slot.final is None and slot.parameter not in carried.lanes.known:
            machine = machine_of(carried, slot)
            if machine is not None:
                _put_together(carried, machine)
                return True
    return False


def _put_together(carried: Carried, machine: Machine) -> None:
    """Say what the numbers are in each round."""
    lanes, maker, count = carried.lanes, carried.lanes.maker, len(machine.states)
    columns = [np.array(column, slot.parameter.type.dtype) for slot, column in machine.columns()]
    made = {
        slot.parameter: maker.rewriter.constant(column) for slot, column in zip(machine.slots, columns, strict=True)
    }

    def of(value: Value) -> Value:
        """A value of each lane and state."""
        if value not in made:
            made[value] = maker.expand(lanes.get(value), 1) if lanes.varies(value) else lanes.get(value)
        return made[value]

    for output, node in machine.steps:
        write = maker.inside if node.op in TABLES else maker.op
        made[output] = write(node.op, *map(of, node.inputs), **node.attrs)
    behind = [_unless_ended(carried, machine, *map(of, (slot.result, slot.parameter))) for slot in machine.slots]
    becomes = numbered(carried, machine, behind)
    table = maker.broadcast(becomes, [lanes.count, maker.constant(count)], (lanes.size, dim(count)))
    begun = numbered(carried, machine, [slot.initial for slot in machine.slots])
    found = maker.inside("take", _put_together_by_doubling(maker, table, count), begun, axis=1)
    for slot, column in zip(machine.slots, columns, strict=True):
        rows = looked_up(carried, column, found)
        lanes.define(slot.parameter, carried.one_before(rows), varying=True)
        lanes.define(slot.result, maker.rows(rows, maker.constant(1), maker.constant(INT64_MAX)), varying=True)
        slot.final = partial(carried.end, rows)


def _unless_ended(carried: Carried, machine: Machine, behind: Value, before: Value) -> Value:
    """What becomes of a number in each state; of one with which the loop has ended nothing else."""
    maker = carried.lanes.maker
    ends = maker.rewriter.constant(np.array(machine.ends))
    return maker.op("where", ends, before, behind) if any(machine.ends) else behind


def looked_up(carried: Carried, column: np.ndarray, numbers: Value) -> Value:
    """What stands in a column of numbers, at places that are inside."""
    maker = carried.lanes.maker
    if column.dtype == INT64 and np.array_equal(column, np.arange(len(column))):
        return numbers
    return maker.inside("take", maker.rewriter.constant(column), numbers)


def numbered(carried: Carried, machine: Machine, parts: Sequence[Value]) -> Value:
    """The numbers of states, of which there are parts."""
    maker, sizes = carried.lanes.maker, spans(machine.states)
    lows = [int(min(column)) for _, column in machine.columns()]
    places = np.zeros(sizes, INT64)
    for number, state in enumerate(machine.states):
        places[tuple(int(value) - low for value, low in zip(state, lows, strict=True))] = number

    def place(part: Value, low: int) -> Value:
        number = part if part.type.dtype == INT64 else maker.op("cast", part, dtype=INT64)
        return maker.op("subtract", number, maker.constant(low)) if low else number

    def joined(place: Value, more: tuple[Value, int]) -> Value:
        return maker.op("add", maker.op("multiply", place, maker.constant(more[1])), more[0])

    first, *others = map(place, parts, lows)
    return looked_up(carried, places.ravel(), reduce(joined, zip(others, sizes[1:], strict=True), first))


def _put_together_by_doubling(maker: Maker, table: Value, count: int) -> Value:
    """What becomes of each state up to each round, of what becomes of it in that round; in front, before the first."""
    same = maker.rewriter.constant(np.arange(count)[None])
    first = maker.op("concatenate", same, table, axis=0)
    rounds = maker.op("dim", first, axis=0)
    places = maker.op("iota", rounds)
    numbers = maker.expand(places, 1)

    def put(distance: Value, becomes: Sequence[Value]) -> list[Value]:
        behind = maker.op("maximum", maker.op("subtract", places, distance), maker.constant(0))
        return [maker.inside("gather_nd", becomes[0], numbers, maker.inside("take", becomes[0], behind))]

    (made,) = doubled(maker, rounds, [first], put)
    return made


__all__ = ["looked_up", "numbered", "stepped"]
