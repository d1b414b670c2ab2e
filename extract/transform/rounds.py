"""A loop of one round is its body, and a loop of none its initial values.

    y = loop(k < 1, while true) with x = a:         b = multiply(0, 32)
        b = multiply(k, 32)                   to    y = slice(a, b, 9)
        give true, slice(x, b, 9)

What the body computes from the counter is known then, and folded.  A body that says that it is not to be
run again is run once at most; whether it is run the second time does not matter where there is none.
"""

from __future__ import annotations

import numpy as np

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.transform.symbols import in_round


def rounds(program: GraphProgram) -> None:
    """Put bodies and initial values in the place of loops of one round and of none, in place."""
    _Rounds(program).run()


class _Rounds(Rewriter):
    def visit(self, node: Node) -> list[Node]:
        count = self._count(node) if node.op == "loop" else None
        if count is None:
            return [node]
        initial = node.inputs[2:]
        if count == 0:
            return self._given(node, initial)
        (body,) = node.regions
        first = self.constant(np.array(0, np.int64), body.inputs[0].name)
        body = in_round(body, [first, *initial])
        return [*body.nodes, *self._given(node, body.outputs[1:])]

    def _given(self, node: Node, results: list[Value]) -> list[Node]:
        """Let values be the results of a loop."""
        for old, new in zip(node.outputs, results, strict=True):
            self.replace(old, new)
        return []

    def _count(self, node: Node) -> int | None:
        """The number of rounds, where it is known to be 0 or 1."""
        numbers = [self.constant_of(value) for value in (*node.inputs[:2], node.regions[0].outputs[0])]
        trips, condition, again = (None if number is None else int(number) for number in numbers)
        if condition == 0 or (trips is not None and trips <= 0):
            return 0
        once = trips == 1 or (trips is not None and again == 0)
        return 1 if condition == 1 and once else None
