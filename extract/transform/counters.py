"""Loops that count towards an end have a number of rounds.

    i1, y1 = loop(while 0 < n) with i = 0, y = x:       y1 = loop(k < n, while true) with y = x:
        y2 = step(y, i)                                     y2 = step(y, k)
        i2 = add(i, 1)                              to      give true, y2
        give less(i2, n), i2, y2                        i1 = maximum(n, 0)

    loop(while true) with i = 0, y = x:                 loop(k < n, while true) with i = 0, y = x:
        if less(i, n):                                      y2, good = step(y, k)
            y2, good = step(y, i)                   to      i2 = where(good, add(k, 1), k)
            give good, where(good, add(i, 1), i), y2        give good, i2, y2
        else:
            give false, i, y

The test compares sums of what each round changes by a constant (`trip_counts`), and stands at the end of the body or
around all of it.  What counts is computed from the number of the round then, as it is for `range`.  A test of which
something else must hold first (`i < n and x[i] > 0`) stays where it is.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from graph_program.extract.control.regions_to_graph import UNLIMITED
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.conjuncts import Conjunct, conjuncts
from graph_program.extract.transform.hoist import is_cheap_and_total
from graph_program.extract.transform.linear import linear
from graph_program.extract.transform.ranged import RangedRewriter
from graph_program.extract.transform.rewrite import defined_in, replace_values, uses_of
from graph_program.extract.transform.trip_counts import (
    Arithmetic,
    Gap,
    compared,
    counters_of,
    put_in,
    trip_count,
)
from graph_program.extract.transform.truths import Truths
from graph_program.extract.types.tensors.tensor_type import PY_BOOL


def counters(program: GraphProgram) -> None:
    """Say of loops that count how many rounds they have, in place."""
    if any(node.op == "loop" for node in program.graph.walk()):
        _Counters(program).run()


class _Counters(RangedRewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program, only_read=True)

    def visit(self, node: Node) -> list[Node]:
        if node.op != "loop":
            return [node]
        trips = self.constant_of(node.inputs[0])
        if trips is None or int(trips) != UNLIMITED:
            return [node]
        return _Loop(self, node).counted() or [node]


class _Loop:
    """A loop without a number of rounds."""

    def __init__(self, rewriter: _Counters, loop: Node):
        self.rewriter, self.loop, (self.body,) = rewriter, loop, loop.regions
        self.maker = rewriter.producer.get
        self.inside = defined_in([self.body])
        self.truths = Truths(rewriter.producer)
        self.goes_on = self.body.outputs[0]
        self.initial = dict(zip(self.body.inputs[1:], loop.inputs[2:], strict=True))
        self.found = counters_of(loop, self.truths, self.inside)

    def counted(self) -> list[Node] | None:
        """The nodes that stand for the loop, if the number of its rounds can be told."""
        return (self._tested_before() or self._tested_behind()) if self.found.steps else None

    # ------------------------------------------------------------ tested at the end of a round

    def _tested_behind(self) -> list[Node] | None:
        """A loop that asks at the end of each round whether there is another one."""
        tests = conjuncts(self.goes_on, True, self.maker)
        for test in tests:
            gap = self.found.gap(test, is_behind=True)
            if gap is not None:
                made = self._written()
                begins, is_asked = self._begins(made, gap)
                trips = trip_count(made, self.rewriter.ranges, gap, self.initial)
                if not is_asked:  # the first round is done in any case
                    trips = made.op("maximum", trips, made.number(1))
                inner = self._written()
                self.body.outputs[0] = self._joined(inner, [other for other in tests if other is not test])
                self.body.nodes += inner.nodes
                return self._with_trips(made, trips, begins)
        return None

    def _begins(self, made: Arithmetic, gap: Gap) -> tuple[Value, bool]:
        """Whether there is a first round, but for the test of the gap, and whether that is asked for."""
        parts = conjuncts(self.loop.inputs[1], True, self.maker)
        low, high = (put_in(form, self.initial, self.rewriter) for form in (gap.low, gap.high))
        kept = []
        for part in parts:
            asked = compared(part, self.maker)
            forms = [linear(value, self.maker) for value in asked[:2]] if asked is not None else []
            if asked is None or asked[2] is not gap.is_strict or forms != [low, high]:
                kept.append(part)
        return (self._joined(made, kept), True) if len(kept) < len(parts) else (self.loop.inputs[1], False)

    # ------------------------------------------------------------ tested around all of a round

    def _tested_before(self) -> list[Node] | None:
        """A loop whose rounds begin with a branch by whether there is something to do."""
        for place, branch in enumerate(self.body.nodes):
            if not is_cheap_and_total(branch) and branch.op != "if":
                return None  # it may fail in the round that finds that there is nothing to do
            if branch.op != "if":
                continue
            if "fails" in branch.attrs:
                return None
            for side in (0, 1):
                if self._is_way_out(branch, side):
                    return self._without_branch(place, branch, 1 - side)
            return None
        return None

    def _is_way_out(self, branch: Node, side: int) -> bool:
        """Whether a side of a branch ends the loop with what the round has begun with, and does nothing else."""
        if self.truths.where(branch.inputs[0], side == 0).truth(self.goes_on) is not False:
            return False
        given = branch.regions[side]
        if not all(is_cheap_and_total(node) or node.op == "placeholder" for node in given.nodes):
            return False
        rest = self.body.nodes[self.body.nodes.index(branch) + 1 :]
        return all(map(is_cheap_and_total, rest)) and all(map(self._stays, *self._ways_out(branch, side)))

    def _ways_out(self, branch: Node, side: int) -> tuple[list[Value], list[Value | None]]:
        """What is carried, and what becomes of each where there is nothing to do; None if that is not known."""
        given = dict(zip(branch.outputs, branch.regions[side].outputs, strict=True))
        results = self.body.outputs[1:]
        parameters = self.body.inputs[1:]
        ends = [given.get(result, result if result in parameters else None) for result in results]
        return parameters, ends

    def _stays(self, parameter: Value, end: Value | None) -> bool:
        """Whether a carried value can be given without a round that does nothing."""
        if end is None or end is parameter:
            return end is not None
        if self._is_unset(end):
            return True
        begins = self.rewriter.constant_of(self.loop.inputs[1])
        is_known = end in self.initial or end not in self.inside
        return is_known and begins is not None and bool(begins) and not self._is_read(parameter)

    def _is_unset(self, value: Value) -> bool:
        node = self.maker(value)
        return node is not None and node.op == "placeholder"

    def _is_read(self, value: Value) -> bool:
        """Whether the body reads a value."""
        return bool(uses_of(self.body)[value])

    def _without_branch(self, place: int, branch: Node, side: int) -> list[Node] | None:
        """The loop with one side of the branch in its place, and the test before the next round instead."""
        tests = conjuncts(branch.inputs[0], side == 0, self.maker)
        gaps = [self.found.gap(test, is_behind=False) for test in tests]
        number = next((number for number, gap in enumerate(gaps) if gap is not None), None)
        if number is None:
            return None
        gap, others = gaps[number], [*tests[:number], *tests[number + 1 :]]
        assert gap is not None
        made, inner = self._written(), self._written()
        trips = trip_count(made, self.rewriter.ranges, gap, self.initial)
        begins = self._first(made, place, others)
        ends = self._ways_out(branch, 1 - side)
        region = branch.regions[side]
        given = dict(zip(branch.outputs, region.outputs, strict=True))
        true, false = self._truth(True), self._truth(False)
        known = {test.value: true if test.holds else false for test in tests}
        known |= {branch.inputs[0]: true if side == 0 else false}
        head, rest = self.body.nodes[:place], self.body.nodes[place + 1 :]
        self.body.nodes = [*head, *region.nodes, *rest]
        replace_values(self.body, given)  # what it gives may be a test
        again = self.body.outputs[0]
        self._set_ends(inner, again, *ends)
        next_one = dict(zip(self.body.inputs[1:], self.body.outputs[1:], strict=True))
        asked = self._asked(inner, head, others, next_one)
        kept = list(self.body.nodes)
        self.body.nodes = [node for node in kept if node not in head]
        replace_values(self.body, known)
        self.body.nodes = kept
        self.body.outputs[0] = self._all(inner, [self.body.outputs[0], *asked])
        self.body.nodes += inner.nodes
        return self._with_trips(made, trips, begins)

    def _first(self, made: Arithmetic, place: int, tests: Sequence[Conjunct]) -> Value:
        """Whether there is a first round, but for their number."""
        asked = self._asked(made, self.body.nodes[:place], tests, self.initial)
        return self._all(made, [self.loop.inputs[1], *asked])

    def _set_ends(
        self, made: Arithmetic, again: Value, parameters: Sequence[Value], ends: Sequence[Value | None]
    ) -> None:
        """Give what the round that does nothing would have given."""
        chosen: dict[int, Value] = {}
        starts: dict[Value, Value] = {}
        for number, (parameter, end) in enumerate(zip(parameters, ends, strict=True), 1):
            if end is None or end is parameter or self._is_unset(end):
                continue
            result = self.body.outputs[number]
            following = self.body.outputs[1 + parameters.index(end)] if end in parameters else end
            chosen[number] = self._chosen(made, again, following, result)
            starts[parameter] = self.initial.get(end, end)
        for number, value in chosen.items():
            self.body.outputs[number] = value
        self.initial.update(starts)

    def _chosen(self, made: Arithmetic, test: Value, a: Value, b: Value) -> Value:
        """One of two values."""
        if not b.type.rank:
            return made.op("where", test, a, b, type=b.type)
        output = self.rewriter.like(b)
        made.add(Node("if", [test], [output], {}, [Graph([], [], [a]), Graph([], [], [b])], self.loop.loc))
        return output

    def _asked(
        self, made: Arithmetic, head: Iterable[Node], tests: Sequence[Conjunct], known: Mapping[Value, Value]
    ) -> list[Value]:
        """Tests of other values than those that a round begins with."""
        if not tests:
            return []
        new = dict(known)
        for node in head:
            inputs = [new.get(value, value) for value in node.inputs]
            new.update((value, self.rewriter.like(value)) for value in node.outputs)
            made.add(Node(node.op, inputs, [new[value] for value in node.outputs], node.attrs, [], node.loc))
        return [self._one(made, Conjunct(new.get(test.value, test.value), test.holds)) for test in tests]

    # ------------------------------------------------------------ both

    def _with_trips(self, made: Arithmetic, trips: Value, begins: Value) -> list[Node]:
        """The loop with a number of rounds, and what it has counted computed from that."""
        inner = self._written()
        counter = self.body.inputs[0]
        behind = self._written()
        replaced = {}
        always = [self.rewriter.constant_of(value) for value in (begins, self.body.outputs[0])]
        is_complete = all(known is not None and bool(known) for known in always)
        for output, parameter in zip(self.loop.outputs, self.body.inputs[1:], strict=True):
            step = self.found.steps.get(parameter)
            if step is None:
                continue
            replaced[parameter] = self._after(inner, parameter, step, counter)
            if is_complete:
                done = behind.op("maximum", trips, behind.number(0))
                self.rewriter.replace(output, self._after(behind, parameter, step, done))
        replace_values(self.body, replaced)
        self.body.nodes[:0] = inner.nodes
        self.loop.inputs = [trips, begins, *self.initial.values()]
        nodes = [*made.nodes, self.loop, *behind.nodes]
        for node in (*nodes, *self.body.nodes):
            self.rewriter.ranges.note(node)
        return nodes

    def _after(self, made: Arithmetic, parameter: Value, step: int, rounds: Value) -> Value:
        """What so many rounds have made of a carried number."""
        start = self.initial[parameter]
        known = self.rewriter.constant_of(start)
        if known is not None and not known.any() and step == 1 and parameter.type == rounds.type:
            return rounds
        if abs(step) != 1:
            rounds = made.op("multiply", rounds, made.number(abs(step)))
        return made.op("add" if step > 0 else "subtract", start, rounds, type=parameter.type)

    def _written(self) -> Arithmetic:
        return Arithmetic(self.rewriter, self.loop.loc)

    def _truth(self, truth: bool) -> Value:
        return self.rewriter.constant(np.array(truth), str(truth).lower())

    def _one(self, made: Arithmetic, test: Conjunct) -> Value:
        return test.value if test.holds else made.op("invert", test.value, type=PY_BOOL)

    def _joined(self, made: Arithmetic, tests: Iterable[Conjunct]) -> Value:
        return self._all(made, [self._one(made, test) for test in tests])

    def _all(self, made: Arithmetic, tests: Iterable[Value]) -> Value:
        """Whether all hold."""
        known = [(test, self.rewriter.constant_of(test)) for test in tests]
        asked = [test for test, constant in known if constant is None or not bool(constant)]
        join = functools.partial(made.op, "bitwise_and", type=PY_BOOL)
        return functools.reduce(join, asked) if asked else self._truth(True)


__all__ = ["counters"]
