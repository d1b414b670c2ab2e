"""Which states numbers that a loop carries go through, where those are few, whatever rounds see.

    state = 0                                   0, then of 0: 0 or 1; of 1: 1 or 2; of 2: 2 or 0
    loop: if state == 0 and x > 1: state = 1
          elif state == 1 and x < 0: ...

Numbers that depend on each other are in a state together.  Rounds are done from all states that are known, with every
combination of what they may see, until there are no new ones.  Behind a round that ends the loop there is none.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

import graph_program.tensor_api.ops  # noqa: F401  (fills OPS)
from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.vectorize.carried import Carried, Slot
from graph_program.tensor_api.opdef import OPS

MOST_STATES = 32
MOST_SEEN = 1024
"""So many combinations of what rounds see are tried."""
MOST_PLACES = 1024
"""Between the least of each number and the greatest there are so many combinations at most."""
OPERATIONS = (
    *("where", "cast", "invert", "bitwise_and", "bitwise_or", "bitwise_xor", "equal", "not_equal", "less"),
    *("less_equal", "greater", "greater_equal", "add", "subtract", "multiply", "negative", "absolute", "maximum"),
    "minimum",
)
"""What a round may do with such numbers: nothing that fails."""
TABLES = ("take", "gather_nd")
"""And read known tables, where no state is outside of them."""
TRUTHS = (False, True)
State = tuple[Any, ...]
Seen = dict[Value, np.ndarray | None]
"""What values may be, one combination in each column; None for anything."""


@dataclass(frozen=True)
class Machine:
    """Numbers that depend on each other, the operations between them in order, and the states that they may be in.

    Attributes
    ----------
    slots : list of Slot
    steps : list of pair of Value and Node
        What a round computes, and how.
    states : list of tuple
        Of each, the values of all numbers.
    ends : list of bool
        Which of them no round begins with.
    """

    slots: list[Slot]
    steps: list[tuple[Value, Node]]
    states: list[State]
    ends: list[bool]

    def columns(self) -> Iterator[tuple[Slot, tuple[Any, ...]]]:
        """Each number with what it is in all states."""
        return zip(self.slots, zip(*self.states, strict=True), strict=True)


def machine_of(carried: Carried, slot: Slot) -> Machine | None:
    """The numbers that one depends on, with it, if they go through a few states."""
    found = Parts(carried)
    return machine_of_parts(found) if found.adds(slot) else None


def machine_of_parts(found: Parts) -> Machine | None:
    """The numbers that have been noted, if they go through a few states."""
    carried = found.carried
    goes_on = carried.again if found.is_made_of_slots(carried.again) else None
    begun = [_possible(carried, one.begins) for one in found.slots]
    seen = seen_by(found)
    if seen is None or any(values is None for values in begun):
        return None
    return _reached(found, seen, [values for values in begun if values is not None], goes_on)


class Parts:
    """Numbers that depend on each other, and what a round does with them."""

    def __init__(self, carried: Carried):
        self.carried, self.lanes = carried, carried.lanes
        self.slots: list[Slot] = []
        self.steps: list[tuple[Value, Node]] = []
        self.tables: dict[Value, np.ndarray] = {}
        """Known arrays that are read."""
        self._parameters = {one.parameter: one for one in carried.slots}
        self._made: dict[Value, bool] = {}

    def adds(self, slot: Slot) -> bool:
        """Note a number and what a round makes of it; whether all of that can be done for each state."""
        parameter = slot.parameter
        if parameter.type.dtype.kind not in "biu" or parameter.type.rank or not self.carried.has_one_shape(slot):
            return False
        if slot.result is parameter or self.lanes.maker.is_unset(slot.initial):
            return False
        self.slots.append(slot)
        return self.adds_made(slot.result, True)

    def is_made_of_slots(self, value: Value) -> bool:
        """Note what makes a value if it is made of the numbers that there are; whether it is."""
        count = len(self.steps)
        is_made = not self.lanes.is_known(value) and self.adds_made(value, False)
        if not is_made:
            del self.steps[count:]
        return is_made

    def adds_made(self, value: Value, more: bool) -> bool:
        """Note what makes a value, and more numbers if those are wanted."""
        if self.lanes.is_known(value):
            return not value.type.rank
        if value in self._parameters:
            slot = self._parameters[value]
            return slot in self.slots or (more and self.adds(slot))
        if value not in self._made:
            step = self.carried.step(value, *OPERATIONS, *TABLES)
            self._made[value] = step is not None and not value.type.rank and self._adds_operands(step.node, more)
            if step is not None and self._made[value]:
                self.steps.append((value, step.node))
        return self._made[value]

    def _adds_operands(self, node: Node, more: bool) -> bool:
        operands = node.inputs
        if node.op in TABLES:
            table, *operands = operands
            known = self.lanes.maker.rewriter.constant_of(table)
            if known is None:
                return False
            self.tables[table] = known
        return all(self.adds_made(value, more) for value in operands)


def _possible(carried: Carried, value: Value) -> Sequence[Any] | None:
    """What a value may be of which only the lanes know more; None if it is more than a few."""
    known, maker = carried.lanes.maker.rewriter.constant_of(value), carried.makers.get(value)
    if known is not None and not known.ndim:
        return [known.item()]
    if value.type.dtype.kind == "b":
        return TRUTHS
    if maker is not None and maker.node.op == "where":
        sides = [_possible(carried, side) for side in maker.node.inputs[1:]]
        found = {one for side in sides if side is not None for one in side}
        if None not in sides and len(found) <= MOST_STATES:
            return sorted(found)
    if maker is not None and maker.node.op == "cast" and maker.node.inputs[0].type.dtype.kind == "b":
        return [0, 1]
    ends = carried.lanes.ranges.of(value)
    if ends is None or ends[0].constant is None or ends[1].constant is None:
        return None
    low, high = ends[0].constant, ends[1].constant
    return range(low, high + 1) if high - low < MOST_STATES else None


def seen_by(found: Parts) -> Seen | None:
    """What rounds may see; None if that is too much.

    What compares something with what may be anything is seen, too.
    """
    of_states = {*found.tables, *(slot.parameter for slot in found.slots)}
    possible: dict[Value, Sequence[Any] | None] = {}

    def note(values: Iterable[Value]) -> None:
        for value in values:
            if value not in of_states and value not in possible:
                possible[value] = _possible(found.carried, value)

    for output, node in found.steps:
        note(node.inputs)
        if all(possible.get(value, ()) is not None for value in node.inputs):
            of_states.add(output)
        else:
            possible[output] = TRUTHS if output.type.dtype.kind == "b" else None
    note([slot.result for slot in found.slots])
    values = {value: few for value, few in possible.items() if few is not None}
    if math.prod(map(len, values.values())) > MOST_SEEN:
        return None
    columns = zip(*itertools.product(*values.values()), strict=True)
    seen: Seen = {value: np.array(column, value.type.dtype) for value, column in zip(values, columns, strict=True)}
    return {**found.tables, **seen, **dict.fromkeys(possible.keys() - values.keys())}


def _reached(found: Parts, seen: Seen, begun: Sequence[Sequence[Any]], goes_on: Value | None) -> Machine | None:
    """The states that rounds come to, whatever they see; None if there are too many."""
    begins = set(itertools.islice(itertools.product(*begun), MOST_STATES + 1))
    states, more = set(begins), begins
    while more:
        made = None if len(states) > MOST_STATES else _behind(found, seen, sorted(more), goes_on)
        if made is None:
            return None
        behind, more = made
        more = more - begins
        begins |= more
        states |= behind
    if len(states) > MOST_STATES or math.prod(spans(states)) > MOST_PLACES:
        return None
    known, ends = sorted(states), states - begins
    if ends and _behind(found, seen, sorted(ends), goes_on) is None:
        return None  # they are looked up in tables, too, though what is found there is not read
    return Machine(found.slots, found.steps, known, [state in ends for state in known])


def _behind(
    found: Parts, seen: Seen, states: Sequence[State], goes_on: Value | None
) -> tuple[set[State], set[State]] | None:
    """The states behind a round that begins with one of some, and those with which another one begins.

    None if they may be anything.
    """
    made = dict(seen)
    for slot, values in zip(found.slots, zip(*states, strict=True), strict=True):
        made[slot.parameter] = np.array(values, slot.parameter.type.dtype)[:, None]
    try:
        do(found.steps, made)
    except IndexError:  # of a table, which a check has to tell
        return None
    ends = [made[slot.result] for slot in found.slots]
    again = made.get(goes_on) if goes_on is not None else None
    rows = np.broadcast_arrays(*(end for end in (*ends, True if again is None else again) if end is not None))
    if len(rows) <= len(ends):
        return None
    behind = set(zip(*(row.ravel().tolist() for row in rows), strict=True))
    return {state[:-1] for state in behind}, {state[:-1] for state in behind if state[-1]}


def do(steps: Iterable[tuple[Value, Node]], made: Seen) -> None:
    """Do what a round does, with what it may find."""
    for output, node in steps:
        operands = [made[value] for value in node.inputs]
        known = [operand for operand in operands if operand is not None]
        if output not in made:
            is_known = len(known) == len(operands)
            made[output] = OPS[node.op].reference(*known, **node.attrs) if is_known else None


def spans(states: Iterable[State]) -> list[int]:
    """How far the least of each number is from the greatest, with both of them."""
    return [int(max(values)) - int(min(values)) + 1 for values in zip(*states, strict=True)]


__all__ = ["TABLES", "Machine", "Parts", "Seen", "State", "do", "machine_of", "machine_of_parts", "seen_by", "spans"]
