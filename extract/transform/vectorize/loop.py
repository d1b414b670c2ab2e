"""The rounds of one loop as array operations: all of them, or a block."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field

import numpy as np

from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.flag_values import holds_unless_failed
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.transform.orders import HIGHEST
from graph_program.extract.transform.rewrite import Rewriter, defined_in, uses_of
from graph_program.extract.transform.totality import INDICES
from graph_program.extract.transform.vectorize.begun import begun, is_fixed
from graph_program.extract.transform.vectorize.body import Step, Sweep, flattened, live, read_by, readers_of
from graph_program.extract.transform.vectorize.carried import Carried, Slot
from graph_program.extract.transform.vectorize.counted import counted
from graph_program.extract.transform.vectorize.forms import FORMS
from graph_program.extract.transform.vectorize.lanes import NO_MASK, Lanes, Mask, indexed, inside
from graph_program.extract.transform.vectorize.leading import lead
from graph_program.extract.transform.vectorize.machines import stepped
from graph_program.extract.transform.vectorize.maker import Last, Maker, Numbers
from graph_program.extract.transform.vectorize.reasons import StaysLoop, source_name
from graph_program.extract.transform.vectorize.set_at_end import is_set_at_end
from graph_program.extract.transform.vectorize.spaced import spaced
from graph_program.extract.transform.vectorize.written import Written
from graph_program.extract.types.dims import provably_less_equal

Made = tuple[list[Node], list[Value]]


@dataclass(frozen=True)
class Context:
    """What is known of the program.

    Attributes
    ----------
    numbers : Numbers
    ranges : Ranges
    is_unset : callable
        Whether a value may be what stands for one that is not there, whose sizes say nothing.
    read : set of Value
        What something in the program reads.
    flags : set of Value
        Where one of them is true the program has failed, and nobody reads what else it gives.
    arrays : list of Value
        Inputs of the program.
    there : list of Value
        What the program has made where the loop begins.
    failing : set of Node
        Loops that end early only where the program then ends with an error.
    told : set of Value
        What is only told with an error.
    idle_loops : dict of Node to int
        Loops of which more rounds would change nothing, with the number of what says which lanes still run.
    sums : dict of Value to pair of Value
        Sums of floats that loops have given: what they began with, and what was added to it, one by one.
    lasts : dict of Value to Last
        What the last rounds of loops have set.
    always : dict of Node to tuple of pair of Value and bool
        What holds in each round of a loop.
    certain : set of Node
        Accesses that are inside in every round that there is.
    never_set : set of Value
        What loops carry that begins with nothing, and what loops give that may have no round.
    """

    numbers: Numbers
    ranges: Ranges
    is_unset: Callable[[Value], bool]
    read: set[Value]
    flags: set[Value]
    arrays: list[Value] = field(default_factory=list)
    there: list[Value] = field(default_factory=list)
    failing: set[Node] = field(default_factory=set)
    told: set[Value] = field(default_factory=set)
    idle_loops: dict[Node, int] = field(default_factory=dict)
    sums: dict[Value, tuple[Value, Value]] = field(default_factory=dict)
    lasts: dict[Value, Last] = field(default_factory=dict)
    always: dict[Node, Mask] = field(default_factory=dict)
    certain: set[Node] = field(default_factory=set)
    never_set: set[Value] = field(default_factory=set)


class Vectorized:
    """
    Parameters
    ----------
    block : pair of Value, optional
        See `Lanes`.
    initial : list of Value, optional
        What the block before has made.
    """

    def __init__(
        self,
        rewriter: Rewriter,
        context: Context,
        node: Node,
        block: tuple[Value, Value] | None = None,
        initial: list[Value] | None = None,
    ):
        self.context = context
        self.initial = node.inputs[2:] if initial is None else initial
        self.is_block = block is not None
        self.goes_on: Value | None = None
        """Of a block of rounds of a loop that may end early, whether it has not."""
        self.rewriter, self.node, (self.body,) = rewriter, node, node.regions
        self.maker = Maker(rewriter, context.numbers, node.loc)
        self.maker.idle_loops, self.maker.is_unset = context.idle_loops, context.is_unset
        self.maker.sums, self.maker.lasts, self.maker.certain = context.sums, context.lasts, context.certain
        self.maker.never_set = context.never_set
        self.maker.uses = uses_of(self.body)
        self.maker.read, self.maker.kept = set(self.maker.uses), context.read
        before = dict(zip(self.body.inputs[1:], self.initial, strict=True))
        steps = begun(rewriter, flattened(self.body), context.flags, self.body.inputs[0], before)
        self.steps = live(steps, self.body.outputs, self.maker)
        self.makers = {value: step for step in self.steps for value in step.node.outputs}
        self.trips = node.inputs[0]
        again = rewriter.constant_of(self.body.outputs[0])
        goes_on = again is not None and bool(again)
        self.ends_early = not (goes_on or self._unless_failed(self.body.outputs[0]))
        self.read: list[Value] = []
        """What the body reads of outside."""
        inside = {*self.body.inputs, *self.makers}
        self._note(inside)
        begins = rewriter.constant_of(node.inputs[1])
        self.begins = (begins is not None and bool(begins)) or self._may_begin_in_vain()
        """Whether nothing but its number of rounds keeps it from beginning; else what it reads may be undefined."""
        numbers = self.body.inputs[0], self.trips
        self.lanes = Lanes(self.maker, context.ranges, inside, *numbers, self.ends_early, block)
        self.lanes.always = context.always.get(node, NO_MASK)
        self.telling: list[Slot] = []
        """What nobody reads in a round but for the failure that ends the loop, which sets it."""
        self.slots = self._slots()
        self.failed_before: list[Slot] = []
        """Flags that no round but the first finds true, and this one only where the loop is done in vain."""
        readers, last = readers_of(self.steps), self.body.outputs[0]
        self.carried = Carried(self.lanes, self._seen_through(), self.slots, readers, last, FORMS)
        self.written = Written(self.carried, self.makers)

    def _unless_failed(self, condition: Value) -> bool:
        """Whether a condition holds unless the program has failed: whatever fails then, nobody reads what it gives.

        A loop inside might not end then, unless it has as many rounds as in others, where nothing has failed.
        """
        inside, flags, known = defined_in([self.body]), self.context.flags, self.rewriter
        conditions = [condition]
        for node in self.body.walk():
            if node.op == "loop":
                if not is_fixed(known, node.inputs[0], inside):
                    return False
                conditions.append(node.regions[0].outputs[0])
        return all(holds_unless_failed(one, flags, known.producer.get, known.constant_of) for one in conditions)

    def _may_begin_in_vain(self) -> bool:
        """Whether only a failure keeps the loop from beginning, behind which its rounds are not too many, either."""
        known = self.context.ranges.of(self.trips)
        return known is not None and known[1] != HIGHEST and self._unless_failed(self.node.inputs[1])

    def _note(self, inside: set[Value]) -> None:
        """Take note of where sizes can be read."""
        for step in self.steps:
            for value in step.node.inputs:
                if value not in inside:
                    self.maker.note(value)
                    self.read.append(value)
        for value in self.initial:
            self.maker.note(value)

    def _seen_through(self) -> dict[Value, Step]:
        """What makes each value; of a choice between a value and one that nobody reads, what makes the value."""
        found = dict(self.makers)
        for step in self.steps:
            if step.is_choice:
                _, a, b = step.node.inputs
                for value, other in ((a, b), (b, a)):
                    if value in found and other in self.makers and self.makers[other].node.op == "placeholder":
                        found[step.output] = found[value]
        return found

    def _slots(self) -> list[Slot]:
        body, node = self.body, self.node
        parts = zip(node.inputs[2:], self.initial, body.inputs[1:], body.outputs[1:], node.outputs, strict=True)
        slots = [Slot(i, *values) for i, values in enumerate(parts)]
        for slot in slots:
            slot.dependent = {slot.parameter}
        for step in self.steps:
            reads = read_by(step.node)
            for slot in slots:
                if not slot.dependent.isdisjoint(reads):
                    slot.dependent.update(step.node.outputs)
        self.telling = [slot for slot in slots if self._is_told_of_itself(slot)]
        for slot in self.telling if self.begins and not self.is_block else ():
            slot.initial = self._nothing(slot.initial)  # which nobody reads before a round has failed
        return slots

    def _is_told_of_itself(self, slot: Slot) -> bool:
        """Whether nobody reads in a round what a value is before it: it tells of the failure that ends the loop."""
        is_told = {slot.output, slot.parameter} <= self.context.told and not slot.parameter.type.rank
        if not is_told or self.node not in self.context.failing:
            return False
        return is_set_at_end(self.rewriter.producer, self.node, slot.number, self.context.never_set)

    def _nothing(self, value: Value) -> Value:
        """What stands for a number that nobody reads."""
        made = self.rewriter.like(value)
        self.maker.add(Node("placeholder", [], [made], loc=self.node.loc))
        return made

    # ------------------------------------------------------------ all of it

    def make(self) -> Made:
        for slot in self.slots:
            if slot.result is slot.parameter:
                self.lanes.define(slot.parameter, slot.initial, varying=False)
            elif slot in self.telling:
                self.lanes.define(slot.parameter, self._nothing(slot.parameter), varying=False)
                self.lanes.undefined.add(slot.parameter)
        self._fix_what_goes_on()
        sweep = Sweep(self.lanes, self.steps)
        progress = True
        while progress:
            progress = sweep.run()
            reads = [step for step in sweep.pending if self.written.read(step)]
            sweep.pending = [step for step in sweep.pending if step not in reads]
            progress = bool(reads) or progress
            for slot in self.slots:
                progress = self.carried.resolve(slot) or self.written.resolve(slot) or progress
            if not progress and any(slot.final is None for slot in self.slots):
                progress = lead(self.carried) or stepped(self.carried) or spaced(self.carried) or counted(self.carried)
        missing = [slot for slot in self.slots if slot.final is None]
        if missing:
            self._give_up(sweep, missing[0])
        self._cut(sweep)
        self.maker.at = self.node.loc
        outputs = [self._final(slot) for slot in self.slots]
        if self.is_block:
            return self.maker.nodes, outputs  # a block has a round
        if self._does_no_harm(outputs):
            pairs = zip(outputs, self.slots, strict=True)
            chosen = [self.maker.op("where", self.node.inputs[1], made, slot.initial) for made, slot in pairs]
            self.context.never_set.update(chosen)
            return self.maker.nodes, chosen
        if not self.begins or (self.lanes.needs_round and not self._has_round()):
            return self._guarded(outputs)
        return self.maker.nodes, outputs

    def again(self, outputs: list[Value]) -> Value:
        """Whether another block may follow."""
        if self.goes_on is not None:
            return self.goes_on
        made = self.maker.constant(True, np.bool_)
        for slot, output in zip(self.slots, outputs, strict=True):
            if slot.output in self.context.flags:
                made = self.maker.op("bitwise_and", made, self.maker.op("invert", output))
        return made

    def _final(self, slot: Slot) -> Value:
        assert slot.final is not None
        made = slot.final()
        if made.type.dtype != slot.output.type.dtype or made.type.rank != slot.output.type.rank:
            raise StaysLoop(self.node.loc, "what it gives has another type than what it begins with")
        return self.maker.op("bitwise_or", self.initial[slot.number], made) if slot in self.failed_before else made

    def _has_round(self) -> bool:
        return provably_less_equal(1, self.lanes.size)

    def _does_no_harm(self, outputs: list[Value]) -> bool:
        """Whether a loop of numbers may be done in vain where it does not begin: nothing that it reads is in doubt."""
        if self.begins or (self.lanes.needs_round and not self._has_round()) or any(v.type.rank for v in outputs):
            return False
        given = {*self.context.arrays, *(v for v in self.read if self.rewriter.constant_of(v) is not None)}
        known = all(v in given or not v.type.rank for v in (*self.read, *self.initial))
        return known and self._stays_inside()

    def _stays_inside(self) -> bool:
        """Whether indices are inside in all rounds, also where a check has failed that the loop does not begin for."""
        always, self.lanes.always = self.lanes.always, NO_MASK
        steps = [step for step in self.steps if step.node.op in INDICES]
        found = all(inside(self.lanes, *pair, step.mask) for step in steps for pair in indexed(step.node))
        self.lanes.always = always
        return found

    def _guarded(self, outputs: list[Value]) -> Made:
        """The same where there is a round, for operations that may fail else."""
        maker = self.maker
        nodes = maker.forget((0, 0))  # with what is known of them: the test stands outside
        maker.certain.difference_update(self._certain_behind_the_test(nodes))
        test = self.node.inputs[1]
        if self.lanes.needs_round and not self._has_round():
            some = maker.op("less", maker.constant(0), self.trips)
            test = some if self.begins else maker.op("bitwise_and", test, some)
        slots = [slot for slot, made in zip(self.slots, outputs, strict=True) if made is not slot.initial]
        made = Graph([], nodes, [value for slot, value in zip(self.slots, outputs, strict=True) if slot in slots])
        idle = Graph([], [], [slot.initial for slot in slots])
        for place, slot in enumerate(slots):
            if slot.initial is not self.initial[slot.number]:  # what nobody reads is made on the other side
                idle.outputs[place] = self.rewriter.like(slot.initial)
                idle.nodes.append(Node("placeholder", [], [idle.outputs[place]], loc=self.node.loc))
        maker.nodes.append(Node("if", [test], [slot.output for slot in slots], {}, [made, idle], self.node.loc))
        self.context.never_set.update(slot.output for slot in slots)
        return maker.nodes, [slot.output if slot in slots else slot.initial for slot in self.slots]

    def _certain_behind_the_test(self, nodes: Iterable[Node]) -> Iterator[Node]:
        """The accesses that may be outside where the loop has no round: of a loop around, not every round has one."""
        for node in nodes:
            if not self.begins or not any(index.type.rank for index in node.inputs[INDICES.get(node.op, 1) :]):
                yield node
            for region in node.regions:
                yield from self._certain_behind_the_test(region.nodes)

    # ------------------------------------------------------------ ending early

    def _fix_what_goes_on(self) -> None:
        """What says that the loop goes on has one value in each round that there is."""
        if not self.ends_early:
            return
        begins, goes_on = self._said(self.node.inputs[1]), self._said(self.body.outputs[0])
        for slot in self.slots:
            constant = goes_on.get(slot.result)
            if constant is None or slot.parameter.type.rank:
                continue
            initial = self.node.inputs[2 + slot.number]  # in later blocks it is what has let the loop go on
            first = self.rewriter.constant_of(initial)
            is_flag = first is None and not constant and initial in self.context.flags
            known = np.array(False) if is_flag else begins.get(initial) if first is None else first
            if known is not None and known.dtype == constant.dtype and bool(known == constant):
                self.lanes.define(slot.parameter, self.rewriter.constant(constant), varying=False)
                if is_flag and not (self.is_block and initial in begins):
                    self.failed_before.append(slot)

    def _said(self, value: Value) -> dict[Value, np.ndarray]:
        """What values must be for a condition to hold."""
        found: dict[Value, np.ndarray] = {value: np.array(True)}
        node = self.rewriter.producer.get(value)
        if node is None or node.regions:
            return found
        if node.op == "bitwise_and":
            for operand in node.inputs:
                found |= self._said(operand)
        elif node.op == "equal":
            for one, other in (node.inputs, node.inputs[::-1]):
                constant = self.rewriter.constant_of(other)
                if constant is not None:
                    found[one] = constant
        elif node.op == "invert":
            found[node.inputs[0]] = np.array(False)
        return found

    def _cut(self, sweep: Sweep) -> None:
        """Find the number of rounds that there are, where something ends the loop."""
        if not self.ends_early:
            return
        keeps_writes = self.rewriter.program.keeps_writes
        is_complete = self.lanes.lost is None and not keeps_writes
        self.carried.ends_in_error = is_complete and self.node in self.context.failing
        again = self.body.outputs[0]
        lanes, maker = self.lanes, self.maker
        if not lanes.is_known(again):
            self._give_up(sweep, None)
        lost = lanes.lost
        if self.is_block and lost is None:
            self.goes_on = maker.op("all", lanes.each(again), axes=(0,), keepdims=False)
        ends = maker.op("invert", lanes.each(again))
        if lost is not None:
            ends = maker.op("bitwise_or", ends, lost)
        first = maker.op("argmax", self._with_end(ends, True), axis=0, keepdims=False)
        behind = maker.op("add", first, maker.constant(1))
        if lost is not None:
            is_lost = maker.op("take", self._with_end(lost, False), first, axis=0)
            behind = maker.op("where", is_lost, first, behind)
            self.goes_on = maker.op("bitwise_or", is_lost, maker.op("equal", first, lanes.count))
        self.carried.cut = maker.op("minimum", behind, lanes.count)

    def _with_end(self, flags: Value, end: bool) -> Value:
        """Something for each lane, and one more behind the last."""
        return self.maker.op("concatenate", flags, self.maker.constant([end], np.bool_), axis=0)

    # ------------------------------------------------------------ reasons

    def _give_up(self, sweep: Sweep, slot: Slot | None) -> None:
        """Say what keeps the loop a loop.

        Raises
        ------
        StaysLoop
        """
        needed = self._needed(self.body.outputs[0] if slot is None else slot.result)
        for step in self.steps:
            if step in sweep.failed and step.output in needed:
                raise StaysLoop(sweep.failed[step].loc, sweep.failed[step].text)
        for step in self.steps:
            if step.output not in needed or self.lanes.is_known(step.output):
                continue
            for value in read_by(step.node):
                for other in self.slots:
                    if value is other.parameter and not self.lanes.is_known(value):
                        name = source_name(other.parameter)
                        what = f"`{name}`" if name else "a value"
                        raise StaysLoop(step.node.loc, f"it reads {what} that the round before has made")
        part = next((part for value, part in self.lanes.parts.items() if value in needed), None)
        if part is not None:
            raise StaysLoop(part.loc, "each round reads another slice")
        raise StaysLoop(self.node.loc, "a round needs what the round before has made")

    def _needed(self, value: Value) -> set[Value]:
        """What of the body a value depends on."""
        found: set[Value] = set()
        work = [value]
        while work:
            one = work.pop()
            if one not in found and one in self.makers:
                found.add(one)
                work += read_by(self.makers[one].node)
        return found


__all__ = ["Context", "Made", "Vectorized"]
