"""What some rounds of a loop set, whatever it was before, and rounds of loops inside of it.

for i in ...:                                   wanted = c[i] and d[i, j], for all i and j
    if c[i]:                                    y = the v of the last that is wanted, or y
        for j in ...:                   to
            if d[i, j]: y = v[i, j]
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from graph_program.extract.ir.graph import Value
from graph_program.extract.transform.vectorize.maker import Last

if TYPE_CHECKING:
    from graph_program.extract.transform.vectorize.carried import Carried, Slot


def set_by_some(carried: Carried, slot: Slot) -> Callable[[], Value] | None:
    """What is set where some tests come out as they must; None if a round does something else."""
    lanes, maker = carried.lanes, carried.lanes.maker
    value, tests = _set(carried, slot)
    if not tests or not carried.has_one_shape(slot):
        return None
    if not all(lanes.is_known(test) and not test.type.rank for test, _ in tests):
        return None
    masks = [lanes.each(test) if holds else maker.op("invert", lanes.each(test)) for test, holds in tests]
    wanted = functools.reduce(lambda a, b: maker.op("bitwise_and", a, b), masks)
    if not lanes.is_known(value):
        return _set_inside(carried, slot, value, wanted)
    if value.type.shape != slot.parameter.type.shape:
        return None
    return lambda: _last(carried, Last(slot.initial, lanes.each(value), wanted), lanes.lanes, carried.cut)


def _set_inside(carried: Carried, slot: Slot, value: Value, wanted: Value) -> Callable[[], Value] | None:
    """What a loop inside sets in rounds that are wanted."""
    lanes, maker = carried.lanes, carried.lanes.maker
    found = carried.set_inside(slot, value)
    if found is None:
        return None
    inside, width = found
    rows, wanted = inside.rows, maker.expand(wanted, 1)
    if inside.wanted is None:
        wanted = maker.broadcast(wanted, [maker.op("dim", rows, axis=k) for k in range(2)], rows.type.shape)
    else:
        wanted = maker.op("bitwise_and", wanted, lanes.each(inside.wanted))
    rows, wanted = (maker.op("reshape", one, maker.constant(-1)) for one in (rows, wanted))
    numbers = maker.op("iota", maker.op("dim", rows, axis=0))
    return lambda: _last(carried, Last(slot.initial, rows, wanted), numbers, carried.rounds_inside(width))


def _set(carried: Carried, slot: Slot) -> tuple[Value, list[tuple[Value, bool]]]:
    """What is set, and what must hold for that."""
    value, tests = slot.result, list[tuple[Value, bool]]()
    while (step := carried.step(value, "where")) is not None:
        test, *sides = step.node.inputs
        if slot.parameter not in sides or sides[0] is sides[1]:
            break
        is_first = sides[1] is slot.parameter
        tests.append((test, is_first))
        value = sides[not is_first]
    return value, tests


def _last(carried: Carried, set_: Last, numbers: Value, rounds: Value | None) -> Value:
    """What the last round has set that is wanted, of all or so many, or what it was before."""
    maker = carried.lanes.maker
    assert set_.wanted is not None
    chosen = maker.op("where", set_.wanted, maker.op("add", numbers, maker.constant(1)), maker.constant(0))
    front = maker.op("concatenate", maker.constant([0]), chosen, axis=0)
    if rounds is not None:
        front = carried.first(front, maker.op("add", rounds, maker.constant(1)), 0)
    rows = maker.op("concatenate", maker.expand(set_.before, 0), set_.rows, axis=0)
    found = maker.op("take", rows, maker.op("max", front, axes=(0,), keepdims=False), axis=0)
    if rounds is None:
        maker.lasts[found] = set_
    return found


__all__ = ["set_by_some"]
