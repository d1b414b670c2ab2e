"""Truths that rounds find and change, as far as what they make of either is known; and what rounds ask of a number.

on = where(on.1, x >= low, x > high)    to      true, false = x >= low, x > high
                                                set where both are the same; turned where true is false

if start < 0: start = i                 to      the same of `start < 0`, which is `i < 0` behind such a round
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.equal_elements import COMPARISONS
from graph_program.extract.transform.opposites import are_opposite
from graph_program.extract.transform.vectorize.body import Step
from graph_program.extract.transform.vectorize.carried import Carried, Slot
from graph_program.extract.transform.vectorize.latches import (
    INT64,
    each,
    known_behind,
    last_set,
    may_be_read,
)
from graph_program.extract.transform.vectorize.maker import Maker
from graph_program.extract.transform.vectorize.parity import odd

CONNECTIVES = ("where", "bitwise_and", "bitwise_or", "bitwise_xor", "invert", "equal", "not_equal")
NEUTRAL = {"bitwise_and": True, "bitwise_or": False}
Truths = dict[Value, Value | None]
"""What stands for truths of the body; None where nothing does."""


def switched(carried: Carried, slot: Slot) -> Callable[[], Value] | None:
    """The form of a truth that each round makes of the one that it finds, and of nothing else that is not known."""
    if slot.parameter.type.dtype.kind != "b" or not may_be_read(carried, slot, CONNECTIVES):
        return None
    maker = carried.lanes.maker
    mark = maker.mark()
    sides = [put(carried, slot, slot.result, _given(maker, {slot.parameter: truth})) for truth in (True, False)]
    after = _behind(carried, slot, slot.initial, sides)
    if after is None:
        maker.forget(mark)
        return None
    return known_behind(carried, slot, after)


def _given(maker: Maker, truths: Mapping[Value, bool]) -> Truths:
    return {value: maker.constant(truth, np.bool_) for value, truth in truths.items()}


def _behind(carried: Carried, slot: Slot, initial: Value, sides: Sequence[Value | None]) -> Value | None:
    """A truth behind each round, of what rounds make of it where it is true and where it is false before them."""
    maker, (held, other) = carried.lanes.maker, sides
    if held is None or other is None:
        return None
    stays = [maker.rewriter.constant_of(side) for side in (held, other)]
    held, other = each(carried, held), each(carried, other)
    if stays[0] is not None and stays[0]:
        return last_set(carried, initial, other, maker.constant(True, np.bool_))
    if stays[1] is not None and not stays[1]:
        return last_set(carried, initial, maker.op("invert", held), maker.constant(False, np.bool_))
    sets = maker.op("equal", held, other)
    if not _may_turn(carried, slot):
        return last_set(carried, initial, sets, held)
    turns = maker.op("bitwise_and", other, maker.op("invert", held))
    turned = odd(maker, maker.op("cumsum", maker.op("cast", turns, dtype=INT64), axis=0))
    return maker.op("not_equal", last_set(carried, initial, sets, maker.op("not_equal", held, turned)), turned)


def put(carried: Carried, slot: Slot, value: Value, made: Truths) -> Value | None:
    """What a truth, or a number chosen by truths, is where others are as given; None if it is made otherwise."""
    lanes = carried.lanes
    if value not in made and value not in slot.dependent:
        return lanes.get(value) if lanes.is_known(value) and not value.type.rank else None
    if value not in made:
        step = carried.step(value, *CONNECTIVES)
        parts = [] if step is None else [put(carried, slot, one, made) for one in step.node.inputs]
        known = [part for part in parts if part is not None and part.type.dtype.kind in "bi"]
        is_made = step is not None and len(known) == len(parts)
        made[value] = _joined(lanes.maker, step.node.op, known) if step is not None and is_made else None
    return made[value]


def _joined(maker: Maker, op: str, parts: Sequence[Value]) -> Value:
    """What an operation makes of truths, and of numbers that are chosen by them, of which some are constants."""
    if op == "where" and parts[0] in parts[1:]:  # as `and` and `or` are written
        op, parts = ("bitwise_or", parts[1:]) if parts[0] is parts[1] else ("bitwise_and", parts[:2])
    known = [maker.rewriter.constant_of(part) for part in parts]
    if op == "where" and known[0] is not None:
        return parts[1 if known[0] else 2]
    if op == "invert" and known[0] is not None:
        return maker.constant(not known[0], np.bool_)
    a, b = known[0], known[-1]
    if op in ("equal", "not_equal") and a is not None and b is not None:
        return maker.constant(np.array_equal(a, b) is (op == "equal"), np.bool_)
    for constant, other in zip(known, parts[::-1], strict=True) if op in NEUTRAL and _are_truths(parts) else ():
        if constant is not None:
            return other if bool(constant) is NEUTRAL[op] else maker.constant(constant, np.bool_)
    return maker.op(op, *parts)


def _are_truths(values: Iterable[Value]) -> bool:
    return all(value.type.dtype.kind == "b" for value in values)


def _may_turn(carried: Carried, slot: Slot) -> bool:
    """Whether a round may make of each truth the other one: it does not where the truth is nowhere denied."""
    work, seen = [(slot.result, True)], set[tuple[Value, bool]]()
    while work:
        value, holds = work.pop()
        if value is slot.parameter and not holds:
            return True
        if value is slot.parameter or value not in slot.dependent or (value, holds) in seen:
            continue
        seen.add((value, holds))
        node = carried.makers[value].node
        if node.op == "invert":
            work.append((node.inputs[0], not holds))
        elif node.op in NEUTRAL or (node.op == "where" and node.inputs[0] not in slot.dependent):
            work += [(operand, holds) for operand in node.inputs]
        else:
            return True
    return False


# ------------------------------------------------------------ what rounds ask of a number


def asked(carried: Carried, slot: Slot) -> None:
    """Say what the tests are in each round that compare a number with one that is the same in all of them.

    Rounds set the number, or leave it as it is, by such tests.
    """
    lanes, maker = carried.lanes, carried.lanes.maker
    if slot.parameter.type.rank or slot.result is slot.parameter or not carried.as_many_in_all_rounds:
        return
    questions = [step for step in carried.readers.get(slot.parameter, ()) if _is_question(carried, slot, step.node)]
    for step in questions:
        if step.output in lanes.known:
            continue
        mark = maker.mark()
        same = {other.output: is_opposite for other, is_opposite in _same(questions, step)}
        truths = [
            _given(maker, {q: truth is not is_opposite for q, is_opposite in same.items()}) for truth in (True, False)
        ]
        sides = [_answer(carried, slot, slot.result, step.node, given, {}) for given in truths]
        before = _asked_of(carried, step.node, slot.parameter, slot.initial)
        after = _behind(carried, slot, before, sides)
        if after is None:
            maker.forget(mark)
            continue
        found = carried.one_before(maker.op("concatenate", maker.expand(before, 0), after, axis=0))
        for question, is_opposite in same.items():
            lanes.define(question, maker.op("invert", found) if is_opposite else found, varying=True)


def _is_question(carried: Carried, slot: Slot, node: Node) -> bool:
    lanes, others = carried.lanes, [value for value in node.inputs if value is not slot.parameter]
    if node.op not in COMPARISONS or len(others) != 1:
        return False
    (other,) = others
    return lanes.is_known(other) and not lanes.varies(other) and not other.type.rank


def _same(questions: Sequence[Step], step: Step) -> Iterator[tuple[Step, bool]]:
    """Those that ask what one does, each with whether it asks for the opposite."""
    for other in questions:
        if other.node.op == step.node.op and other.node.inputs == step.node.inputs:
            yield other, False
        elif are_opposite(other.node, step.node):
            yield other, True


def _answer(carried: Carried, slot: Slot, value: Value, question: Node, truths: Truths, made: Truths) -> Value | None:
    """What a question comes to of what a round makes of the number, where it came to what `truths` say before."""
    if value not in made:
        made[value] = _answer_of(carried, slot, value, question, truths, made)
    return made[value]


def _answer_of(
    carried: Carried, slot: Slot, value: Value, question: Node, truths: Truths, made: Truths
) -> Value | None:
    lanes, maker = carried.lanes, carried.lanes.maker
    if value is slot.parameter:
        return truths[question.outputs[0]]
    if value not in slot.dependent:
        known = lanes.is_known(value) and not value.type.rank
        return _asked_of(carried, question, slot.parameter, lanes.get(value)) if known else None
    step = carried.step(value, "where")
    if step is None:
        return None
    test = put(carried, slot, step.node.inputs[0], truths)
    a, b = (_answer(carried, slot, side, question, truths, made) for side in step.node.inputs[1:])
    return None if test is None or a is None or b is None else maker.op("where", test, a, b)


def _asked_of(carried: Carried, question: Node, parameter: Value, made: Value) -> Value:
    """The same question, of something else."""
    lanes = carried.lanes
    operands = [made if value is parameter else lanes.get(value) for value in question.inputs]
    return lanes.maker.op(question.op, *operands)


__all__ = ["CONNECTIVES", "asked", "put", "switched"]
