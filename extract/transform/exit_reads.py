"""What a loop gives is what it is where somebody reads it.

    e, bad = loop(k < n) with e = undefined, bad = false:     e, bad = loop(k < n) with e = undefined, bad = false:
        t = where(outside, 1, where(b, 1, e))                     give not outside, 1, outside
        give not outside, t, outside                      to  number = where(bad, e, 0)
    number = where(bad, e, 0)

A value that is read only where a flag says how the loop was left need not be right in rounds behind which the flag says
something else, if it makes nothing else in the loop.  So each round gives what it would give if the flag said so.
Numbers of errors are read in this way, and so are their arguments, by whoever is told the number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.reach import reached
from graph_program.extract.transform.dce import needs_of
from graph_program.extract.transform.truths import Truths


def exit_reads(program: GraphProgram) -> None:
    """Leave out of loops what is made of values in rounds behind which nobody reads them, in place."""
    loops = [node for node in program.graph.walk() if node.op == "loop"]
    if loops:
        _ExitReads(program).run(loops)


class _ExitReads:
    def __init__(self, program: GraphProgram):
        self.program = program
        self.truths = Truths(program.graph.makers())
        self.readers: dict[Value, list[Node | None]] = defaultdict(list)
        """What reads each value; None stands for what is given back."""
        self._note_readers(program.graph)
        self.needs = needs_of(program.graph)

    def _note_readers(self, graph: Graph) -> None:
        for node in graph.nodes:
            for value in node.inputs:
                self.readers[value].append(node)
            for region in node.regions:
                self._note_readers(region)
        for value in graph.outputs:
            self.readers[value].append(None)

    def run(self, loops: list[Node]) -> None:
        for loop in loops:
            (body,) = loop.regions
            for slot, output in enumerate(loop.outputs):
                for flag, holds in self._read_where(loop, output):
                    said = body.outputs[1 + loop.outputs.index(flag)]
                    made = self._made(body.outputs[slot + 1], self.truths.where(said, holds))
                    if made is not body.outputs[slot + 1] and self._is_its_own(body, slot, made):
                        body.outputs[slot + 1] = made
                        break

    # ------------------------------------------------------------ where it is read

    def _read_where(self, loop: Node, output: Value) -> Iterator[tuple[Value, bool]]:
        """The flags that a loop gives beside a value that is read only where they say so."""
        readers = self.readers[output]
        if len(readers) != 1 or output.type.rank:
            return
        reader = readers[0]
        if reader is not None and reader.op == "where" and reader.inputs[0] in loop.outputs:
            yield reader.inputs[0], reader.inputs[1] is output
        elif reader is None and self._is_argument(output):
            number = self.program.graph.outputs[len(self.program.output_names)]
            for flag in loop.outputs:
                if flag.type.dtype.kind != "b" or flag.type.rank:
                    continue
                for holds in (True, False):
                    if self.truths.where(flag, not holds).truth(number) is False:
                        yield flag, holds

    def _is_argument(self, value: Value) -> bool:
        """Whether a value is an argument of errors, and nothing else."""
        outputs, count = self.program.graph.outputs, len(self.program.output_names)
        places = {place for places in self.program.error_args for place in places}
        found = [place for place, output in enumerate(outputs) if output is value]
        return bool(self.program.errors) and all(place > count and place in places for place in found) and bool(found)

    # ------------------------------------------------------------ what it is there

    def _made(self, value: Value, truths: Truths) -> Value:
        """What a value is by what is known, as far as that can be read where it stands."""
        node = self.truths.makers.get(value)
        while node is not None and node.op in ("where", "if") and not value.type.rank:
            holds = truths.truth(node.inputs[0])
            if holds is None:
                break
            side = node.inputs[2 - holds] if node.op == "where" else self._given(node, value, holds)
            if side is None:
                break
            value, node = side, self.truths.makers.get(side)
        return value

    def _given(self, branch: Node, value: Value, holds: bool) -> Value | None:
        """What a side of a branch gives, if that is from outside of it."""
        region = branch.regions[1 - holds]
        given = region.outputs[branch.outputs.index(value)]
        inside = {output for node in region.walk() for output in node.outputs}
        return None if given in inside else given

    def _is_its_own(self, body: Graph, slot: int, made: Value) -> bool:
        """Whether what a loop carries makes nothing in it but its own next value, which it would not any more."""
        others = [output for place, output in enumerate(body.outputs) if place != slot + 1]
        return body.inputs[slot + 1] not in reached([*others, made], self.needs)


__all__ = ["exit_reads"]
