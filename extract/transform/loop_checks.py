"""Check before a loop what fails in its first round or never.

    x = loop(k < n) with x = a:             first = n > 0 and bad
        if bad:                             x = if first:                 # fails
            give ...                    to      give ...
        else:                               else:
            give step(x)                        give loop(k < n) with x = a: give step(x)

    x = loop(k < n) with x = a:             first = n > 0 and outside(a)
        if outside(x): ...                  ...
        give y[x] % size

Loop unswitching (Allen and Cocke, 1971) of a check: an `if` one side of which ends the program, with a test that is
the same in every round, or of what the loop carries such that no round makes it fail.
Where the loop has a round, the check fails in the first one, behind nothing that could
fail or go on for ever; that round is done with the side that fails, and what it does not need is dead code.  The
check is asked once then, and if-conversion makes it a loop that does not begin.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.check_sides import CheckSides, first_check
from graph_program.extract.transform.hoist import invariant
from graph_program.extract.transform.orders import ORDERS
from graph_program.extract.transform.ranged import RangedRewriter
from graph_program.extract.transform.rewrite import defined_in
from graph_program.extract.transform.totality import Totality
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.tensor_type import PY_BOOL

ASKING = frozenset({"constant", "dim", "negative", "cast", "any", "invert", "bitwise_or", "bitwise_and", *ORDERS})
"""Operations of checks, none of which fails."""
DEEPEST_CHECK = 12
"""So many operations are looked through for what a check finds."""


def loop_checks(program: GraphProgram) -> None:
    """Take checks that do not change out of loops, in place."""
    if not program.host:  # what a round has told the host before it fails cannot be left out
        _LoopChecks(program).run()


class _LoopChecks(RangedRewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program, only_read=True)
        self.sides = CheckSides(self)
        self.totality = Totality(program.graph) if program.leaves_checks else None
        """Where an operation that fails is an error of its own, which comes before a check behind it."""

    def visit(self, node: Node) -> list[Node]:
        if node.op != "loop":
            return [node]
        body = node.regions[0]
        moved = invariant(body)  # what an earlier check stood before
        check = first_check(body)
        if check is None or self.constant_of(check.inputs[0]) is not None:  # decided: it will be folded
            return [*moved, node]
        before = body.nodes[: body.nodes.index(check)]
        if self.totality is not None and any(map(self.totality.may_tell, before)):
            return [*moved, node]
        asked: Graph | None = Graph([], [], [check.inputs[0]])
        if check.inputs[0] in defined_in([body]):
            asked = self._kept_right(node, check)
        return [*moved, node] if asked is None else [*moved, *self._before(node, check, asked)]

    def _kept_right(self, loop: Node, check: Node) -> Graph | None:
        """What a check asks of what the loop begins with, if rounds keep it right; None if they may not."""
        body = loop.regions[0]
        asked = _asked(body, check)
        if asked is None or not self._is_kept_right(body, check, asked):
            return None
        return self.sides.copies.graph(asked, dict(zip(body.inputs[1:], loop.inputs[2:], strict=True)))

    def _is_kept_right(self, body: Graph, check: Node, asked: Graph) -> bool:
        """Whether a check does not fail of what a round gives to the next one."""
        again = self.sides.copies.graph(asked, dict(zip(body.inputs[1:], body.outputs[1:], strict=True)))
        for node in again.nodes:
            self.ranges.note(node)
        with self.ranges.behind(body):
            found = self.ranges.of(again.outputs[0], DEEPEST_CHECK)
        right = dim(check.attrs["fails"])  # a test that holds takes the first side
        return found == (right, right)

    def _before(self, loop: Node, check: Node, asked: Graph) -> list[Node]:
        """A branch by the check, with the round that fails on one side and the loop without the check on the other."""
        made, first = self._begins(loop, check, asked)
        tests = self.sides.tests(check.inputs[0])
        failing = self.sides.failing_round(loop, check, tests)
        rest = self.sides.without(loop, check, tests)
        results = list(rest.outputs)
        for node in (rest, *rest.regions[0].walk()):
            self.ranges.note(node)
        working = Graph([], self.visit(rest), results)
        return [*made, Node("if", [first], loop.outputs, {"fails": 0}, [failing, working], check.loc)]

    def _begins(self, loop: Node, check: Node, asked: Graph) -> tuple[list[Node], Value]:
        """Whether the loop has a round, and the check fails in it, of which a graph asks."""
        trips, condition = loop.inputs[:2]
        made = list(asked.nodes)
        parts = list(asked.outputs)
        if check.attrs["fails"] == 1:
            parts = [self.append(made, "invert", parts[:1], PY_BOOL, "first")]
        known = self.constant_of(trips)
        if known is None or int(known) <= 0:
            parts.append(self.append(made, "greater", [trips, self.integer(0)], PY_BOOL, "first"))
        known = self.constant_of(condition)
        if known is None or not bool(known):
            parts.append(condition)
        first = parts[0]
        for part in parts[1:]:
            first = self.append(made, "bitwise_and", [first, part], PY_BOOL, "first")
        for node in made:
            node.loc = check.loc
        return made, first


def _asked(body: Graph, check: Node) -> Graph | None:
    """What a check asks of what the loop carries; None if it asks more than operations that cannot fail tell."""
    wanted, nodes = {check.inputs[0]}, []
    for node in reversed(body.nodes[: body.nodes.index(check)]):
        if wanted.isdisjoint(node.outputs):
            continue
        if node.op not in ASKING:
            return None
        wanted |= set(node.inputs)
        nodes.append(node)
    return None if body.inputs[0] in wanted else Graph([], nodes[::-1], [check.inputs[0]])


__all__ = ["loop_checks"]
