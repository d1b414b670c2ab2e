"""What some rounds turn into its opposite: it has changed where an odd number of them have.

    odd = loop(k < n) with odd.1 = odd.0:
        give true, where(c, invert(odd.1), odd.1)       to      odd = odd.0 != (sum(c) & 1)

Also `odd != c`, and the sign of a float, which rounds turn by `-x`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from graph_program.extract.ir.graph import Value
from graph_program.extract.transform.vectorize.carried import Carried, Slot
from graph_program.extract.transform.vectorize.maker import Maker

TURNS = {"b": "invert", "f": "negative"}
"""What turns a value of a kind of element types."""


def turned(carried: Carried, slot: Slot) -> Callable[[], Value] | None:
    """The form of a value that rounds turn, or leave as it is."""
    turn, maker = TURNS.get(slot.parameter.type.dtype.kind), carried.lanes.maker
    if turn is None or slot.parameter.type.rank or slot.result is slot.parameter or not carried.has_one_shape(slot):
        return None
    mark = maker.mark()
    turns = _turns(carried, slot, slot.result, turn)
    if turns is None:
        maker.forget(mark)
        return None
    counted = maker.op("cast", turns, dtype=np.dtype(np.int64))
    sums = maker.op("cumsum", counted, axis=0)

    def behind(count: Value) -> Value:
        """What it is when so many rounds have turned it."""
        return maker.op("where", odd(maker, count), maker.op(turn, slot.initial), slot.initial)

    carried.lanes.define(slot.parameter, behind(maker.op("subtract", sums, counted)), varying=True)
    return lambda: behind(maker.op("sum", carried.in_rounds(counted, 0), axes=(0,), keepdims=False))


def odd(maker: Maker, count: Value) -> Value:
    """Whether a number is odd."""
    return maker.op("equal", maker.op("bitwise_and", count, maker.constant(1)), maker.constant(1))


def _turns(carried: Carried, slot: Slot, value: Value, turn: str) -> Value | None:
    """Whether each round gives the opposite of what it was given; None if it may give something else."""
    lanes, maker = carried.lanes, carried.lanes.maker
    if value is slot.parameter:
        return lanes.spread(maker.constant(False, np.bool_), 0)
    step = carried.step(value, turn, "where", "not_equal", "bitwise_xor")
    if step is None or value not in slot.dependent:
        return None
    if step.node.op == turn:
        before = _turns(carried, slot, step.node.inputs[0], turn)
        return None if before is None else maker.op("invert", before)
    if step.node.op == "where":
        test, *sides = step.node.inputs
        found = [_turns(carried, slot, side, turn) for side in sides]
        if None in found or not lanes.is_known(test) or test.type.rank:
            return None
        return maker.op("where", lanes.get(test), *(side for side in found if side is not None))
    if turn != "invert":
        return None
    for one, other in (step.node.inputs, step.node.inputs[::-1]):
        if one in slot.dependent or one is slot.parameter:
            before = _turns(carried, slot, one, turn)
            if before is not None and lanes.is_known(other) and other.type.dtype.kind == "b" and not other.type.rank:
                return maker.op("not_equal", before, lanes.each(other))
    return None


__all__ = ["odd", "turned"]
