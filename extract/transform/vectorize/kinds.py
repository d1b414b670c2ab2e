"""Counters with a limit that only a run has, and the few states that they go with, as a few kinds.

    n = loop(k < rounds) with n.1 = 0:              "below" limit - 1 rounds add 1, until n is there, or set it to 0;
        t = greater_equal(n.1 + 1, limit)   to      there, and "above", they set it to 0
        give true, where(c and not t, n.1 + 1, 0)

Of such a number it is enough to know whether it is one of a few next to the limit, or how far below or above of these:
far from the limit all rounds treat it alike.  What is asked of it is a truth for each of these kinds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from graph_program.extract.ir.graph import Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.vectorize.carried import Carried, Slot
from graph_program.extract.transform.vectorize.limits import ORDERS, CounterParts, Made
from graph_program.extract.transform.vectorize.states import Machine, do, machine_of_parts, seen_by
from graph_program.extract.types.tensors.tensor_type import PY_INT

MOST_NEAR = 8
"""So many numbers next to the limit are told from each other."""
MOST_KINDS = 16
"""More of them are hardly faster than the loop, where something happens to each of them in each round."""
FARTHEST = 2**31
"""These are not farther from it."""


@dataclass(frozen=True)
class Kinds:
    """A counter and the states that it goes with, as kinds: each state below the limit, near it and above.

    Attributes
    ----------
    parts : CounterParts
    machine : Machine
    made : Made
    near : range
        The numbers next to the limit, without it.
    moves : numpy.ndarray
        What rounds add below those, and above, in each state.
    """

    parts: CounterParts
    machine: Machine
    made: Made
    near: range
    moves: np.ndarray

    @property
    def width(self) -> int:
        """How many kinds each state is."""
        return len(self.near) + 2

    @property
    def count(self) -> int:
        return self.width * len(self.machine.states)

    def each(self, values: Any) -> np.ndarray:
        """What is the same in all states, for each kind."""
        return np.tile(np.array(values), len(self.machine.states))

    @property
    def numbers(self) -> np.ndarray:
        """Of each kind the number, without the limit; of those far from it the next one to it."""
        return self.each([self.near.start - 1, *self.near, self.near.stop])

    @property
    def ends(self) -> np.ndarray:
        """Whether no round begins with it."""
        return np.repeat(np.array(self.machine.ends), self.width)

    @property
    def is_far(self) -> np.ndarray:
        return self.each([True, *(False for _ in self.near), True])

    @property
    def moved(self) -> np.ndarray:
        """What rounds add where the number is far from the limit."""
        below, above = self.moves
        return np.stack([below, *(np.zeros_like(below) for _ in self.near), above], axis=1).ravel()

    @property
    def nears(self) -> np.ndarray:
        """Whether it comes nearer by that."""
        found: np.ndarray = self.is_far & (self.moved == self._toward)
        return found

    @property
    def behind(self) -> np.ndarray:
        """Which kind it is where it has come next to the limit."""
        found: np.ndarray = np.arange(self.count) + self._toward
        return found

    @property
    def _toward(self) -> np.ndarray:
        return self.each([1, *(0 for _ in self.near), -1])

    def columns(self) -> dict[Value, np.ndarray]:
        """What is known of each kind: its state, and what is asked of the counter."""
        states = zip(self.machine.slots, zip(*self.machine.states, strict=True), strict=False)
        found = {s.parameter: np.repeat(np.array(c, s.parameter.type.dtype), self.width) for s, c in states}
        return found | {v: ORDERS[op][0](self.numbers, c) for v, (op, c) in self.parts.asked.items()}


def kinds_of(carried: Carried, slot: Slot) -> Kinds | None:
    """A counter with a limit as kinds; None if a number is something else."""
    parameter = slot.parameter
    if parameter.type != PY_INT or not carried.has_one_shape(slot) or slot.result is parameter:
        return None
    if carried.lanes.maker.is_unset(slot.initial):
        return None
    parts = CounterParts(carried, slot)
    made = parts.of(slot.result)
    if made is None or parts.limit is None:
        return None
    machine = machine_of_parts(parts)
    ends = [number + more for op, number in parts.asked.values() for more in ORDERS[op][1]]
    near = range(min(ends), max(ends))
    if machine is None or len(near) > MOST_NEAR:
        return None
    found = Kinds(parts, machine, made, near, np.zeros((2, len(machine.states)), int))
    if found.count > MOST_KINDS or max(map(abs, ends)) > FARTHEST:
        return None
    return _with_moves(found)


def _with_moves(kinds: Kinds) -> Kinds | None:
    """The same with what rounds add far from the limit; None if that differs, or the state may change by it."""
    seen = seen_by(kinds.parts)
    if seen is None:
        return None
    made = {value: few for value, few in seen.items() if value not in kinds.parts.asked}
    made |= {value: column[:, None] for value, column in kinds.columns().items()}
    do(kinds.parts.steps, made)
    slots, counter = kinds.machine.slots, kinds.made
    parts = [_known(kinds, made, value) for value in (counter.kept, counter.added, *(slot.result for slot in slots))]
    found = [part for part in parts if part is not None]
    if len(found) < len(parts):
        return None
    columns = kinds.columns()
    changed = [behind != columns[slot.parameter][:, None] for slot, behind in zip(slots, found[2:], strict=True)]
    kept, added, *changed = np.broadcast_arrays(*found[:2], *changed, np.zeros((kinds.count, 1), bool))
    moves = np.zeros((len(kinds.machine.states), kinds.width), int)
    for kind in np.flatnonzero(kinds.is_far & ~kinds.ends):
        if any(one[kind][kept[kind]].any() for one in changed):
            return None
        steps = set(added[kind][kept[kind]].tolist()) - {0}
        toward = 1 if kind % kinds.width == 0 else -1
        if len(steps) > 1 or any(one * toward > 1 for one in steps):
            return None
        moves[divmod(kind, kinds.width)] = sum(steps)
    known = replace(kinds, moves=moves[:, [0, -1]].T)
    goes_back = known.nears[known.behind[known.nears]].any()
    return None if goes_back else known


def _known(kinds: Kinds, made: Mapping[Value, np.ndarray | None], value: Value) -> np.ndarray | None:
    """What a value may be; a constant is itself."""
    constant = kinds.parts.lanes.maker.rewriter.constant_of(value)
    return made.get(value) if constant is None else constant


__all__ = ["FARTHEST", "Kinds", "kinds_of"]
