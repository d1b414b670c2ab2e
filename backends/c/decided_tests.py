"""Comparisons that are decided where they are read, as the function has ended if they are otherwise.

    if not i < n:                               if not i < n:
        fail 1                      to              fail 1
    x = where(i >= n, 0.0, y[i])                x = y[i]

What a graph computes where an index is outside is for those who go on behind an error; the function does not.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from graph_program.backends.c.failing import ending_side
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.rewrite import Rewriter

FORMS = {
    "less": ("less", 0, 1, True),
    "greater": ("less", 1, 0, True),
    "greater_equal": ("less", 0, 1, False),
    "less_equal": ("less", 1, 0, False),
    "equal": ("equal", 0, 1, True),
    "not_equal": ("equal", 0, 1, False),
}
"""What each comparison of integers asks of which of its operands, and what it is if that holds."""
Question = tuple[str, Value, Value]
"""One for all comparisons that have the same outcome, or the opposite one."""


def decided_tests(program: GraphProgram) -> None:
    """Put the outcome of comparisons in their place, in place."""
    _DecidedTests(program).run()


class _DecidedTests(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.known: list[dict[Question, bool]] = []
        """What is known in each of the graphs that are open."""
        self.asked: list[dict[Question, list[tuple[Value, bool]]]] = []
        """The comparisons that have been made in them, and whether they are what is asked."""

    def graph(self, graph: Graph) -> None:
        self.known.append({})
        self.asked.append({})
        super().graph(graph)
        self.known.pop()
        self.asked.pop()

    def visit(self, node: Node) -> list[Node]:
        side = ending_side(node)
        if side is not None:  # whoever comes here has gone through the other one
            for said, outcome in self._said(node.inputs[0], side != 0):
                self.known[-1][said] = outcome
                for value, is_same in self.asked[-1].get(said, []):
                    self.replace(value, self.constant(np.asarray(outcome is is_same)))
        question, is_it = _asked(node)
        if question is None:
            return [node]
        holds = next((known[question] for known in reversed(self.known) if question in known), None)
        if holds is None:
            self.asked[-1].setdefault(question, []).append((node.outputs[0], is_it))
            return [node]
        self.replace(node.outputs[0], self.constant(np.asarray(holds is is_it)))
        return []

    def _said(self, test: Value, holds: bool) -> Iterator[tuple[Question, bool]]:
        """What a test says that holds, or does not."""
        node = self.producer.get(test)
        if node is None:
            return
        if node.op == "invert":
            yield from self._said(node.inputs[0], not holds)
        elif node.op == ("bitwise_and" if holds else "bitwise_or"):
            for value in node.inputs:
                yield from self._said(value, holds)
        question, is_it = _asked(node)
        if question is not None:
            yield question, holds is is_it


def _asked(node: Node) -> tuple[Question | None, bool]:
    """What a comparison of two integers asks, and whether it holds if that does."""
    if node.op not in FORMS or any(value.type.rank or value.type.dtype.kind not in "iu" for value in node.inputs):
        return None, False
    asked, first, second, is_it = FORMS[node.op]
    return (asked, node.inputs[first], node.inputs[second]), is_it


__all__ = ["decided_tests"]
