"""Numbers that are chosen behind a check by what it asks are chosen on its sides.

    e, y = if bad or worse:                     e, y = if bad or worse:
        give 2, placeholder                         give where(bad, 1, 2), placeholder
    else:                               to      else:
        give 0, sqrt(x)                             give 0, sqrt(x)
    error = where(bad, 1, e)                    error = e

Where the check has not failed, such a choice is decided, and where it has, `error_rows` reads it from a vector with
what else is told there.
"""

from __future__ import annotations

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.copies import Copies
from graph_program.extract.transform.rewrite import Rewriter, defined_in, read_by, replace_values
from graph_program.extract.transform.truths import Truths

CHOICES = frozenset({"where", "bitwise_and", "bitwise_or", "invert"})

Nodes = list[Node]


@dataclass(frozen=True)
class _Behind:
    """What is chosen behind a check of what it gives.

    Attributes
    ----------
    nodes : list of Node
    given : dict of Value to Value
        What each of them is where the check has not failed.
    """

    nodes: Nodes
    given: dict[Value, Value]


def check_results(program: GraphProgram) -> None:
    """Choose on the sides of checks, in place."""
    if program.errors:
        _Results(program).run()


class _Results(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.makers = program.graph.makers()
        self.copies = Copies(self.like)

    def graph(self, graph: Graph) -> None:
        super().graph(graph)
        for place in range(len(graph.nodes) - 1, -1, -1):
            node = graph.nodes[place]
            if "fails" in node.attrs:
                self._take_in(graph, place, node)

    def _take_in(self, graph: Graph, place: int, check: Node) -> None:
        behind = self._behind(graph.nodes[place + 1 :], check)
        if not behind.nodes:
            return
        left = [node for node in graph.nodes[place + 1 :] if node not in behind.nodes]
        fails = check.attrs["fails"]
        copied = dict(zip(check.outputs, check.regions[fails].outputs, strict=True))
        check.regions[fails].nodes += [self.copies.node(node, copied) for node in behind.nodes]
        read = read_by(left) | set(graph.outputs)
        for value, good in behind.given.items():
            if value not in read:
                continue
            result = self.like(value)
            check.outputs.append(result)
            for number, region in enumerate(check.regions):
                region.outputs.append(copied[value] if number == fails else good)
            replace_values(Graph([], left, []), {value: result})
            graph.outputs = [result if output is value else output for output in graph.outputs]
            self.makers[result] = check
        graph.nodes[place + 1 :] = left

    def _behind(self, nodes: Nodes, check: Node) -> _Behind:
        """The choices behind a check that are decided where it has not failed."""
        good = check.regions[1 - check.attrs["fails"]]
        given = dict(zip(check.outputs, good.outputs, strict=True))
        known = Truths(self.makers).where(check.inputs[0], bool(check.attrs["fails"]))
        later, taken = defined_in([Graph([], nodes, [])]), _Behind([], {})
        for node in nodes:
            read = [value for value in node.inputs if value in given]
            is_number = node.op in CHOICES and not any(v.type.rank for v in (*node.inputs, *node.outputs))
            if not read or not is_number or any(v in later and v not in given for v in node.inputs):
                continue
            result = self._decided(node, given, known)
            if result is not None:
                taken.nodes.append(node)
                taken.given[node.outputs[0]] = given[node.outputs[0]] = result
        return taken

    def _decided(self, node: Node, given: dict[Value, Value], known: Truths) -> Value | None:
        """What a choice is where a check has not failed, if that takes no operation."""
        values = [given.get(value, value) for value in node.inputs]
        truths = [known.truth(value) for value in values]
        if node.op == "where":
            return None if truths[0] is None else values[2 - truths[0]]
        if node.op == "invert":
            return None if truths[0] is None else self._truth(not truths[0])
        decides = node.op == "bitwise_or"
        if decides in truths:
            return self._truth(decides)
        left = [value for value, truth in zip(values, truths, strict=True) if truth is None]
        return self._truth(not decides) if not left else left[0] if len(left) == 1 else None

    def _truth(self, holds: bool) -> Value:
        return self.constant(np.array(holds), str(holds).lower())


__all__ = ["check_results"]
