"""What some rounds set and others leave, or add to, where rounds read it: latches, and counters that start anew.

    last = loop(k < n) with last.1 = last.0:        set = [last.0, *v[c]]
        y = set_index(y, last.2, k)         to      y = set[cumsum(c)]
        give true, where(c, v, last.1), y

    count = where(c, count.1 + v, w)        to      sums = cumsum(where(c, v, 0));  set = [count.0, *(w - sums)[not c]]
                                                    count = set[cumsum(not c)] + sums

The last round that has set something is found by counting those that do: ONNX has no running maximum.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.vectorize.carried import Carried, Slot

INT64 = np.dtype(np.int64)
ADDITIONS = ("add", "subtract")


@dataclass(frozen=True)
class Part:
    """What a round makes of a number: `own`, and the number itself where it `keeps` it.

    Attributes
    ----------
    keeps : Value or bool
    own : Value, optional
        None where nothing is set or added.
    """

    keeps: Value | bool
    own: Value | None = None


def latched(carried: Carried, slot: Slot) -> Callable[[], Value] | None:
    """The form of a number that each round sets, leaves as it is or adds to."""
    if not may_be_read(carried, slot, ("where", *ADDITIONS)):
        return None
    maker = carried.lanes.maker
    mark, adds = maker.mark(), _adds(carried, slot)
    if adds and slot.parameter.type.dtype != INT64:
        return None  # floats are added up in their order
    found = _Parts(carried, slot, adds).of(slot.result)
    if found is None or found.own is None or isinstance(found.keeps, bool):
        maker.forget(mark)
        return None
    keeps = each(carried, found.keeps)
    sets = maker.op("invert", keeps)
    if not adds:
        return known_behind(carried, slot, last_set(carried, slot.initial, sets, found.own))
    own = each(carried, found.own)
    sums = maker.op("cumsum", maker.op("where", keeps, own, maker.constant(0)), axis=0)
    begun = last_set(carried, slot.initial, sets, maker.op("subtract", own, sums))
    return known_behind(carried, slot, maker.op("add", begun, sums))


def may_be_read(carried: Carried, slot: Slot, ops: Collection[str]) -> bool:
    """Whether a number is carried that rounds read for something else than for what they make of it, by operations.

    Of others it is enough to know what they are in the end.
    """
    maker = carried.lanes.maker
    if slot.parameter.type.rank or slot.result is slot.parameter or not carried.has_one_shape(slot):
        return False
    if maker.is_unset(slot.initial) or not carried.as_many_in_all_rounds:
        return False
    chain = {slot.parameter} | _chain(carried, slot, slot.result, ops)
    readers = {step.output for value in chain for step in carried.readers.get(value, ())}
    return not readers <= chain or any(other.result in chain for other in carried.slots if other is not slot)


def _chain(carried: Carried, slot: Slot, value: Value, ops: Collection[str]) -> set[Value]:
    """What lies between what a round finds and what it makes of it."""
    found, work = set[Value](), [value]
    while work:
        value = work.pop()
        step = carried.step(value, *ops)
        if step is not None and value in slot.dependent and value not in found:
            found.add(value)
            work += step.node.inputs
    return found


def known_behind(carried: Carried, slot: Slot, after: Value) -> Callable[[], Value]:
    """The form of a number that is known behind each round, and so before the next one."""
    rows = carried.front(slot, after)
    carried.lanes.define(slot.parameter, carried.one_before(rows), varying=True)
    carried.lanes.define(slot.result, after, varying=True)
    return lambda: carried.end(rows)


def last_set(carried: Carried, initial: Value, sets: Value, rows: Value) -> Value:
    """In each lane what the last one up to it has set, or what there was before the loop."""
    maker = carried.lanes.maker
    count = maker.op("cumsum", maker.op("cast", sets, dtype=INT64), axis=0)
    if not rows.type.rank:
        return maker.op("where", maker.op("less", maker.constant(0), count), rows, initial)
    first = _first(carried, sets, count, rows)
    return maker.inside("take", maker.op("concatenate", maker.expand(initial, 0), first, axis=0), count)


def _first(carried: Carried, sets: Value, count: Value, rows: Value) -> Value:
    """What is set, in order; in loops inside of others, what is not set stands behind it, so that all are as long."""
    lanes, maker = carried.lanes, carried.lanes.maker
    one = maker.constant(1)
    if not maker.rewriter.depth:
        return maker.op("take", rows, maker.op("take", maker.op("nonzero", sets), maker.constant(0), axis=0), axis=0)
    back = maker.op("subtract", maker.op("subtract", lanes.count, one), lanes.lanes)
    places = maker.op("where", sets, maker.op("subtract", count, one), maker.op("add", back, count))
    nothing = maker.op("full", maker.constant(0, rows.type.dtype), lanes.count)
    return maker.inside("scatter_nd", nothing, rows, places, unique=True)


def each(carried: Carried, made: Value) -> Value:
    """A number for each lane, also if it is one for all."""
    return made if made.type.rank else carried.lanes.spread(made, 0)


# ------------------------------------------------------------ what a round does


def _adds(carried: Carried, slot: Slot) -> bool:
    """Whether a round may add something to what it finds, or to what it has set."""
    made = (carried.step(value, *ADDITIONS) for value in _chain(carried, slot, slot.result, ("where", *ADDITIONS)))
    return any(step is not None for step in made)


class _Parts:
    """What a round makes of what it finds; None for what is something else.

    Parameters
    ----------
    carried : Carried
    slot : Slot
    adds : bool
        Whether it may add something.
    """

    def __init__(self, carried: Carried, slot: Slot, adds: bool):
        self.carried, self.slot, self.adds = carried, slot, adds
        self.lanes, self.maker = carried.lanes, carried.lanes.maker
        self.found: dict[Value, Part | None] = {slot.parameter: Part(True)}

    def of(self, value: Value) -> Part | None:
        if value not in self.found:
            self.found[value] = self._part(value)
        return self.found[value]

    def _part(self, value: Value) -> Part | None:
        lanes = self.lanes
        if value not in self.slot.dependent:
            return Part(False, lanes.get(value)) if lanes.is_known(value) and not value.type.rank else None
        step = self.carried.step(value, "where", *ADDITIONS)
        if step is None or value.type.dtype != self.slot.parameter.type.dtype:
            return None
        return self._chosen(step.node) if step.node.op == "where" else self._added(step.node)

    def _added(self, node: Node) -> Part | None:
        a, b = node.inputs
        if node.op == "add" and b in self.slot.dependent:
            a, b = b, a
        found = None if b in self.slot.dependent or not self.lanes.is_known(b) else self.of(a)
        if found is None:
            return None
        own = self.maker.constant(0) if found.own is None else found.own
        return Part(found.keeps, self.maker.op(node.op, own, self.lanes.get(b)))

    def _chosen(self, node: Node) -> Part | None:
        test, *sides = node.inputs
        if not self.lanes.is_known(test) or test.type.rank:
            return None
        a, b = map(self.of, sides)
        if a is None or b is None:
            return None
        maker, holds = self.maker, self.lanes.get(test)
        if a.keeps is b.keeps:
            keeps = a.keeps
        else:
            truths = (maker.constant(k, np.bool_) if isinstance(k, bool) else k for k in (a.keeps, b.keeps))
            keeps = maker.op("where", holds, *truths)
        owns = [maker.constant(0) if side.own is None and self.adds else side.own for side in (a, b)]
        known = [own for own in dict.fromkeys(owns) if own is not None]
        return Part(keeps, maker.op("where", holds, *known)) if len(known) > 1 else Part(keeps, *known)


__all__ = ["each", "known_behind", "last_set", "latched", "may_be_read"]
