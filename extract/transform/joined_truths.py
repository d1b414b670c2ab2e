"""What two of three truths have come to is there for the three.

    d = a | b                               d = a | b
    e = a | c                       to      y = d | c
    y = e | b

Of conjunctions and disjunctions, and of integers bit by bit, the order does not matter.  Other passes know what a check
asks by the order in which that was written, so this one comes behind them.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.cse import Cse
from graph_program.extract.transform.rewrite import uses_of

JOINTS = ("bitwise_and", "bitwise_or")
"""Operations by which several operands may be joined in any order, bit for bit."""


def joined_truths(program: GraphProgram) -> None:
    """Join first what has been joined before, in place, and compute each thing once."""
    if any(node.op in JOINTS for node in program.graph.walk()):
        _JoinedTruths(program).run()


class _JoinedTruths(Cse):
    @cached_property
    def uses(self) -> Counter[Value]:
        """How often each value was read when somebody first asked."""
        return uses_of(self.program.graph)

    def visit(self, node: Node) -> list[Node]:
        if node.op in JOINTS:
            self._join(node)
        return super().visit(node)

    def _join(self, node: Node) -> None:
        """Join first what two of three have come to before, if nothing else reads the two that are joined first now."""
        for value, third in (node.inputs, node.inputs[::-1]):
            inner = self.made_by(value, node.op)
            if inner is None or self.uses[value] > 1:
                continue
            for first, other in (inner.inputs, inner.inputs[::-1]):
                known = self.computed.get(self._work(Node(node.op, [first, third], node.outputs)))
                if known is not None:
                    node.inputs = [known, other]
                    return


__all__ = ["joined_truths"]
