"""Loops whose rounds do not depend on each other become array operations.

    y = loop(k < n) with y.1 = zeros:       t = multiply(x, 2)
        t = take(x, k)              to      y is t
        give true, set_index(y.1, multiply(t, 2), k)

Each value of the body is computed for all rounds at once, on a leading axis (`lanes`, `batching`); branches become
choices (`body`), loops inside go on until the last round has ended (`masked`).  What is carried from round to round
must follow from that: `carried` has running sums, records and last values, `written` arrays and lists.  Where one
does not, the loop stays, and the program says why (`GraphProgram.loops`).

The forms are those of JAX's `vmap` and `while_loop` (`jax/_src/interpreters/batching.py`), TensorFlow's `pfor` (one
converter for each operation) and Numba's parfors (a loop as an object with its index space).
"""

from __future__ import annotations

from contextlib import suppress

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.ir.loops import LoopReport
from graph_program.extract.transform.endings import inner_ends_in_error
from graph_program.extract.transform.flag_values import flags_of
from graph_program.extract.transform.only_told import only_told
from graph_program.extract.transform.rewrite import uses_of
from graph_program.extract.transform.vectorize.certain import certain_accesses
from graph_program.extract.transform.vectorize.clipped import with_as_many_rounds
from graph_program.extract.transform.vectorize.last_round import without_last_round
from graph_program.extract.transform.vectorize.loop import Context
from graph_program.extract.transform.vectorize.maker import INT64_MAX
from graph_program.extract.transform.vectorize.one_loop import vectorized_loop
from graph_program.extract.transform.vectorize.places import rounds_within
from graph_program.extract.transform.vectorize.reasons import Reason, StaysLoop, hint_for
from graph_program.extract.transform.vectorize.set_at_end import never_set
from graph_program.extract.transform.vectorize.visitor import LoopRewriter


def vectorize(program: GraphProgram) -> None:
    """Make array operations of loops, in place, and report of each loop whether that was done."""
    if any(node.op == "loop" for node in program.graph.walk()):
        _Vectorize(program).run()


class _Vectorize(LoopRewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.context = Context(
            self.numbers,
            self.ranges,
            self.is_unset,
            set(uses_of(program.graph)),
            flags_of(program),
            program.graph.inputs,
            self.there,
            told=only_told(program) if program.errors else set(),
            certain=certain_accesses(program.graph),
            never_set=never_set(program.graph),
        )
        self._makers = program.graph.makers()
        self._around: list[tuple[Node, int]] = []
        """The nodes that what is visited stands in, outer ones first, and in which of their regions."""
        self._outside: set[Value] = set()
        """What is the same in all rounds of the loops around what is visited."""
        self.reports: list[LoopReport] = []

    def run(self) -> None:
        super().run()
        self.program.loops = self.reports

    def region(self, node: Node, number: int) -> None:
        """Note whether an early end of a loop is an error while those inside of it are as they were."""
        if self._may_end_early(node) and inner_ends_in_error(self.program, node, self._around, self._makers):
            self.context.failing.add(node)
        self._around.append((node, number))
        if node.op == "loop" and not self.depth:
            self._outside = {*self.program.graph.inputs, *self.there}
        super().region(node, number)
        self._around.pop()

    def _may_end_early(self, node: Node) -> bool:
        if node.op != "loop" or self._is_unlimited(node):
            return False
        again = self._makers.get(node.regions[0].outputs[0])
        return again is None or again.op != "constant" or not again.attrs["value"]

    def loop(self, node: Node) -> list[Node]:
        *before, other = with_as_many_rounds(self, node, self._around, self._outside) if self.depth else [node]
        if other is not node:
            for more in (*before, other):  # what counts its rounds is another number in more of them
                self._note_range(more)
            with suppress(StaysLoop):
                return [*before, *self._at_once(other)]
            self._note_range(node)
        try:
            return self._at_once(node)
        except StaysLoop as stays:
            self.reports.append(_report(node, stays.reason))
            return [node]

    def _at_once(self, node: Node) -> list[Node]:
        """The nodes that do all rounds of a loop at once.

        Raises
        ------
        StaysLoop
        """
        apart = None if self.depth or not self._is_unlimited(node) else without_last_round(self, node)
        if apart:
            self.context.always[apart.loop] = ((apart.test.asked.value, apart.test.asked.holds),)
        done, rounds = apart.loop if apart else node, node.inputs[0]
        before = rounds_within(self, done) if not apart else []
        for more in before:
            self._note_range(more)
            done.inputs[0] = more.outputs[0]
        try:
            made, outputs = vectorized_loop(self, self.context, done, not self.depth)
        except StaysLoop:
            node.inputs[0] = rounds
            raise
        if apart:
            made, outputs = apart.joined(self, made, outputs)
        self.reports.append(LoopReport(node.loc))
        for old, new in zip(node.outputs, outputs, strict=True):
            if old is not new:
                self.replace(old, new)
                if old in self.context.flags:
                    self.context.flags.add(new)
        for inner in made:
            self._note_range(inner)
        return [*before, *made]

    def _note_range(self, node: Node) -> None:
        """Note the ranges of what a new node computes, and of the constants that it reads, which may be new."""
        for value in node.inputs:
            if self.constant_of(value) is not None:
                self.ranges.note(self.producer[value])
        self.ranges.note(node)
        for inner in (inner for region in node.regions for inner in region.nodes):
            self._note_range(inner)

    def _is_unlimited(self, node: Node) -> bool:
        trips = self.constant_of(node.inputs[0])
        return trips is not None and int(trips) == INT64_MAX


def _report(node: Node, reason: Reason) -> LoopReport:
    return LoopReport(node.loc, reason.loc, reason.text, hint_for(reason.text))


__all__ = ["vectorize"]
