"""Whether any round finds something, or all do: `found = found or test`, `fits = fits and test`.

f = loop(k < n) with f.1 = f.0:
    give true, where(c, bitwise_or(f.1, t), f.1)        to      f = f.0 or any(c and t)
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from functools import partial

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.vectorize.carried import Carried, Slot


def quantified(carried: Carried, slot: Slot) -> Callable[[], Value] | None:
    """`found = found or test`, `fits = fits and test`."""
    if slot.parameter.type.dtype.kind != "b" or slot.parameter.type.rank:
        return None
    found = _joined(carried, slot)
    if found is None:
        return None
    op, (rows, *more) = found
    maker = carried.lanes.maker
    for other in more:
        rows = maker.op(op, rows, other)
    reduce = "any" if op == "bitwise_or" else "all"

    def final() -> Value:
        among = carried.in_rounds(rows, op == "bitwise_and")
        return maker.op(op, slot.initial, maker.op(reduce, among, axes=(0,), keepdims=False))

    return final


def _joined(carried: Carried, slot: Slot) -> tuple[str, list[Value]] | None:
    """`or` or `and`, and what is joined with the carried value in each lane, one after the other."""
    step = carried.step(slot.result, "bitwise_or", "bitwise_and", "where")
    if step is None:
        return None
    for op in ("bitwise_or", "bitwise_and") if step.node.op == "where" else (step.node.op,):
        others = _others(carried, slot.result, slot, op)
        if others:
            return op, others
    if step.node.op != "where" or slot.parameter not in step.node.inputs:
        return None
    test, first, second = step.node.inputs
    inverted = carried.step(test, "invert")
    if inverted is not None:
        test, first, second = inverted.node.inputs[0], second, first
    if test is not slot.parameter:
        return None
    for op, kept, other, shortcut in (("bitwise_or", first, second, True), ("bitwise_and", second, first, False)):
        constant = carried.lanes.maker.rewriter.constant_of(kept)
        is_same = kept is slot.parameter or (constant is not None and bool(constant) == shortcut)
        if is_same and other is not slot.parameter and carried.lanes.is_known(other):
            return op, [carried.lanes.each(other)]
    return None


def _others(carried: Carried, value: Value, slot: Slot, op: str) -> list[Value] | None:
    """What operations of one kind join with the carried value, in order; None where it is not among it."""
    if value is slot.parameter:
        return []
    step, lanes = carried.step(value, op, "where"), carried.lanes
    if step is None or value not in slot.dependent:
        return None
    if step.node.op == "where":
        return _chosen_others(carried, step.node, slot, op)
    for one, other in itertools.permutations(step.node.inputs):
        before = _others(carried, one, slot, op)
        if before is not None and lanes.is_known(other):
            return [*before, lanes.each(other)]
    return None


def _chosen_others(carried: Carried, node: Node, slot: Slot, op: str) -> list[Value] | None:
    """The same of a choice, one side of which may leave the carried value as it is."""
    lanes, maker, test = carried.lanes, carried.lanes.maker, node.inputs[0]
    if not lanes.is_known(test) or test.type.rank:
        return None
    sides = [_others(carried, side, slot, op) for side in node.inputs[1:]]
    if None in sides:
        return None
    nothing = lanes.spread(maker.constant(op == "bitwise_and", np.bool_), 0)
    made = [functools.reduce(partial(maker.op, op), side) if side else nothing for side in sides]
    return [maker.op("where", lanes.get(test), *made)]


__all__ = ["quantified"]
