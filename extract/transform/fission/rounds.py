"""What can be computed for all rounds of a loop at once, though the loop stays.

Steps are done by the rules of the vectoriser, as far as they do not depend on what is carried; a carried value that is
known of all rounds (a running sum, what the round before has read) is as good as any other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress

from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.rewrite import uses_of
from graph_program.extract.transform.vectorize.blocks import beyond
from graph_program.extract.transform.vectorize.body import Step, Sweep, flattened, live, read_by, readers_of
from graph_program.extract.transform.vectorize.carried import Carried, Slot
from graph_program.extract.transform.vectorize.forms import FORMS
from graph_program.extract.transform.vectorize.lanes import Lanes
from graph_program.extract.transform.vectorize.maker import Maker
from graph_program.extract.transform.vectorize.reasons import Reason, StaysLoop
from graph_program.extract.transform.vectorize.visitor import LoopRewriter
from graph_program.extract.transform.vectorize.written import Written
from graph_program.extract.types.dims import provably_less_equal

LONGEST_ROW = 4096
"""Rows of more elements are computed where they are read, while the cache holds them."""
SMALL_ROW = 64
"""Of what only some rounds do, rows of so many elements are computed for all rounds."""
PRODUCTS = frozenset({"matmul", "einsum"})
"""Of these, one for all rounds is less work than one for each."""


@dataclass(frozen=True)
class Place:
    """Where a node stands."""

    graph: Graph
    node: Node


class AllRounds:
    """
    Parameters
    ----------
    rewriter : LoopRewriter
    loop : Node
    ends_early : bool
        Whether rounds are computed that the loop may not reach.
    read : set of Value
        Outputs that something behind the loop reads.
    """

    def __init__(self, rewriter: LoopRewriter, loop: Node, ends_early: bool, read: set[Value]):
        (self.body,) = loop.regions
        self.read = read
        self.maker = Maker(rewriter, rewriter.numbers, loop.loc)
        self.maker.is_unset = rewriter.is_unset
        self.maker.uses = uses_of(self.body)
        self.maker.read, self.maker.kept = set(self.maker.uses), read
        self.steps = live(flattened(self.body), self.body.outputs, self.maker)
        self.makers = {value: step for step in self.steps for value in step.node.outputs}
        inside = {*self.body.inputs, *self.makers}
        outside = [v for step in self.steps for v in step.node.inputs if v not in inside]
        for value in (*outside, *loop.inputs[2:]):
            self.maker.note(value)
        self.arrays = [*rewriter.program.graph.inputs, *loop.outputs, *outside]
        self.lanes = Lanes(self.maker, rewriter.ranges, inside, self.body.inputs[0], loop.inputs[0], ends_early)
        self.slots = self._slots(loop)
        self.finals: dict[int, Value] = {}
        """What the loop gives, of outputs for which it is not needed."""
        self._compute(ends_early)

    def _slots(self, loop: Node) -> list[Slot]:
        initial = loop.inputs[2:]
        parts = zip(initial, initial, self.body.inputs[1:], self.body.outputs[1:], loop.outputs, strict=True)
        slots = [Slot(i, *values) for i, values in enumerate(parts)]
        for slot in slots:
            slot.dependent = {slot.parameter}
            for step in self.steps:
                if not slot.dependent.isdisjoint(read_by(step.node)):
                    slot.dependent.update(step.node.outputs)
        return slots

    def _compute(self, ends_early: bool) -> None:
        sweep = _Sweep(self)
        carried = Carried(self.lanes, self.makers, self.slots, readers_of(self.steps), self.body.outputs[0], FORMS)
        written = Written(carried, self.makers)
        progress = True
        while progress:
            progress = sweep.run()
            for slot in self.slots:
                progress = self._resolved(slot, carried, written) or progress
        for slot in [] if ends_early else self.slots:
            self._finish(slot)

    def _resolved(self, slot: Slot, carried: Carried, written: Written) -> bool:
        """Find the form of a carried value; whether that is new."""
        mark, needs, known = self.maker.mark(), self.lanes.needs_round, set(self.lanes.known)
        with suppress(StaysLoop):
            found = carried.resolve(slot) or written.resolve(slot)
            if not found or self.is_fine(mark[0]):
                return found
        for value in [value for value in self.lanes.known if value not in known]:
            self.lanes.forget(value)
        self.maker.forget(mark)
        self.lanes.needs_round, slot.final = needs, None
        return False

    def _finish(self, slot: Slot) -> None:
        """Make what the loop gives, where all of it is known."""
        if slot.final is None or slot.output not in self.read:
            return
        mark, needs = self.maker.mark(), self.lanes.needs_round
        try:
            made = slot.final()
        except StaysLoop:
            self.maker.forget(mark)
            return
        if made.type == slot.output.type and self.is_fine(mark[0]):
            self.finals[slot.number] = made
        else:
            self.maker.forget(mark)
            self.lanes.needs_round = needs

    def is_fine(self, start: int) -> bool:
        """Whether nodes from a number on may be computed: they need no round, and not much memory."""
        if self.lanes.needs_round and not provably_less_equal(1, self.lanes.size):
            return False
        return not beyond(self.maker.nodes[start:], self.arrays, [])

    def can_be_read(self, value: Value) -> bool:
        """Whether rounds may read a value from an array: it has its type there, and is no number computed at once."""
        made, varies = self.lanes.get(value).type, self.lanes.varies(value)
        rows = made.shape[1:] if varies else made.shape
        if varies and self.lanes.affine_of(value) is not None:
            return False
        return made.dtype == value.type.dtype and rows == value.type.shape

    def place(self, value: Value) -> Place:
        """Where something in front of what makes a value can stand."""
        return next(Place(graph, node) for graph in _graphs(self.body) for node in graph.nodes if value in node.outputs)


def _graphs(graph: Graph) -> list[Graph]:
    """A graph with those of its branches."""
    inner = [deep for node in graph.nodes if node.op == "if" for region in node.regions for deep in _graphs(region)]
    return [graph, *inner]


class _Sweep(Sweep):
    """Does the steps that may be done before the loop."""

    def __init__(self, rounds: AllRounds):
        super().__init__(rounds.lanes, list(rounds.steps))
        self.rounds = rounds

    def _done(self, step: Step) -> bool:
        lanes, maker = self.lanes, self.lanes.maker
        if step.node.regions or not self._is_small(step):
            return False
        mark, needs = maker.mark(), lanes.needs_round
        if not super()._done(step):
            return False
        if self.rounds.is_fine(mark[0]):
            return True
        lanes.forget(step.output)
        maker.forget(mark)
        lanes.needs_round = needs
        self.failed[step] = Reason(step.node.loc, "it is not worth it")
        return False

    def _is_small(self, step: Step) -> bool:
        """Whether rows are small enough, or are not made in vain."""
        elements = _elements(step.node.outputs)
        if step.mask:
            return elements is not None and elements <= SMALL_ROW
        if not any(map(self.lanes.varies, step.node.inputs)) or step.node.op in PRODUCTS:
            return True
        return all(v.type.rank < 2 for v in step.node.outputs) if elements is None else elements <= LONGEST_ROW


def _elements(values: Sequence[Value]) -> int | None:
    """How many elements values have together; None if that is not known."""
    total = 0
    for value in values:
        sizes = [size.constant for size in value.type.shape]
        if None in sizes:
            return None
        total += math.prod(int(size) for size in sizes if size is not None)
    return total


__all__ = ["AllRounds"]
