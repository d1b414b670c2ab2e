"""Checks of what no round needs another one for are made before the loop, for all rounds at once.

    loop(k < n) with x:                         bad = greater_equal(slice(i, 0, n), m)
        j = take(i, k)                          if any(bad):                            # fails
        if j >= m:              # fails             give what round argmax(bad) gives
            give ...                    to      else:
        else:                                       loop(k < n) with x:
            give step(x, j)                             give step(x, take(i, k))

The check is the only one of a loop that ends early nowhere else and whose rounds come to an end, so the first round in
which it fails is what is told.  What rounds before that one have computed nobody reads then.  The loop that is left has
as many rounds as it says, so that other passes know how many rows it makes.  (Loop distribution, Kennedy and McKinley,
1990; the rules of the vectoriser make the check for all rounds.)  Where all checks are of the counter, `counted_checks`
says in which round the first one fails.
"""

from __future__ import annotations

from collections.abc import Iterable

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.residual import Const
from graph_program.extract.transform.check_sides import CheckSides, Tests, decided, first_check
from graph_program.extract.transform.counted_checks import CountedChecks, Round
from graph_program.extract.transform.dce import sweep
from graph_program.extract.transform.fission.rounds import AllRounds
from graph_program.extract.transform.hoist import invariant
from graph_program.extract.transform.results_read import outputs_read, read_of
from graph_program.extract.transform.rewrite import defined_in, uses_of
from graph_program.extract.transform.totality import Totality
from graph_program.extract.transform.vectorize.maker import INT64_MAX
from graph_program.extract.transform.vectorize.visitor import LoopRewriter
from graph_program.extract.types.tensors.tensor_type import INT64, PY_BOOL, TensorType


def round_checks(program: GraphProgram) -> None:
    """Make checks of all rounds before their loops, in place."""
    # what a round has told the host, or written, before another one fails cannot be left out
    if program.errors and not program.host and not program.keeps_writes:
        _RoundChecks(program).run()


