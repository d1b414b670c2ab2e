"""Leave out loops that only copy what another loop has collected, row by row.

a = loop(k < n) with u = []: give true, concatenate(u, [f(k)])
b = loop(k < n) with v = []: give true, concatenate(v, [take(a, k)])    to    b is a

Such are comprehensions that take one part of each element of a list: `[name for name, _ in pairs]`.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.rewrite import Rewriter, defined_in


def loop_copies(program: GraphProgram) -> None:
    """Read what has been copied instead of the copy, in place."""
    _LoopCopies(program).run()


class _LoopCopies(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.rounds: dict[Value, Value] = {}
        """The number of rounds of the loop that has collected a value, a row in each."""

    def visit(self, node: Node) -> list[Node]:
        if node.op == "loop" and self._has_all_rounds(node):
            rounds = self._rounds(node.inputs[0])
            inside = defined_in(node.regions)
            for i, output in enumerate(node.outputs):
                row = self._row(node, i)
                source = None if row is None else self._source(node, row, rounds)
                if source is not None and source not in inside:
                    self.replace(output, source)
                elif row is not None:
                    self.rounds[output] = rounds
        return [node]

    def _has_all_rounds(self, loop: Node) -> bool:
        """Whether nothing but its number of rounds ends a loop."""
        conditions = (self.constant_of(loop.inputs[1]), self.constant_of(loop.regions[0].outputs[0]))
        return all(condition is not None and bool(condition) for condition in conditions)

    def _rounds(self, number: Value) -> Value:
        """A number of rounds; that of rows which were collected is the number of rounds that did so."""
        size = self.made_by(number, "dim")
        if size is None or size.attrs["axis"] != 0:
            return number
        return self.rounds.get(size.inputs[0], number)

    def _row(self, loop: Node, i: int) -> Value | None:
        """What each round of a loop appends to a carried value that is empty at first."""
        body, initial = loop.regions[0], loop.inputs[i + 2]
        if initial.type.rank == 0 or initial.type.shape[0].constant != 0:
            return None
        grown = self.made_by(body.outputs[i + 1], "concatenate")
        if grown is None or grown.attrs["axis"] != 0 or len(grown.inputs) != 2:
            return None
        row = self.made_by(grown.inputs[1], "expand_dims")
        fits = row is not None and grown.inputs[0] is body.inputs[i + 1] and tuple(row.attrs["axes"]) == (0,)
        return row.inputs[0] if row is not None and fits else None

    def _source(self, loop: Node, row: Value, rounds: Value) -> Value | None:
        """What the row is taken from, if it is its row of the round, and the last round takes the last one."""
        taken = self.made_by(row, "take")
        if taken is None or taken.attrs["axis"] != 0 or taken.inputs[1] is not loop.regions[0].inputs[0]:
            return None
        source = taken.inputs[0]
        return source if self.rounds.get(source) is rounds else None
