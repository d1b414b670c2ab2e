"""What a loop carries from round to round, as a function of what all rounds compute.

A carried value becomes known to the other steps (its value in each lane) where it follows from what they compute:

    n = n + v                running sums, with `cumsum`, which adds in order, bit for bit
    d = x; x = f(k)          what the round before has set
    again and still          what has one value in every round that there is

Others are known behind the loop only: the largest so far, what some rounds set, arrays that are written (see
`written`) and lists that grow.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import partial
from typing import Any

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.trip_counts import step_of
from graph_program.extract.transform.truths import Truths
from graph_program.extract.transform.vectorize.affine import Affine
from graph_program.extract.transform.vectorize.body import Step
from graph_program.extract.transform.vectorize.lanes import Lanes
from graph_program.extract.transform.vectorize.maker import Last
from graph_program.extract.transform.vectorize.records import Records
from graph_program.extract.transform.vectorize.some_rounds import set_by_some
from graph_program.extract.types.tensors.tensor_type import TensorType

SUMMED = ("i", "u")
EXACT_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
"""Element types of which onnxruntime adds up a running sum as Python does."""


Term = tuple[Value, bool]
"""What is added to a sum, and whether it varies."""
Form = Callable[["Slot"], Callable[[], Value] | None]


@dataclass(eq=False)
class Slot:
    """One carried value: what the loop begins with, and what the rounds that are done at once begin with; then its
    parameter in the body, its next value, and what the loop gives.
    """

    number: int
    begins: Value
    initial: Value
    parameter: Value
    result: Value
    output: Value
    dependent: set[Value] = field(default_factory=set)
    """Values of the body that depend on the parameter."""
    final: Callable[[], Value] | None = None
    is_last: bool = False
    """Whether only the last round counts."""


class Carried:
    """Finds forms of carried values.

    Parameters
    ----------
    lanes : Lanes
    makers : dict of Value to Step
        The step that makes each value of the body.
    slots : list of Slot
    readers : dict of Value to list of Step
        The steps that read each value.
    again : Value
        Whether there is another round, in the body.
    forms : sequence of callable
        Others than those of this file.
    """

    def __init__(
        self,
        lanes: Lanes,
        makers: dict[Value, Step],
        slots: list[Slot],
        readers: dict[Value, list[Step]],
        again: Value,
        forms: Sequence[Callable[[Carried, Slot], Callable[[], Value] | None]] = (),
    ):
        self.lanes, self.makers, self.slots, self.again, self.forms = lanes, makers, slots, again, forms
        self.readers = readers
        self.records = Records(self)
        self.cut: Value | None = None
        """The number of rounds that there are, where the loop may end before the last of the lanes."""
        self.ends_in_error = False
        """Whether the program fails where the loop does that, so that nobody reads what has been collected."""

    def resolve(self, slot: Slot) -> bool:
        """Find the form of a carried value, or what a round asks of it; whether that is new."""
        if slot.final is not None:
            return False
        known = len(self.lanes.known)
        if slot.parameter.type.rank and self.lanes.maker.is_unset(slot.initial):
            forms: tuple[Form, ...] = (self._last,)
        else:
            records = self.records
            more = [partial(form, self) for form in self.forms]
            forms = (self._last, self._sum, *more, records.extreme, records.position)
            forms = (*forms, partial(set_by_some, self), self._before_last)
        for form in forms:
            found = form(slot)
            if found is not None:
                slot.final, slot.is_last = found, form == self._last
                return True
        return self._counts(slot) or len(self.lanes.known) > known

    # ------------------------------------------------------------ helpers

    @property
    def cut_of_lists(self) -> Value | None:
        """The number of rounds of which lists are read."""
        return None if self.ends_in_error else self.cut

    @property
    def as_many_in_all_rounds(self) -> bool:
        """Whether the loops around, if there are any, see arrays of one size in all of their rounds."""
        numbers, size = self.lanes.maker.numbers, self.lanes.size
        return not self.lanes.maker.rewriter.depth or (
            numbers.of(self.lanes.trips) is not None and not numbers.is_round(size)
        )

    def step(self, value: Value, *ops: str) -> Step | None:
        """The step that makes a value, if it is such an operation."""
        step = self.makers.get(value)
        return step if step is not None and step.node.op in ops else None

    def has_one_shape(self, slot: Slot) -> bool:
        return slot.initial.type.shape == slot.parameter.type.shape == slot.result.type.shape

    def front(self, slot: Slot, rows: Value) -> Value:
        """The initial value in front of what the lanes have."""
        maker = self.lanes.maker
        return maker.op("concatenate", maker.expand(slot.initial, 0), rows, axis=0)

    def one_before(self, rows: Value) -> Value:
        """All rows but the last."""
        maker = self.lanes.maker
        return maker.rows(rows, maker.constant(0), maker.constant(-1))

    def end(self, rows: Value) -> Value:
        """Of an initial value and those behind each round, that behind the last."""
        maker = self.lanes.maker
        return maker.op("take", rows, maker.constant(-1) if self.cut is None else self.cut, axis=0)

    def in_rounds(self, rows: Value, nothing: Any, extra: int = 0) -> Value:
        """The rows of lanes that are rounds, and some in front of them; see `first`."""
        maker = self.lanes.maker
        if self.cut is None:
            return rows
        stop = maker.op("add", self.cut, maker.constant(extra)) if extra else self.cut
        return self.first(rows, stop, nothing)

    def first(self, rows: Value, count: Value, nothing: Any) -> Value:
        """The first numbers, so many; in a loop inside of others with `nothing` instead of the rest, for one length."""
        maker = self.lanes.maker
        if not maker.rewriter.depth:
            return maker.rows(rows, maker.constant(0), count)
        early = maker.op("less", maker.op("iota", maker.op("dim", rows, axis=0)), count)
        return maker.op("where", early, rows, maker.constant(nothing, rows.type.dtype))

    # ------------------------------------------------------------ the last one

    def _last(self, slot: Slot) -> Callable[[], Value] | None:
        """What a round sets, whatever it was before."""
        lanes, maker = self.lanes, self.lanes.maker
        if not self.has_one_shape(slot):
            return None
        if not lanes.is_known(slot.result):
            return self._last_inside(slot)
        if slot.parameter.type.rank and lanes.varies(slot.result) and slot.parameter not in maker.read:
            lanes.needs_round = True
            return lambda: self._last_row(lanes.get(slot.result))
        if slot.parameter.type.rank and maker.is_unset(slot.initial):
            return None
        rows = None
        if lanes.varies(slot.result):
            rows = self.front(slot, lanes.get(slot.result))
        if slot.parameter not in lanes.known and slot.parameter in maker.read:
            lanes.define(slot.parameter, self._before(slot, rows), varying=True)
        if rows is None:
            return lambda: self._if_any(slot)
        return lambda: self._noted_end(slot, rows, lanes.get(slot.result), self.cut)

    def _noted_end(self, slot: Slot, rows: Value, made: Value, rounds: Value | None) -> Value:
        """What the last round has set, of all or so many, behind an initial value; see `Maker.lasts`."""
        maker = self.lanes.maker
        found = maker.op("take", rows, maker.constant(-1) if rounds is None else rounds, axis=0)
        if rounds is None:
            maker.lasts[found] = Last(slot.initial, made)
        return found

    def rounds_inside(self, width: Value) -> Value | None:
        """How many rounds there are of a loop inside that has so many in each; None for those of all lanes."""
        return None if self.cut is None else self.lanes.maker.op("multiply", self.cut, width)

    def set_inside(self, slot: Slot, value: Value) -> tuple[Last, Value] | None:
        """What all rounds set of a loop inside that sets a number, in each lane, and how many rounds it has."""
        lanes, maker = self.lanes, self.lanes.maker
        found = maker.lasts.get(value)
        if found is None or found.before is not slot.parameter or slot.parameter.type.rank:
            return None
        if not all(map(lanes.is_known, found.parts)):
            return None
        rows = lanes.each(found.rows)
        return Last(found.before, rows, found.wanted), maker.op("dim", rows, axis=1)

    def _last_inside(self, slot: Slot) -> Callable[[], Value] | None:
        """What a loop inside sets: the last of all rounds of both."""
        maker, found = self.lanes.maker, self.set_inside(slot, slot.result)
        if found is None or found[0].wanted is not None:
            return None
        flat, width = maker.op("reshape", found[0].rows, maker.constant(-1)), found[1]
        return lambda: self._noted_end(slot, self.front(slot, flat), flat, self.rounds_inside(width))

    def _last_row(self, rows: Value) -> Value:
        """The row of the last round, of which there is one."""
        maker = self.lanes.maker
        last = maker.constant(-1) if self.cut is None else maker.op("subtract", self.cut, maker.constant(1))
        return maker.op("take", rows, last, axis=0)

    def _before(self, slot: Slot, rows: Value | None) -> Value:
        """What a value was before each round."""
        maker, rank = self.lanes.maker, slot.parameter.type.rank
        if rows is not None:
            return self.one_before(rows)
        first = maker.op("equal", self.lanes.lanes, maker.constant(0))
        first = maker.expand(first, *range(1, 1 + rank))
        return maker.op("where", first, slot.initial, self.lanes.get(slot.result))

    def _if_any(self, slot: Slot) -> Value:
        """What every round sets to the same."""
        maker, lanes = self.lanes.maker, self.lanes
        made = lanes.get(slot.result)
        if slot.result in lanes.undefined:
            return slot.initial
        lower = lanes.size.lower
        if lower is not None and lower > 0:
            return made
        found = maker.op("where", maker.op("less", maker.constant(0), lanes.count), made, slot.initial)
        maker.never_set.add(found)
        return found

    # ------------------------------------------------------------ sums

    def _sum(self, slot: Slot) -> Callable[[], Value] | None:
        """A running sum."""
        dtype = slot.parameter.type.dtype
        if dtype.kind not in SUMMED and dtype not in EXACT_FLOATS:
            return None
        if slot.parameter.type.is_bfloat16 or not self.has_one_shape(slot) or slot.result is slot.parameter:
            return None
        inner = self._sum_inside(slot)
        if inner is not None or not self._is_chain(slot.result, slot):
            return inner
        terms = self._terms(slot.result, slot)
        if not terms:
            return None
        if dtype.kind in SUMMED:
            return self._exact_sum(slot, terms)
        rows = [self._rows(term, slot) for term in terms]
        if len(rows) > 1 and slot.parameter.type.rank:
            return None
        return self._sum_of(slot, rows)

    def _exact_sum(self, slot: Slot, terms: list[Term]) -> Callable[[], Value]:
        """A sum of integers, in any order."""
        lanes, maker = self.lanes, self.lanes.maker
        if len(terms) == 1 and not terms[0][1] and not slot.parameter.type.rank:
            return self._progression(slot, terms[0][0])
        rows = [self._rows(term, slot) for term in terms]
        made = rows[0]
        for more in rows[1:]:
            made = maker.op("add", made, more)
        sums = maker.op("cumsum", made, axis=0)
        known = maker.rewriter.constant_of(slot.initial)
        if known is None or known.any():
            sums = maker.op("add", sums, slot.initial)
        lanes.define(slot.parameter, maker.op("subtract", sums, made), varying=True)
        if lanes.total:
            return lambda: self.end(self.front(slot, sums))
        return lambda: maker.op("add", slot.initial, maker.op("sum", made, axes=(0,), keepdims=False))

    def _sum_of(self, slot: Slot, rows: list[Value]) -> Callable[[], Value]:
        """A sum of floats in the order of the rounds, several of them in each."""
        lanes, maker, count = self.lanes, self.lanes.maker, len(rows)
        made = rows[0]
        if count > 1:
            made = maker.op("concatenate", *(maker.expand(row, 1) for row in rows), axis=1)
            made = maker.op("reshape", made, maker.constant(-1))
        sums = maker.op("cumsum", self.front(slot, made), axis=0)
        stop = maker.constant(-1)
        before = maker.op("slice", sums, maker.constant(0), stop, axes=(0,), steps=(count,))
        lanes.define(slot.parameter, self._typed(before, slot), varying=True)

        def final() -> Value:
            if self.cut is None:
                maker.sums[found := maker.op("take", sums, stop, axis=0)] = (slot.initial, made)
                return found
            return maker.op("take", sums, maker.op("multiply", self.cut, maker.constant(count)), axis=0)

        return final

    def _typed(self, made: Value, slot: Slot) -> Value:
        """A value that has a row for each lane, though its type does not say so."""
        if made.type.shape[0] != self.lanes.size:
            made.type = TensorType(made.type.dtype, (self.lanes.size, *slot.parameter.type.shape))
        return made

    def _sum_inside(self, slot: Slot) -> Callable[[], Value] | None:
        """A sum to which a loop inside adds: the same over all rounds of both."""
        maker, rows = self.lanes.maker, self._rows_inside(slot, slot.result)
        if rows is None:
            return None
        sizes = [maker.op("dim", rows, axis=k) for k in range(rows.type.rank)]
        flat = maker.op("reshape", rows, maker.op("multiply", *sizes[:2]), *sizes[2:])
        sums = maker.op("cumsum", self.front(slot, flat), axis=0)

        def final() -> Value:
            rounds = self.rounds_inside(sizes[1])
            made = maker.op("take", sums, maker.constant(-1) if rounds is None else rounds, axis=0)
            if rounds is None:
                maker.sums[made] = (slot.initial, flat)
            return made

        return final

    def _rows_inside(self, slot: Slot, value: Value) -> Value | None:
        """What all rounds of a loop inside add, in each lane; nothing where choices leave the sum as it is."""
        lanes, maker, step = self.lanes, self.lanes.maker, self.step(value, "where")
        if step is None:
            begin, rows = maker.sums.get(value, (None, None))
            return lanes.each(rows) if begin is slot.parameter and rows is not None and lanes.is_known(rows) else None
        test, *sides = step.node.inputs
        if slot.parameter not in sides or not lanes.is_known(test):
            return None
        is_first = sides[1] is slot.parameter
        rows = self._rows_inside(slot, sides[not is_first])
        if rows is None:
            return None
        holds = maker.expand(lanes.each(test), *range(1, 2 + slot.parameter.type.rank - test.type.rank))
        nothing = maker.constant(-0.0, slot.parameter.type.dtype)  # x + -0.0 is x, bit for bit
        return maker.op("where", holds, *((rows, nothing) if is_first else (nothing, rows)))

    def _rows(self, term: Term, slot: Slot) -> Value:
        """What is added in each lane, in the shape of the sum."""
        lanes, maker, (made, varying) = self.lanes, self.lanes.maker, term
        shape = slot.parameter.type.shape
        if not varying:
            made = lanes.spread(made, made.type.rank)
        made = maker.expand(made, *range(1, 2 + len(shape) - made.type.rank))
        if made.type.shape[1:] == shape:
            return made
        sizes = [maker.op("dim", slot.initial, axis=k) for k in range(len(shape))]
        return maker.broadcast(made, [lanes.count, *sizes], (lanes.size, *shape))

    def _progression(self, slot: Slot, step: Value) -> Callable[[], Value]:
        """A number to which each round adds the same."""
        lanes, maker = self.lanes, self.lanes.maker
        dtype = slot.parameter.type.dtype

        def behind(rounds: Value) -> Value:
            if rounds.type.dtype != dtype:
                rounds = maker.op("cast", rounds, dtype=dtype)
            return maker.op("add", slot.initial, maker.op("multiply", step, rounds))

        lanes.define(slot.parameter, behind(lanes.lanes), varying=True)
        factor = maker.numbers.of(step)
        if factor is not None and factor.constant is not None:
            lanes.affine[slot.parameter] = Affine(int(factor.constant), maker.numbers.of(slot.begins))
        return lambda: behind(lanes.count if self.cut is None else self.cut)

    def _counts(self, slot: Slot) -> bool:
        """Take note of a number that changes by the same in each round but the last; whether that is new.

        What the last round makes of it, which may leave it as it is, follows from what it was before.
        """
        lanes, dtype = self.lanes, slot.parameter.type.dtype
        if not lanes.total or slot.parameter.type.rank or dtype != np.int64 or lanes.is_known(slot.parameter):
            return False
        truths = Truths(lanes.maker.rewriter.producer)
        step = step_of(slot.result, slot.parameter, self.again, truths)
        if step is not None:
            self._progression(slot, lanes.maker.constant(step))
        return step is not None

    def _is_chain(self, value: Value, slot: Slot) -> bool:
        """Whether a value is the carried one with something added, as far as can be seen, of known addends."""
        if value is slot.parameter:
            return True
        step = self.makers.get(value)
        if step is None or value not in slot.dependent:
            return False
        node = step.node
        if node.op == "where":
            test, *sides = node.inputs
            return self.lanes.is_known(test) and all(self._is_chain(side, slot) for side in sides)
        if node.op not in ("add", "subtract") or value.type.dtype != slot.parameter.type.dtype:
            return False
        a, b = node.inputs
        if node.op == "add" and b in slot.dependent:
            a, b = b, a
        return self.lanes.is_known(b) and self._is_chain(a, slot)

    def _terms(self, value: Value, slot: Slot) -> list[Term]:
        """What a chain adds, one after the other, each with whether it varies."""
        if value is slot.parameter:
            return []
        lanes, maker = self.lanes, self.lanes.maker
        node = self.makers[value].node
        if node.op == "where":
            return self._chosen_terms(node, slot)
        a, b = node.inputs
        if node.op == "add" and b in slot.dependent:
            a, b = b, a
        added = maker.op("negative", lanes.get(b)) if node.op == "subtract" else lanes.get(b)
        return [*self._terms(a, slot), (added, lanes.varies(b))]

    def _chosen_terms(self, node: Node, slot: Slot) -> list[Term]:
        """What two sides add; nothing where one adds less."""
        lanes, maker, dtype = self.lanes, self.lanes.maker, slot.parameter.type.dtype
        test, *sides = node.inputs
        nothing = maker.constant(0 if dtype.kind in SUMMED else -0.0, dtype)  # x + -0.0 is x, bit for bit
        found = []
        for pair in itertools.zip_longest(*(self._terms(side, slot) for side in sides), fillvalue=(nothing, False)):
            rank = max(test.type.rank, *(made.type.rank - varying for made, varying in pair))
            aligned = [self._lane_aligned(*term, rank) for term in pair]
            varying = lanes.varies(test) or any(term[1] for term in pair)
            found.append((maker.op("where", lanes.aligned(test, rank), *aligned), varying))
        return found

    def _lane_aligned(self, made: Value, varying: bool, rank: int) -> Value:
        if not varying:
            return made
        return self.lanes.maker.expand(made, *range(1, 1 + rank - (made.type.rank - 1)))

    # ------------------------------------------------------------ known behind the loop

    def _before_last(self, slot: Slot) -> Callable[[], Value] | None:
        """What another number was where the last round has begun: `break` gives what it finds."""
        found = [other for other in self.slots if other.parameter is slot.result and other is not slot]
        if not found or slot.parameter.type.rank or not self.lanes.total or not self.has_one_shape(slot):
            return None
        (other,) = found
        if other.final is None or other.is_last:
            return None
        self.lanes.needs_round = True
        return lambda: self._one_round_less(other)

    def _one_round_less(self, slot: Slot) -> Value:
        """What a value is behind the last round but one."""
        cut, maker = self.cut, self.lanes.maker
        assert slot.final is not None and cut is not None
        self.cut = maker.op("subtract", cut, maker.constant(1))
        try:
            return slot.final()
        finally:
            self.cut = cut


__all__ = ["Carried", "Slot"]