class _RoundChecks(LoopRewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.sides = CheckSides(self)
        self.counted = CountedChecks(self, self.ranges)
        self.totality = Totality(program.graph) if program.leaves_checks else None
        """Where an operation that fails is an error of its own, which may be that of an earlier round."""

    def loop(self, node: Node) -> list[Node]:
        if not self._begins_and_ends(node):
            return [node]
        moved = invariant(node.regions[0])  # numbers of rounds of loops inside, of which checks are made by now
        # in each round of another loop, a vector of all rounds costs more than it saves
        return moved + (self._counted(node) or ([node] if self.depth else self._looked_up(node)))

    def _looked_up(self, node: Node) -> list[Node]:
        """The one check of a loop made for all rounds at once."""
        check = self._only_check(node)
        if check is None:
            return [node]
        tests = self.sides.tests(check.inputs[0])
        rest = self.sides.without(node, check, tests)
        told = self._told(node, node.regions[0], check, tests)
        if told is None or not self._goes_on(rest):
            return [node]
        rounds = AllRounds(self, node, ends_early=True, read=set())
        test = check.inputs[0]
        if not rounds.lanes.is_known(test) or not rounds.lanes.varies(test):
            return [node]
        return self._before(node, check, rest, rounds, told, tests)

    def _goes_on(self, loop: Node) -> bool:
        """Whether a loop ends nowhere but behind its last round."""
        again = self.constant_of(loop.regions[0].outputs[0])
        return again is not None and bool(again)

    def _settle(self, body: Graph) -> None:
        """Have a round give what loops in it only hand on, which are left without checks."""
        handed: dict[Value, Value] = {}
        for inner in body.nodes:
            if inner.op == "loop":
                _, *parameters = inner.regions[0].inputs
                slots = zip(inner.outputs, inner.inputs[2:], parameters, inner.regions[0].outputs[1:], strict=True)
                for output, begun, parameter, given in slots:
                    first, last = map(self.constant_of, (begun, given))
                    same = first is not None and last is not None and Const(first) == Const(last)
                    if given is parameter or same:
                        handed[output] = handed.get(begun, begun)
        body.outputs = [handed.get(value, value) for value in body.outputs]

    def _told(self, loop: Node, body: Graph, check: Node, tests: Tests) -> set[int] | None:
        """Which results are of use where the check in a body fails; None if one depends on what is carried."""
        failed = decided(body, check, check.attrs["fails"], tests)
        results = list(zip(loop.outputs, failed.outputs[1:], strict=True))
        facts = self._facts(loop, results)
        error = self.program.graph.outputs[len(self.program.output_names) :]
        told = {loop.outputs.index(output) for output in facts} | read_of(self.program, loop, facts, error)
        sliced = Graph(failed.inputs, failed.nodes, [results[i][1] for i in told])
        sweep(sliced)
        carried = set(failed.inputs[1:])
        return told if carried.isdisjoint(uses_of(sliced)) else None

    def _facts(self, loop: Node, results: Iterable[tuple[Value, Value]]) -> dict[Value, bool]:
        """Which results of a loop are known not to be 0, or to be, by what some round gives for them."""
        contents = ((output, self.constant_of(result)) for output, result in results)
        return {output: bool(content) for output, content in contents if content is not None and not content.shape}

    def _begins_and_ends(self, loop: Node) -> bool:
        """Whether a loop has a number of rounds, but for what its rounds find."""
        trips, begins = map(self.constant_of, loop.inputs[:2])
        return begins is not None and bool(begins) and (trips is None or int(trips) < INT64_MAX)

    def _only_check(self, loop: Node) -> Node | None:
        """The check of a loop, if nothing else of it may fail or not end."""
        (body,) = loop.regions
        check = first_check(body)
        if check is None or check.inputs[0] not in defined_in([body]):
            return None
        others = [node for node in body.walk() if node is not check]
        return check if all(map(self._ends, others)) else None

    # ------------------------------------------------------------ of the counter

    def _counted(self, loop: Node) -> list[Node]:
        """The checks of a loop, all of its counter, made by the numbers of rounds; nothing if some are of others."""
        sides: list[tuple[Round, Graph]] = []
        rest, moved = loop, []
        while (check := first_check(rest.regions[0])) is not None:
            body, known = rest.regions[0], self.constant_of(check.inputs[0])
            tests = self.sides.tests(check.inputs[0])
            if known is None or int(known) != check.attrs["fails"]:  # else it never fails
                found = self.counted.first_round(body, check)
                told = None if found is None else self._told(loop, body, check, tests)
                if found is None or told is None:
                    return []
                failing = Graph([], [], [])
                self._tell(failing, rest, check, told, tests, found.number)
                sides.append((found, failing))
            rest = self.sides.without(rest, check, tests)
            moved += invariant(rest.regions[0])  # sizes that what comes behind is checked by
        rounds = [found for found, _ in sides]
        sides = [side for side in sides if self.counted.may_be_first(side[0], rounds)]
        self._settle(rest.regions[0])
        if not sides or not self._goes_on(rest) or not all(map(self._ends, rest.regions[0].walk())):
            return []
        return [*moved, *self._by_number(loop, rest, sides)]

    def _by_number(self, loop: Node, rest: Node, sides: list[tuple[Round, Graph]]) -> list[Node]:
        """A branch for each check, inside of that by another one, and the loop where none fails.

        First those that are the same in all rounds: of what tells them a loop around this one may be told the same.
        """
        rounds = [found for found, _ in sides]
        before = [node for found in rounds for node in found.nodes]
        order = sorted(range(len(rounds)), key=lambda place: rounds[place].test is None)
        tests = [self.counted.fails(before, loop.inputs[0], rounds, place) for place in order]
        working = self._working(loop, rest)
        for i, (fails, place) in reversed(list(enumerate(zip(tests, order, strict=True)))):
            outputs = [self.like(x) for x in loop.outputs] if i else loop.outputs
            branch = Node("if", [fails], outputs, {"fails": 0}, [sides[place][1], working], loop.loc)
            working = Graph([], [branch], list(outputs))
        made = [*before, *working.nodes]
        for node in Graph([], made, []).walk():
            self.ranges.note(node)
        return made

    # ------------------------------------------------------------ of what is looked up

    def _ends(self, node: Node) -> bool:
        """Whether an operation, for itself, comes to an end without an error."""
        if node.op == "loop":
            trips = self.constant_of(node.inputs[0])
            return trips is None or int(trips) < INT64_MAX
        is_total = self.totality is None or node.op == "if" or self.totality.is_total(node)
        return is_total and "fails" not in node.attrs

    def _before(
        self, loop: Node, check: Node, rest: Node, rounds: AllRounds, told: set[int], tests: Tests
    ) -> list[Node]:
        """A branch by the check of all rounds, with the round that fails on one side and the loop on the other."""
        before = Graph([], list(rounds.maker.nodes), [])
        bad = rounds.lanes.get(check.inputs[0])
        if check.attrs["fails"] == 1:
            bad = self.append(before.nodes, "invert", [bad], bad.type, "bad")
        fails = self.append(before.nodes, "any", [bad], PY_BOOL, "bad", axes=(0,), keepdims=False)
        before.outputs = [bad, fails]
        sweep(before)
        failing = Graph([], [], [])
        number = self.append(failing.nodes, "argmax", [bad], TensorType(INT64), "bad", axis=0, keepdims=False)
        self._tell(failing, loop, check, told, tests, number)
        for node in (*before.nodes, *failing.walk()):
            node.loc = check.loc
            self.ranges.note(node)
        working = self._working(loop, rest)
        branch = Node("if", [fails], loop.outputs, {"fails": 0}, [failing, working], check.loc)
        return [*before.nodes, branch]

    def _working(self, loop: Node, rest: Node) -> Graph:
        """The loop without the check; what is read only where it fails is left out."""
        graph = Graph([], [rest], [])
        given = list(zip(loop.outputs, loop.inputs[2:], rest.regions[0].outputs[1:], strict=True))
        first, last = (self._facts(loop, ((x, values[i]) for x, *values in given)) for i in range(2))
        facts = {output: holds for output, holds in last.items() if first.get(output) is holds}
        read = read_of(self.program, loop, facts, outputs_read(self.program, facts))
        for i, output in enumerate(rest.outputs):
            kept = i in read or loop.outputs[i] in facts
            graph.outputs.append(output if kept else self._unset(graph, output))
        return graph

    def _tell(self, graph: Graph, loop: Node, check: Node, told: set[int], tests: Tests, number: Value) -> None:
        """Have a graph give what is told of a round in which the check fails, by its number."""
        found = self.sides.failing_round(loop, check, tests, number)
        graph.nodes += found.nodes
        for i, (output, value) in enumerate(zip(loop.outputs, found.outputs, strict=True)):
            graph.outputs.append(value if i in told else self._unset(graph, output))
        sweep(graph)

    def _unset(self, graph: Graph, output: Value) -> Value:
        """What stands for a result that nobody reads."""
        return self.append(graph.nodes, "placeholder", [], output.type, "bad")


__all__ = ["round_checks"]
