"""Which of the values that are known of all rounds are worth an array, and what is left of the loop then.

What the loop still needs is found from its end: results of what it carries and gives, what these read, and so on up to
values that are known of all rounds.  Each of those is read from an array, which costs as much as an operation; where
computing one in the round costs no more, it is computed there.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.fission.rounds import AllRounds
from graph_program.extract.transform.vectorize.body import GIVEN, read_by

LARGEST = 400
"""In loops with more values from outside, it is not asked which of these are worth an array."""


@dataclass(frozen=True)
class Choice:
    """
    Attributes
    ----------
    read : list of Value
        Values of the body that are read from arrays.
    kept : list of int
        What is carried still, by number.
    moved : int
        How many operations a round has less.
    """

    read: list[Value]
    kept: list[int]
    moved: int


@dataclass(frozen=True)
class _Rest:
    """What is left of the loop: values read from arrays, operations, and what is carried."""

    read: dict[Value, None]
    operations: int
    kept: list[int]

    def cost(self, rounds: AllRounds) -> int:
        """Operations and accesses of a round."""
        return self.operations + len(self.kept) + sum(map(rounds.lanes.varies, self.read))


def chosen(rounds: AllRounds) -> Choice | None:
    """What to read from arrays; None if that is nothing."""
    moved = {value for value in rounds.makers if rounds.lanes.is_known(value) and value not in rounds.lanes.undefined}
    if not moved:
        return None
    before, rest = _rest(rounds, set()), _rest(rounds, moved)
    while computed := [value for value in rest.read if not rounds.can_be_read(value)]:
        moved.difference_update(computed)
        rest = _rest(rounds, moved)
    tried = -1
    while tried != len(moved):
        tried = len(moved)
        for value in list(rest.read)[:LARGEST]:
            other = _rest(rounds, moved - {value})
            if other.cost(rounds) <= rest.cost(rounds) and all(map(rounds.can_be_read, other.read)):
                moved.discard(value)
                rest = other
    gain = before.cost(rounds) - rest.cost(rounds)
    if gain <= 0 or not rest.kept:
        return None
    return Choice(list(rest.read), rest.kept, before.operations - rest.operations)


def _rest(rounds: AllRounds, moved: set[Value]) -> _Rest:
    """What is left of the loop if some values are known of all rounds."""
    parameters = {slot.parameter: slot for slot in rounds.slots}
    kept = {slot.number: slot for slot in rounds.slots if slot.output in rounds.read}
    if moved:
        kept = {number: slot for number, slot in kept.items() if number not in rounds.finals}
    read: dict[Value, None] = {}
    work, seen, operations = [rounds.body.outputs[0], *(slot.result for slot in kept.values())], set[Value](), 0
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        if value in moved:
            read[value] = None
        elif value in parameters:
            slot = parameters[value]
            if slot.number not in kept:
                kept[slot.number] = slot
                work.append(slot.result)
        elif value in rounds.makers:
            node = rounds.makers[value].node
            operations += _operations(node)
            work += read_by(node)
    return _Rest(read, operations, sorted(kept))


def _operations(node: Node) -> int:
    """How many operations a node is: elements of matrices and larger arrays are taken axis by axis."""
    return len(node.inputs) - 1 if node.op == "gather_nd" else int(node.op not in GIVEN)


__all__ = ["Choice", "chosen"]
