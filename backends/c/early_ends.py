"""Where a check fails, the function ends at once.

    y, error = if bad:                          if bad:
        give placeholder, 3                         fail 3
    else:                               to      y = f(x)
        give f(x), 0                            ... without a test of `error`

In the graph an error is a number that branches and loops hand on to the end of the program, and flags that leave the
loops in between.  Nothing that is computed behind such a branch means anything, so the function may end there: what is
left has no flags, and the compiler sees that an index that was checked is inside.

A node `fail` has the error's number and what its message has in it as inputs; `attrs["places"]` are the numbers of
these among the graph's outputs.  An `if` that one side of ends so has no outputs.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from graph_program.backends.c.decided_tests import decided_tests
from graph_program.backends.c.failing import FAIL, End, Failing, Known
from graph_program.backends.c.joined_branches import joined_branches
from graph_program.backends.c.late_operands import late_operands
from graph_program.backends.c.masked_sums import masked_sums
from graph_program.backends.c.while_loops import while_loops
from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.residual import Const
from graph_program.extract.transform.dce import dce
from graph_program.extract.transform.fold import fold
from graph_program.extract.transform.loop_values import loop_values
from graph_program.extract.transform.rewrite import Rewriter, copy_program
from graph_program.extract.transform.simplify import simplify

ROUNDS = 12
"""So often is looked for branches that fail, as those inside show more of those around them."""


def with_early_ends(program: GraphProgram) -> GraphProgram:
    """A program whose branches end it where they fail; where results mean something then, they do not."""
    result = copy_program(program)
    before = (0, 0)
    for _ in range(ROUNDS):
        failing = Failing(result)
        _EarlyEnds(result, failing).run()
        _drop_arguments(result)
        for step in (fold, simplify, joined_branches, loop_values, dce):
            step(result)
        size = _size(result.graph)
        if size == before:
            break
        before = size
    decided_tests(result)
    for step in (fold, simplify, dce):
        step(result)
    while_loops(result)
    late_operands(result)
    masked_sums(result)
    return result


def _size(graph: Graph) -> tuple[int, int]:
    """How much is left, and of how much of it is known what it is."""
    nodes = [*graph.walk()]
    constants = {node.outputs[0] for node in nodes if node.op == "constant"}
    read = [value for node in nodes for values in (node.inputs, *(r.outputs for r in node.regions)) for value in values]
    return len(nodes) + len(read) + sum(len(node.outputs) for node in nodes), sum(value in constants for value in read)


def _drop_arguments(program: GraphProgram) -> None:
    """Nobody reads what messages have in them at the end of a program that does not fail there."""
    graph, count = program.graph, len(program.output_names)
    if not program.errors or program.keeps_writes:
        return
    made = {value: node for node in graph.nodes for value in node.outputs}
    node = made.get(graph.outputs[count])
    if node is None or node.op != "constant" or node.attrs["value"] != 0:
        return
    for place in sorted({place for places in program.error_args for place in places}):
        value = graph.outputs[place]
        if value in made and made[value].op != "placeholder":
            unread = Value(f"{value.name}.unread", value.type)
            graph.nodes.append(Node("placeholder", [], [unread]))
            graph.outputs[place] = unread


class _EarlyEnds(Rewriter):
    """Writes the ends into the branches, and what the other sides compute behind them."""

    def __init__(self, program: GraphProgram, failing: Failing):
        super().__init__(program)
        self.home = {value: graph for value, (graph, _, _) in failing.made.items()}
        self.branches, self.flags = failing.branches(), failing.flags()
        self.choices, self.left = failing.choices(), failing.left()

    def visit(self, node: Node) -> list[Node]:
        if node.op == "constant" and not node.outputs[0].type.rank:  # so that equal ones are one
            self.replace(node.outputs[0], self.constant(np.asarray(node.attrs["value"]), node.outputs[0].name))
            return []
        if node.op == "loop":
            for output in node.outputs:
                if output in self.left:
                    self.replace(output, self.constant(self.left[output]))
        if node.op == "if" and id(node) in self.branches:
            return self._ended(node, self.branches[id(node)])
        if node.op == "if":
            self._agree(node)
        if node.op == "where" and node.outputs[0] in self.choices:
            end = self.choices[node.outputs[0]]
            self.replace(node.outputs[0], node.inputs[2 - end.side])
            return [self._end(node.inputs[0], end, [], node.loc)]
        flag = next((value for value in node.outputs if value in self.flags), None)
        if flag is not None:
            self.producer[flag] = node
            return [node, self._tested(flag, self.flags[flag], node.loc)]
        return self._chosen(node)

    def _ended(self, node: Node, end: End) -> list[Node]:
        """The failing side alone, and the other side's operations behind it."""
        failing, other = node.regions[end.side], node.regions[1 - end.side]
        for output, value in zip(node.outputs, other.outputs, strict=True):
            self.replace(output, value)
        test = node.inputs[0]
        if self.home.get(test) is self.home.get(node.outputs[0]):  # what reads it later has gone on
            self.replace(test, self.constant(np.asarray(end.side == 1)))
        return [self._end(test, end, failing.nodes, node.loc), *other.nodes]

    def _agree(self, node: Node) -> None:
        """The test is known in both sides; what both give as the same number, or as the test, is this."""
        for region, holds in zip(node.regions, (True, False), strict=True):
            known = self.constant(np.asarray(holds))
            region.outputs = [known if value is node.inputs[0] else value for value in region.outputs]
        for output, *sides in zip(node.outputs, *(region.outputs for region in node.regions), strict=True):
            a, b = (self.constant_of(side) for side in sides)
            if a is None or b is None or a.ndim:
                continue
            if Const(a) == Const(b):
                self.replace(output, self.constant(a))
            elif a.dtype == np.bool_ and bool(a):
                self.replace(output, node.inputs[0])

    def _tested(self, flag: Value, end: End, loc: Loc) -> Node:
        """A branch that ends where a flag says so; behind it the flag is known."""
        made, fails_on = self.producer.get(flag), bool(end.side)
        self.replace(flag, self.constant(np.asarray(not fails_on)))
        if made is not None and made.op == "invert":
            test = made.inputs[0]
            if self.home.get(test) is self.home[flag]:
                self.replace(test, self.constant(np.asarray(fails_on)))
            return self._end(test, replace(end, side=int(fails_on)), [], loc)
        return self._end(flag, replace(end, side=int(not fails_on)), [], loc)

    def _end(self, test: Value, end: End, before: list[Node], loc: Loc) -> Node:
        inputs = [self._read(value) for value in (end.number, *end.arguments)]
        fail = Node(FAIL, inputs, [], {"places": end.places}, loc=loc)
        regions = [Graph([], [], []), Graph([], [], [])]
        regions[end.side] = Graph([], [*before, fail], [])
        return Node("if", [test], [], {"ends": end.side}, regions, loc)

    def _read(self, known: Known) -> Value:
        return self.constant(known) if isinstance(known, np.ndarray) else self.resolve(known)

    def _both(self, node: Node) -> Node:
        """`c and x` for x if c else false."""
        (output,), (test, yes, no) = node.outputs, node.inputs
        if output.type.dtype != np.bool_:
            return node
        if no is test or self._is(no, False):
            return self.node("bitwise_and", [test, yes], output, {}, node.loc)
        if yes is test or self._is(yes, True):
            return self.node("bitwise_or", [test, no], output, {}, node.loc)
        return node

    def _is(self, value: Value, wanted: bool) -> bool:
        known = self.constant_of(value)
        return known is not None and bool(known) is wanted

    def _chosen(self, node: Node) -> list[Node]:
        """A test of which side a branch has taken is the branch's own."""
        if node.op == "where" and not any(value.type.rank for value in node.inputs):
            return [self._both(node)]
        if node.op != "equal" or node.outputs[0].type.rank:
            return [node]
        for value, other in (node.inputs, node.inputs[::-1]):
            branch, number = self.producer.get(value), self.constant_of(other)
            if branch is None or branch.op != "if" or number is None or number.ndim:
                continue
            place = branch.outputs.index(value)
            sides = [self.constant_of(region.outputs[place]) for region in branch.regions]
            taken = [bool(side == number) for side in sides if side is not None]
            if taken == [True, False]:
                self.replace(node.outputs[0], branch.inputs[0])
                return []
            if taken == [False, True]:
                return [self.node("invert", branch.inputs, node.outputs[0], {}, node.loc)]
        return [node]


__all__ = ["FAIL", "with_early_ends"]
