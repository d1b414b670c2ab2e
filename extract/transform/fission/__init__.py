"""What the rounds of a loop do not need each other for is done for all of them before it.

    loop(k < n) with q:                     turns = cos(multiply(rates, dt))
        r = take(rates, k)          to      loop(k < n) with q:
        c = cos(multiply(r, dt))                c = take(turns, k)
        give true, multiply(q, c)               give true, multiply(q, c)

Loop fission (Kennedy and McKinley, "Loop distribution with arbitrary control flow", 1990): the first of the two loops
is array operations, by the rules of the vectoriser (`rounds`).  What is worth it is found in `choice`: each value that
the second loop reads costs an access.  Only loops whose number of rounds is known where they begin, and that end early
in errors alone, are parted.
"""

from __future__ import annotations

from dataclasses import replace

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.dce import sweep
from graph_program.extract.transform.endings import ends_in_error
from graph_program.extract.transform.fission.choice import Choice, chosen
from graph_program.extract.transform.fission.rounds import AllRounds
from graph_program.extract.transform.rewrite import keep_outputs, replace_values, uses_of
from graph_program.extract.transform.vectorize.maker import INT64_MAX
from graph_program.extract.transform.vectorize.visitor import LoopRewriter
from graph_program.extract.types.tensors.tensor_type import TensorType

FEWEST = 3
"""Loops of fewer rounds are not parted."""


def fission(program: GraphProgram) -> None:
    """Compute before loops what does not depend on what they carry, in place."""
    if any(node.op == "loop" for node in program.graph.walk()):
        _Fission(program).run()


class _Fission(LoopRewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.uses = uses_of(program.graph)

    def loop(self, node: Node) -> list[Node]:
        ends_early = self._ends_early(node)
        if ends_early is None:
            return [node]
        rounds = AllRounds(self, node, ends_early, {v for v in node.outputs if self.uses[v]})
        choice = chosen(rounds)
        if choice is None:
            return [node]
        self._read_rows(node, rounds, choice)
        dropped = [slot.number for slot in rounds.slots if slot.number not in choice.kept]
        for number in dropped:
            if number in rounds.finals:
                self.replace(node.outputs[number], rounds.finals[number])
        keep_outputs(node, choice.kept)
        if dropped:
            sweep(node.regions[0])  # branches may give what is no longer carried, too
        for made in rounds.maker.nodes:
            self.ranges.note(made)
        self._report(node, choice.moved)
        return [*rounds.maker.nodes, node]

    def _ends_early(self, node: Node) -> bool | None:
        """Whether a loop may end before its rounds are done, in an error; None if it is not to be parted."""
        trips, begins = map(self.constant_of, node.inputs[:2])
        again = self.constant_of(node.regions[0].outputs[0])
        if begins is None or not begins or (trips is not None and not FEWEST <= int(trips) < INT64_MAX):
            return None
        if again is not None and again:
            return False
        return True if ends_in_error(self.program, node) else None

    def _read_rows(self, node: Node, rounds: AllRounds, choice: Choice) -> None:
        """Read what is known of all rounds where a round has computed it."""
        (body,) = node.regions
        counter, read = body.inputs[0], {}
        for value in choice.read:
            made = rounds.lanes.get(value)
            if not rounds.lanes.varies(value):
                read[value] = made
                continue
            row = Value(self.names.fresh(value.name), TensorType(value.type.dtype, value.type.shape))
            read[value] = row
            place = rounds.place(value)
            take = Node("take", [made, counter], [row], {"axis": 0}, loc=rounds.makers[value].node.loc)
            place.graph.nodes.insert(place.graph.nodes.index(place.node), take)
            self.producer[row] = take
        replace_values(body, read)

    def _report(self, node: Node, moved: int) -> None:
        """Say of a loop that stays how much of it is done before it."""
        self.program.loops = [
            replace(report, moved=moved) if report.loc == node.loc and report.statement is not None else report
            for report in self.program.loops
        ]


__all__ = ["fission"]
