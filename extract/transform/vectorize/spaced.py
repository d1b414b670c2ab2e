"""Which rounds are far enough from the last one that was: events with a pause behind each.

    last = loop(k < n) with last.1 = last.0:            jumps = first[min(places + gap, n)]
        far = greater_equal(k - last.1, gap)            loop(... log2(n) times):
        give true, where(c and far, k, last.1)  to          reached[jumps[reached]] = true
                                                            jumps = jumps[jumps]
                                                        last is k where that is reached

`first` has, for each place, the first round from there on that is far enough in other respects.  Which of these are
reached from the first one by jumps is found by doubling these (Wyllie, "The Complexity of Parallel Computations",
1979).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import graph_program.tensor_api.ops  # noqa: F401  (fills OPS)
from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.linear import Linear, linear
from graph_program.extract.transform.range_facts import COMPARISONS
from graph_program.extract.transform.vectorize.carried import Carried, Slot
from graph_program.extract.transform.vectorize.doubling import reached_from
from graph_program.extract.transform.vectorize.latches import INT64, known_behind, last_set
from graph_program.extract.transform.vectorize.maker import Maker
from graph_program.extract.transform.vectorize.switches import CONNECTIVES, put
from graph_program.tensor_api.opdef import OPS

MOST_ATOMS = 10
"""Of so many truths all combinations are tried."""
FAR = 2**62
"""No round is so far from a number that is not."""


@dataclass(frozen=True)
class _Spacing:
    """A test that comes to something where a round is not below the number that is carried and `gap`."""

    test: Value
    holds: bool
    gap: Linear


def spaced(carried: Carried) -> bool:
    """Say which rounds set one more number that they ask to be far enough from them; whether there is one."""
    if not carried.as_many_in_all_rounds or carried.lanes.maker.rewriter.depth or carried.lanes.first is not None:
        return False
    return any(_is_spaced(carried, slot) for slot in carried.slots if slot.parameter not in carried.lanes.known)


def _is_spaced(carried: Carried, slot: Slot) -> bool:
    """Whether a number is the last round that was far enough from the one before; says so."""
    maker = carried.lanes.maker
    if slot.parameter.type.rank or slot.parameter.type.dtype != INT64 or not carried.has_one_shape(slot):
        return False
    if slot.result is slot.parameter or maker.is_unset(slot.initial):
        return False
    for spacing in _spacings(carried, slot):
        mark = maker.mark()
        rows = _rows(carried, slot, spacing)
        if rows is not None:
            slot.final = known_behind(carried, slot, rows)
            return True
        maker.forget(mark)
    return False


def _spacings(carried: Carried, slot: Slot) -> Iterator[_Spacing]:
    """The comparisons of a number with the round."""
    lanes, maker = carried.lanes, carried.lanes.maker.rewriter.producer.get
    for value in carried.makers:
        step = carried.step(value, *COMPARISONS) if value in slot.dependent else None
        if step is None or any(one.type.rank or one.type.dtype != INT64 for one in step.node.inputs):
            continue
        is_strict, is_first = COMPARISONS[step.node.op]
        low, high = step.node.inputs if is_first else step.node.inputs[::-1]
        above = linear(high, maker) - linear(low, maker)
        for form, holds in ((above, True), (above.times(-1), False)):
            gap = Linear({slot.parameter: -1, lanes.counter: 1}) - form
            if all(lanes.is_known(term) and not lanes.varies(term) for term in gap.terms):
                yield _Spacing(value, holds, gap + Linear({}, int(is_strict is holds)))


def _rows(carried: Carried, slot: Slot, spacing: _Spacing) -> Value | None:
    """The number behind each round; None if rounds set something else, or by something else."""
    lanes, maker = carried.lanes, carried.lanes.maker
    found = _Sets(carried, slot, spacing.test, spacing.holds)
    is_set = found.of(slot.result)
    never = None if is_set is None else _Sets(carried, slot, spacing.test, not spacing.holds).of(slot.result)
    if is_set is None or never is None or not _never_holds(maker, never) or len(found.set) != 1:
        return None
    (value,) = found.set
    place = linear(value, maker.rewriter.producer.get) - Linear({lanes.counter: 1})
    if lanes.counter in place.terms or not all(lanes.is_known(v) and not lanes.varies(v) for v in place.terms):
        return None
    step = _number(maker, spacing.gap + place)
    first = _number(maker, spacing.gap + linear(slot.initial, maker.rewriter.producer.get))
    if step is None or first is None:
        return None
    reached = _reached(carried, is_set if is_set.type.rank else lanes.spread(is_set, 0), step, first)
    return last_set(carried, slot.initial, reached, lanes.get(value))


def _never_holds(maker: Maker, truth: Value) -> bool:
    """Whether a truth is false in any case, for how it is made of others."""
    atoms: list[Value] = []
    nodes: list[Node] = []
    known: dict[Value, np.ndarray] = {}

    def visit(value: Value) -> bool:
        """Whether a value is made of truths and known numbers."""
        if value in known or value in atoms or any(value in node.outputs for node in nodes):
            return True
        node, constant = maker.rewriter.producer.get(value), maker.rewriter.constant_of(value)
        if constant is not None:
            known[value] = constant
        elif node is not None and node.op in CONNECTIVES and all(map(visit, node.inputs)):
            nodes.append(node)
        elif value.type.dtype.kind == "b":
            atoms.append(value)
        else:
            return False
        return True

    if not visit(truth) or len(atoms) > MOST_ATOMS:
        return False
    for place, atom in enumerate(atoms):
        known[atom] = (np.arange(2 ** len(atoms)) >> place) % 2 == 1
    for node in nodes:
        known[node.outputs[0]] = OPS[node.op].reference(*map(known.__getitem__, node.inputs), **node.attrs)
    return not known[truth].any()


def _number(maker: Maker, form: Linear) -> Value | None:
    """A sum that is no farther from 0 than any round, for comparisons with rounds; None if it may be out of 64 bits."""
    if not form.terms:
        return maker.constant(min(max(form.constant, -FAR), FAR))
    (value, factor), *others = form.terms.items()
    if others or abs(factor) != 1 or abs(form.constant) > FAR // 2:
        return None
    near = cut(maker, value)
    near = near if factor == 1 else maker.op("negative", near)
    return maker.op("add", near, maker.constant(form.constant)) if form.constant else near


def cut(maker: Maker, number: Value) -> Value:
    """A number that is no farther from 0 than any round; the same one where it is nearer."""
    known = maker.rewriter.constant_of(number)
    if known is not None and abs(int(known)) <= FAR:
        return number
    return maker.op("maximum", maker.op("minimum", number, maker.constant(FAR)), maker.constant(-FAR))


class _Sets:
    """Whether rounds set a number, where a test comes to something; None for what is not known.

    Attributes
    ----------
    set : dict of Value to None
        What they set it to.
    """

    def __init__(self, carried: Carried, slot: Slot, test: Value, holds: bool):
        self.carried, self.slot = carried, slot
        self.maker = carried.lanes.maker
        self.truths: dict[Value, Value | None] = {test: self.maker.constant(holds, np.bool_)}
        self.set: dict[Value, None] = {}

    def of(self, value: Value) -> Value | None:
        lanes, maker = self.carried.lanes, self.maker
        if value is self.slot.parameter:
            return maker.constant(False, np.bool_)
        if value not in self.slot.dependent:
            self.set[value] = None
            return maker.constant(True, np.bool_) if lanes.is_known(value) and not value.type.rank else None
        step = self.carried.step(value, "where")
        test = None if step is None else put(self.carried, self.slot, step.node.inputs[0], self.truths)
        if step is None or test is None:
            return None
        known = maker.rewriter.constant_of(test)
        if known is not None:
            return self.of(step.node.inputs[1 if known else 2])
        a, b = map(self.of, step.node.inputs[1:])
        if a is None or b is None or a is b:
            return a if a is b else None
        return maker.op("where", test, a, b)


# ------------------------------------------------------------ which rounds are reached


def _reached(carried: Carried, is_set: Value, step: Value, first: Value) -> Value:
    """Which rounds are reached from the first one by jumps over so many rounds to the next that may set something."""
    lanes, maker = carried.lanes, carried.lanes.maker
    zero, one, count = maker.constant(0), maker.constant(1), lanes.count
    marks = maker.op("cast", is_set, dtype=INT64)
    before = maker.op("concatenate", maker.expand(zero, 0), maker.op("cumsum", marks, axis=0), axis=0)
    places = maker.op("take", maker.op("nonzero", is_set), zero, axis=0)
    behind = maker.op("maximum", maker.op("add", places, step), maker.op("add", places, one))
    jumps = maker.inside("take", before, maker.op("minimum", behind, count))
    total = maker.inside("take", before, count)
    jumps = maker.op("concatenate", jumps, maker.expand(total, 0), axis=0)
    begins = maker.inside("take", before, maker.op("minimum", maker.op("maximum", first, zero), count))
    numbers = maker.op("iota", maker.op("dim", jumps, axis=0))
    reached = reached_from(maker, maker.op("equal", numbers, begins), jumps, maker.op("dim", jumps, axis=0))
    own = maker.rows(before, zero, maker.constant(-1))
    return maker.op("bitwise_and", is_set, maker.inside("take", reached, own))


__all__ = ["FAR", "cut", "spaced"]
