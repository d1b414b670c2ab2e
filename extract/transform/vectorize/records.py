"""The largest or least value so far, and what is set beside it: a search over all rounds at once.

    if v > best:                          place = argmax([best, *v]);  best = [best, *v][place]
        best, k = v, i           to       k = [k, *i][place]

A round may leave it out, as `continue` does: there its value is no record.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import TYPE_CHECKING

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.tensor_api.numpy_names import MIRRORED

if TYPE_CHECKING:
    from graph_program.extract.transform.vectorize.carried import Carried, Slot

STRICT = ("greater", "less")
Kept = tuple[tuple[Value, bool], ...]
"""Tests around a choice, with what they must be for the value to stay what it was."""


@dataclass(frozen=True)
class Record:
    """`if value > best: best = value`: its order, its condition and the value, and what leaves it out.

    `compared` is the comparison that the condition comes to, `around` what leaves it out beside that.
    """

    order: str
    test: Value
    value: Value
    kept: Kept
    compared: Node
    around: Kept


class Records:
    """Finds records among what a loop carries."""

    def __init__(self, carried: Carried):
        self.carried = carried

    def _innermost(self, slot: Slot) -> tuple[Kept, Node] | None:
        """The choice that sets a value in some rounds, and the tests around it with what leaves the value as it is."""
        kept: list[tuple[Value, bool]] = []
        step = self.carried.step(slot.result, "where")
        while step is not None:
            test, a, b = step.node.inputs
            if (a is slot.parameter) == (b is slot.parameter):
                return None
            inner = b if a is slot.parameter else a
            if inner not in slot.dependent:
                return tuple(kept), step.node
            if not self.carried.lanes.is_known(test):
                return None
            kept.append((test, a is slot.parameter))
            step = self.carried.step(inner, "where")
        return None

    def of(self, slot: Slot, orders: Container[str] = STRICT) -> Record | None:
        """What is behind `if value > best: best = value`, which some rounds may leave out."""
        found = None if slot.parameter.type.rank else self._innermost(slot)
        if found is None:
            return None
        kept, node = found
        test, value, other = node.inputs
        asked = self._comparison(test)
        if other is not slot.parameter or asked is None or not self.carried.lanes.is_known(value):
            return None
        more, compared = asked
        a, b = compared.inputs
        order = compared.op
        if a is slot.parameter:
            a, b, order = b, a, MIRRORED[order]
        is_set = self.carried.lanes.is_known(a) and self.carried.lanes.get(a) is self.carried.lanes.get(value)
        if not is_set or b is not slot.parameter or not self.carried.has_one_shape(slot):
            return None
        return Record(order, test, value, (*kept, *more), compared, kept) if order in orders else None

    def taken(self, slot: Slot) -> Record | None:
        """What is behind `best = max(value, best)`: the value, unless the one before is greater; so a NaN is taken.

        `best if best >= value else value` takes what is as bad as can be behind a NaN only, which its extreme hides.
        """
        found = None if slot.parameter.type.rank else self._innermost(slot)
        step = None if found is None else self.carried.step(found[1].inputs[0], *MIRRORED)
        if found is None or step is None:
            return None
        kept, node = found
        (test, before, value), (a, b), order = node.inputs, step.node.inputs, step.node.op
        if b is slot.parameter:
            a, b, order = b, a, MIRRORED[order]
        if before is not slot.parameter or a is not slot.parameter or not self.carried.has_one_shape(slot):
            return None
        lanes, is_told = self.carried.lanes, order in STRICT or value.type.dtype.kind != "f"
        is_same = lanes.is_known(value) and lanes.is_known(b) and lanes.get(value) is lanes.get(b)
        return Record(order, test, value, kept, step.node, kept) if is_same and is_told else None

    def _comparison(self, test: Value) -> tuple[Kept, Node] | None:
        """The comparison that a test comes to, and what else it asks: `c and value > best`."""
        step, lanes = self.carried.step(test, "bitwise_and", "where", *MIRRORED), self.carried.lanes
        if step is None:
            return None
        if step.node.op in MIRRORED:
            return (), step.node
        if step.node.op == "where":
            first, compared, other = step.node.inputs
            constant = lanes.maker.rewriter.constant_of(other)
            if other is not first and (constant is None or constant.any()):
                return None
            pairs: tuple[tuple[Value, Value], ...] = ((first, compared),)
        else:
            first, second = step.node.inputs
            pairs = ((first, second), (second, first))
        for asked, compared in pairs:
            found = self._comparison(compared) if lanes.is_known(asked) else None
            if found is not None:
                return ((asked, False), *found[0]), found[1]
        return None

    def extreme(self, slot: Slot) -> Callable[[], Value] | None:
        """The first that is larger than all before it."""
        found = self.of(slot)
        if found is None:
            return None
        candidates = self.carried.front(slot, self.carried.lanes.each(found.value))
        return lambda: self.carried.lanes.maker.op("take", candidates, self._winner(slot, found), axis=0)

    def rows(self, slot: Slot, record: Record) -> Value:
        """What each round has that may be a record; a NaN never is one, nor what is left out."""
        lanes, maker, dtype = self.carried.lanes, self.carried.lanes.maker, slot.parameter.type.dtype
        rows, nothing = lanes.each(record.value), maker.constant(worst(dtype, record.order), dtype)
        if dtype.kind == "f":
            rows = maker.op("where", maker.op("isnan", rows), nothing, rows)
        for test, keeps in record.kept:
            rows = maker.op("where", lanes.each(test), *((nothing, rows) if keeps else (rows, nothing)))
        return rows

    def _winner(self, slot: Slot, record: Record) -> Value:
        """The number of the round of the record, counted from 1; 0 if there is none.

        A NaN from before the loop always stays the record, and is the first extreme.
        """
        maker, nothing = self.carried.lanes.maker, worst(slot.parameter.type.dtype, record.order)
        rows = self.carried.in_rounds(self.carried.front(slot, self.rows(slot, record)), nothing, 1)
        if rows.type.dtype.kind == "b":
            rows = maker.op("cast", rows, dtype=np.dtype(np.int64))
        return maker.op("argmax" if record.order == "greater" else "argmin", rows, axis=0, keepdims=False)

    def position(self, slot: Slot) -> Callable[[], Value] | None:
        """What is set beside a record: `if value > best: best, place = value, k`."""
        own = self._innermost(slot)
        if own is None or own[1].inputs[2] is not slot.parameter or not self.carried.has_one_shape(slot):
            return None
        kept, (test, value, _) = own[0], own[1].inputs
        if not self.carried.lanes.is_known(value):
            return None
        for record in self.carried.slots:
            found = self.of(record) if record is not slot else None
            if found is not None and found.test is test and found.around == kept:
                rows = self.carried.front(slot, self.carried.lanes.each(value))
                break
        else:
            return None
        return lambda: self.carried.lanes.maker.op("take", rows, self._winner(record, found), axis=0)


def worst(dtype: np.dtype, order: str) -> float | bool:
    """What is no record of this order, whatever the one before it."""
    is_greatest = order in ("greater", "greater_equal")
    if dtype.kind == "b":
        return not is_greatest
    if dtype.kind == "f":
        return -np.inf if is_greatest else np.inf
    return int(np.iinfo(dtype).min if is_greatest else np.iinfo(dtype).max)


__all__ = ["Record", "Records", "worst"]
