"""A loop that does nothing unless a test holds which does not change is asked once.

    x = loop(k < n) with x = a:                     y = if test:
        y = if test:                                    x = loop(k < n) with x = a:
            give f(x)                                       give true, f(x)
        else:                               to          give x
            give x                                  else:
        give true, y                                    give a

Loop unswitching (Allen and Cocke, 1971), where one side leaves all as it is, so that nothing is there twice.  What
stands in the branch is then the body of the loop: its checks can be made before it, and its rounds at once.
"""

from __future__ import annotations

from functools import cached_property

from graph_program.extract.control.regions_to_graph import UNLIMITED
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.residual import Const
from graph_program.extract.transform.rewrite import Rewriter, defined_in, replace_values
from graph_program.extract.transform.totality import Totality
from graph_program.extract.transform.truths import Truths


def unswitch(program: GraphProgram) -> None:
    """Take tests that do not change out of loops, in place."""
    if any(node.op == "loop" for node in program.graph.walk()):
        _Unswitch(program).run()


class _Unswitch(Rewriter):
    @cached_property
    def totality(self) -> Totality:
        """Asked for by few programs."""
        return Totality(self.program.graph)

    def visit(self, node: Node) -> list[Node]:
        if node.op != "loop" or not node.outputs:
            return [node]
        trips = self.constant_of(node.inputs[0])
        branch = self._branch(node.regions[0])
        if branch is None or (trips is not None and int(trips) == UNLIMITED):
            return [node]
        for side in (0, 1):
            if self._is_idle(node, branch, side):
                return [self._asked_once(node, branch, 1 - side)]
        return [node]

    def _branch(self, body: Graph) -> Node | None:
        """The branch in which all stands that a round does; None if its test may change."""
        found = [node for node in body.nodes if node.regions]
        if len(found) != 1 or found[0].op != "if" or "fails" in found[0].attrs:
            return None
        return None if found[0].inputs[0] in defined_in([body]) else found[0]

    def _is_idle(self, loop: Node, branch: Node, side: int) -> bool:
        """Whether rounds that take a side of the branch change nothing that anybody reads, and do not end the loop."""
        body, region = loop.regions[0], branch.regions[side]
        if Truths(self.producer).where(branch.inputs[0], side == 0).truth(body.outputs[0]) is not True:
            return False
        others = [node for node in (*body.nodes, *region.nodes) if node is not branch]
        if not all(not node.regions and self.totality.is_total(node) for node in others):
            return False
        given = dict(zip(branch.outputs, region.outputs, strict=True))
        slots = zip(loop.inputs[2:], body.inputs[1:], body.outputs[1:], strict=True)
        return all(self._stays(initial, parameter, given.get(result, result)) for initial, parameter, result in slots)

    def _stays(self, initial: Value, parameter: Value, result: Value) -> bool:
        """Whether a round leaves a carried value as it is, or unset."""
        if result is parameter or result is initial:
            return True
        node = self.producer.get(result)
        if node is not None and node.op == "placeholder":
            return True
        first, after = self.constant_of(initial), self.constant_of(result)
        return first is not None and after is not None and initial.type == result.type and Const(first) == Const(after)

    def _asked_once(self, loop: Node, branch: Node, side: int) -> Node:
        """The loop, with one side of the branch in its place, where the test says so."""
        body, region, test = loop.regions[0], branch.regions[side], branch.inputs[0]
        place = body.nodes.index(branch)
        body.nodes = [*body.nodes[:place], *region.nodes, *body.nodes[place + 1 :]]
        replace_values(body, dict(zip(branch.outputs, region.outputs, strict=True)))
        outputs, initial = loop.outputs, loop.inputs[2:]
        loop.outputs = [self.like(value) for value in outputs]
        self.producer.update(dict.fromkeys(loop.outputs, loop))
        regions = [Graph([], [loop], list(loop.outputs)), Graph([], [], list(initial))]
        return Node("if", [test], outputs, {}, regions if side == 0 else regions[::-1], loop.loc)


__all__ = ["unswitch"]
