"""Counters that are compared with a limit which only a run has, together with the few states that they go with.

    n = loop(k < rounds) with n.1 = 0:              0 <= limit - 1 is "below"; from there rounds add 1, until
        t = greater_equal(n.1 + 1, limit)   to      n is limit - 1, or set it to 0; from "at" and "above" they set 0
        give true, where(c and not t, n.1 + 1, 0)

Of such a number it is enough to know whether it is one of a few next to the limit, or how far below or above of these:
far from the limit all rounds treat it alike.  What is asked of it is a truth for each of these kinds.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.linear import Linear, linear
from graph_program.extract.transform.vectorize.carried import Carried, Slot
from graph_program.extract.transform.vectorize.states import Machine, Parts, do, machine_of_parts, seen_by
from graph_program.extract.transform.vectorize.switches import CONNECTIVES
from graph_program.extract.types.tensors.tensor_type import BOOL, PY_INT
from graph_program.tensor_api.numpy_names import MIRRORED

MOST_NEAR = 8
"""So many numbers next to the limit are told from each other."""
MOST_KINDS = 32
ORDERS: dict[str, tuple[Callable[[Any, Any], Any], tuple[int, ...]]] = {
    "less": (operator.lt, (0,)),
    "less_equal": (operator.le, (1,)),
    "greater": (operator.gt, (1,)),
    "greater_equal": (operator.ge, (0,)),
    "equal": (operator.eq, (0, 1)),
    "not_equal": (operator.ne, (0, 1)),
}
"""What comparisons with a number come to, and from which number on, counted from that, they come to something else."""


@dataclass(frozen=True)
class Made:
    """What a round makes of the counter: itself, where it is `kept`, and what is `added`; else what it is `set` to."""

    kept: Value
    added: Value
    set: Value | None


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
        return np.repeat(self.machine.ends, self.width)

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
        toward = self.each([1, *(0 for _ in self.near), -1])
        return (toward != 0) & (self.moved == toward)

    @property
    def behind(self) -> np.ndarray:
        """Which kind it is where it has come next to the limit."""
        return np.arange(self.count) + self.each([1, *(0 for _ in self.near), -1])

    def columns(self) -> dict[Value, np.ndarray]:
        """What is known of each kind: its state, and what is asked of the counter."""
        states = zip(self.machine.slots, zip(*self.machine.states, strict=True), strict=False)
        found = {s.parameter: np.repeat(np.array(c, s.parameter.type.dtype), self.width) for s, c in states}
        return found | {v: ORDERS[op][0](self.numbers, c) for v, (op, c) in self.parts.asked.items()}


class CounterParts(Parts):
    """A counter, and the numbers that it depends on.

    Attributes
    ----------
    asked : dict of Value to pair of str and int
        Truths that a round asks of the counter: how it compares with the limit and a number.
    limit : dict of Value to int, optional
        None where nothing has been asked.
    set_steps : list of pair of Value and Node
        What chooses between what the counter is set to.
    """

    def __init__(self, carried: Carried, counter: Slot):
        super().__init__(carried)
        self.counter = counter
        self.asked: dict[Value, tuple[str, int]] = {}
        self.limit: Mapping[Value, int] | None = None
        self.set_steps: list[tuple[Value, Node]] = []
        self._answers: dict[tuple[str, Value, Value], Value | None] = {}
        self._found: dict[Value, Made | None] = {}

    def adds(self, slot: Slot) -> bool:
        return slot is not self.counter and super().adds(slot)

    def adds_made(self, value: Value, more: bool) -> bool:
        step = None if value in self._made or self.lanes.is_known(value) else self.carried.step(value, *ORDERS)
        if step is not None and self._asks(value, step.node, more):
            self._made[value] = True
        return self._adds_choice(value) or super().adds_made(value, more)

    def _adds_choice(self, value: Value) -> bool:
        """Note what makes a known value of truths, so that it is not taken for one apart from them; whether that is."""
        step = self.carried.step(value, *CONNECTIVES) if self.lanes.is_known(value) else None
        if (
            step is None
            or value in self._made
            or value.type.rank
            or not all(map(self.lanes.is_known, step.node.inputs))
        ):
            return self._made.get(value, False)
        self._made[value] = all(self.adds_made(one, False) for one in step.node.inputs)
        if self._made[value]:
            self.steps.append((value, step.node))
        return self._made[value]

    def _truth(self, truth: bool) -> Value:
        return self.lanes.maker.constant(truth, BOOL)

    # ------------------------------------------------------------ what is asked

    def _asks(self, value: Value, node: Node, more: bool) -> bool:
        """Note what a comparison with the counter comes to; whether it is one."""
        pairs = (node.inputs, node.op), (node.inputs[::-1], MIRRORED.get(node.op, node.op))
        for (number, other), op in pairs:
            known = self.lanes.is_known(other) and not self.lanes.varies(other) and not other.type.rank
            if known and other.type.dtype == PY_INT.dtype and self._may_be_counter(number):
                answer = self._answer(op, number, other, more, value)
                if answer is not None and answer is not value:
                    self.steps.append((value, Node("cast", [answer], [value], {"dtype": BOOL})))
                return answer is not None
        return False

    def _may_be_counter(self, value: Value) -> bool:
        """Whether a number is the counter, with something added, or a choice of such."""
        work, seen = [value], set[Value]()
        while work:
            one = work.pop()
            step = self.carried.step(one, "where") if one in self.counter.dependent and one not in seen else None
            seen.add(one)
            if self._added(one) is not None:
                return True
            work += step.node.inputs[1:] if step is not None else ()
        return False

    def _answer(self, op: str, number: Value, other: Value, more: bool, value: Value) -> Value | None:
        """The truth that the comparison of a number comes to; if it is no other one, it is noted as `value`."""
        question = op, number, other
        if question not in self._answers:
            self._answers[question] = self._answer_to(*question, more, value)
        return self._answers[question]

    def _answer_to(self, op: str, number: Value, other: Value, more: bool, value: Value) -> Value | None:
        lanes, known = self.lanes, self.lanes.maker.rewriter.constant_of
        constants = known(lanes.get(number)), known(lanes.get(other))
        if constants[0] is not None and constants[1] is not None:
            return self._truth(bool(ORDERS[op][0](*constants)))
        if lanes.is_known(number):
            made = lanes.maker.op(op, lanes.get(number), lanes.get(other))
            lanes.define(value, made, lanes.varies(number))
            return value
        added = self._added(number)
        if added is not None:
            return value if self._compares(value, op, added, other) else None
        step = self.carried.step(number, "where")
        if step is None or not self.adds_made(step.node.inputs[0], more):
            return None
        test, *sides = step.node.inputs
        answers = [self._answer(op, side, other, more, lanes.maker.rewriter.like(value)) for side in sides]
        found = [answer for answer in answers if answer is not None]
        if len(found) < len(answers):
            return None
        self.steps.append((value, Node("where", [test, *found], [value])))
        return value

    def _compares(self, value: Value, op: str, added: int, other: Value) -> bool:
        """Note that a truth says how the counter and a number compare with the limit; whether it is one limit."""
        form = Linear({other: 1})
        if other.type == PY_INT:
            form = linear(self.lanes.get(other), self.lanes.maker.rewriter.producer.get)
        if self.limit is None and len(form.terms) <= 1 and all(factor == 1 for factor in form.terms.values()):
            self.limit = form.terms
        if self.limit != form.terms:
            return False
        self.asked[value] = op, form.constant - added
        return True

    def _added(self, value: Value) -> int | None:
        """What is added to the counter, if that is what a value is."""
        form = linear(value, self.lanes.maker.rewriter.producer.get)
        is_sum = form.terms == {self.counter.parameter: 1} and value.type == PY_INT
        return form.constant if is_sum and abs(form.constant) <= MOST_NEAR else None

    # ------------------------------------------------------------ what a round makes of it

    def of(self, value: Value) -> Made | None:
        """What a round makes of the counter; None if it is something else."""
        if value not in self._found:
            self._found[value] = self._made_of(value)
        return self._found[value]

    def _made_of(self, value: Value) -> Made | None:
        maker = self.lanes.maker
        if self.lanes.is_known(value):
            return None if value.type.rank else Made(self._truth(False), maker.constant(0), value)
        added = self._added(value)
        if added is not None:
            return Made(self._truth(True), maker.constant(added), None)
        step = self.carried.step(value, "where")
        if step is None or not self.adds_made(step.node.inputs[0], True):
            return None
        a, b = map(self.of, step.node.inputs[1:])
        if a is None or b is None:
            return None
        test, sets = step.node.inputs[0], [side.set for side in (a, b) if side.set is not None]
        kept = self._chosen(test, [a.kept, b.kept], self.steps)
        added_there = self._chosen(test, [a.added, b.added], self.steps)
        return Made(kept, added_there, self._chosen(test, sets, self.set_steps) if sets else None)

    def _chosen(self, test: Value, sides: list[Value], steps: list[tuple[Value, Node]]) -> Value:
        first, last = sides[0], sides[-1]
        if first is last:
            return first
        found = Value(self.lanes.maker.rewriter.names.fresh("chosen"), first.type)
        steps.append((found, Node("where", [test, first, last], [found])))
        return found


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
    if found.count > MOST_KINDS or max(map(abs, ends)) > 2**31:
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
    parts = [(made[slot.result], made[slot.parameter]) for slot in kinds.machine.slots]
    kept, added = (_known(kinds, made, value) for value in (kinds.made.kept, kinds.made.added))
    if kept is None or added is None or any(behind is None for behind, _ in parts):
        return None
    changed = [np.not_equal(behind, before) for behind, before in parts]
    kept, added, *changed = np.broadcast_arrays(kept, added, *changed, np.zeros((kinds.count, 1), bool))
    moves = np.zeros((len(kinds.machine.states), kinds.width), int)
    for kind in np.flatnonzero(kinds.is_far & ~kinds.ends):
        if any(one[kind][kept[kind]].any() for one in changed):
            return None
        steps = set(added[kind][kept[kind]].tolist()) - {0}
        toward = 1 if kind % kinds.width == 0 else -1
        if len(steps) > 1 or any(one * toward > 1 for one in steps):
            return None
        moves[divmod(kind, kinds.width)] = sum(steps)
    found = replace(kinds, moves=moves[:, [0, -1]].T)
    goes_back = found.nears[found.behind[found.nears]].any()
    return None if goes_back else found


def _known(kinds: Kinds, made: Mapping[Value, np.ndarray | None], value: Value) -> np.ndarray | None:
    """What a value may be; a constant is itself."""
    constant = kinds.parts.lanes.maker.rewriter.constant_of(value)
    return made.get(value) if constant is None else constant


__all__ = ["Kinds", "kinds_of"]
