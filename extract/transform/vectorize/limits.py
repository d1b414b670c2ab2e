"""What rounds ask of a counter that they compare with a limit which only a run has, and what they make of it.

t = greater_equal(n + 1, limit)                 asked: whether n - limit >= -1
give where(c, where(t, 0, n + 1), n)    to      kept where not c or not t; added where(c, 1, 0); set to 0
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.linear import Linear, linear
from graph_program.extract.transform.vectorize.carried import Carried, Slot
from graph_program.extract.transform.vectorize.states import Parts
from graph_program.extract.transform.vectorize.switches import CONNECTIVES
from graph_program.extract.types.tensors.tensor_type import BOOL, PY_INT
from graph_program.tensor_api.numpy_names import MIRRORED

MOST_ADDED = 8
"""A round adds so much at most."""
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
        step = self.carried.step(value, *CONNECTIVES)
        if value in self._made or step is None or not self.lanes.is_known(value) or value.type.rank:
            return self._made.get(value, False)
        inputs = step.node.inputs
        self._made[value] = all(self.lanes.is_known(one) and self.adds_made(one, False) for one in inputs)
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
        known, form = self.lanes.get(other), Linear({self.lanes.get(other): 1})
        if other.type == PY_INT:
            sums = linear(known, self.lanes.maker.rewriter.producer.get)
            form = sums if list(sums.terms.values()) in ([], [1]) else form
        if self.limit is None:
            self.limit = form.terms
        if self.limit != form.terms:
            return False
        self.asked[value] = op, form.constant - added
        return True

    def _added(self, value: Value) -> int | None:
        """What is added to the counter, if that is what a value is."""
        form = linear(value, self.lanes.maker.rewriter.producer.get)
        is_sum = form.terms == {self.counter.parameter: 1} and value.type == PY_INT
        return form.constant if is_sum and abs(form.constant) <= MOST_ADDED else None

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


__all__ = ["ORDERS", "CounterParts", "Made"]
