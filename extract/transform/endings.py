"""Which loops end early only where the program then ends with an error.

    again, e = loop(while true) with again = true, e = 0:
        ...
        give good, good, 3
    return where(again, 0, e)               # not 0 where a round was not good

What such a loop gives after an early end is not read, but for what follows it in vain.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value

DEEPEST = 8
"""So many operations are looked through."""


def only_a_result(program: GraphProgram, value: Value) -> bool:
    """Whether nothing reads a value but whoever reads the results, of a run without an error."""
    if program.keeps_writes:
        return False
    uses = 0
    for node in program.graph.walk():
        uses += node.inputs.count(value) + sum(region.outputs.count(value) for region in node.regions)
    return not uses and value not in program.graph.outputs[len(program.output_names) :]


def ends_in_error(program: GraphProgram, loop: Node) -> bool:
    """Whether the program's error number is not 0 where a loop has ended before its rounds were done."""
    if not program.errors or program.host or not any(node is loop for node in program.graph.nodes):
        return False
    body = loop.regions[0]
    known = _Known(_makers(program.graph))
    known.say(body.outputs[0], False)
    for output, result in zip(loop.outputs, body.outputs[1:], strict=True):
        answer = known.truth(result)
        if answer is not None:
            known.facts[output] = answer
    return known.truth(program.graph.outputs[len(program.output_names)]) is True


def _makers(graph: Graph) -> dict[Value, Node]:
    return {value: node for node in graph.walk() for value in node.outputs}


@dataclass
class _Known:
    """Numbers that are 0, or false, and numbers that are not."""

    makers: dict[Value, Node]
    facts: dict[Value, bool] = field(default_factory=dict)

    def say(self, value: Value, holds: bool) -> None:
        """Take in whether a number is not 0, and what follows of others."""
        self.facts[value] = holds
        node = self.makers.get(value)
        if node is None:
            return
        if node.op == "invert":
            self.say(node.inputs[0], not holds)
        elif node.op in ("equal", "not_equal") and self.truth(node.inputs[1]) is False:
            self.say(node.inputs[0], holds is (node.op == "not_equal"))

    def truth(self, value: Value, depth: int = DEEPEST) -> bool | None:
        """Whether a number is not 0; None if that is not known."""
        if value in self.facts:
            return self.facts[value]
        node = self.makers.get(value)
        if node is None or not depth or value.type.rank:
            return None
        if node.op == "constant":
            return bool(node.attrs["value"])
        if node.op == "invert":
            inverse = self.truth(node.inputs[0], depth - 1)
            return None if inverse is None else not inverse
        if node.op == "where":
            test, first, second = node.inputs
            return self._chosen(test, first, second, depth - 1)
        if node.op == "if":
            first, second = (region.outputs[node.outputs.index(value)] for region in node.regions)
            return self._chosen(node.inputs[0], first, second, depth - 1)
        return None

    def _chosen(self, test: Value, first: Value, second: Value, depth: int) -> bool | None:
        chosen = self.truth(test, depth)
        if chosen is not None:
            return self.truth(first if chosen else second, depth)
        a, b = self.truth(first, depth), self.truth(second, depth)
        return a if a == b else None


__all__ = ["ends_in_error", "only_a_result"]
