"""Which loops end early only where the program then ends with an error.

    again, e = loop(while true) with again = true, e = 0:
        ...
        give good, good, 3
    return where(again, 0, e)               # not 0 where a round was not good

What such a loop gives after an early end is not read, but for what follows it in vain.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.truths import Truths


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
    known = Truths(program.graph.makers())
    _say_false(known, body.outputs[0])
    for output, result in zip(loop.outputs, body.outputs[1:], strict=True):
        answer = known.truth(result)
        if answer is not None:
            known.facts[output] = answer
    return known.truth(program.graph.outputs[len(program.output_names)]) is True


def _say_false(known: Truths, value: Value) -> None:
    """Say that a condition does not hold in the last round: of what is chosen, the side that does was not.

    Where other rounds are asked about, too, nothing follows: `Truths.say` does not look into branches.
    """
    known.say(value, False)
    node = known.makers.get(value)
    if node is None or node.op not in ("where", "if"):
        return
    place = node.outputs.index(value)
    first, second = node.inputs[1:] if node.op == "where" else [region.outputs[place] for region in node.regions]
    for side, other, taken in ((first, second, False), (second, first, True)):
        if known.truth(side) is True:
            known.say(node.inputs[0], taken)
            _say_false(known, other)


__all__ = ["ends_in_error", "only_a_result"]
