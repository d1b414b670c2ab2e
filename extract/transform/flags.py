"""What only says that something has failed is asked for all rounds before their loop, and outside of branches.

    f = loop(k < n, while not e) with g = e, x = a:         f = e or (n > 0 and (bad or n - 1 >= m))
        h = g or bad or k >= m                      to      loop(k < n, while not f) with x = a:
        give not h, h, step(x)                                  give true, step(x)

    h = if c: give g or k >= m                      to      h = g or (c and k >= m)
        else: give g

Where a flag is true nobody reads anything else (`flag_values`), so a test may be made earlier than the operation that
fails with it, as long as the rounds that it speaks of are all done if nothing fails.  What compares the counter with
what does not change holds in the last round if it does in any, or else in the first.  What is left to ask in the
rounds does not end a loop whose rounds are as many as a size says: it is soon done, and is a loop that others may
make array operations of.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.copies import Copies
from graph_program.extract.transform.endings import ends_in_error
from graph_program.extract.transform.flag_values import flags_of, holds_unless_failed, is_kept
from graph_program.extract.transform.hoist import is_cheap_and_total
from graph_program.extract.transform.linear import linear
from graph_program.extract.transform.orders import HIGHEST, LOWEST
from graph_program.extract.transform.ranged import RangedRewriter
from graph_program.extract.transform.rewrite import defined_in, keep_outputs
from graph_program.extract.transform.rounds_of_tests import GROWING, Rounds, rounds_of
from graph_program.extract.transform.wrapping import sum_compared
from graph_program.extract.types.dims import provably_less_equal
from graph_program.extract.types.tensors.tensor_type import INT64, PY_BOOL, TensorType

MOST_ROUNDS = 2**31
"""A loop of so many rounds is soon done."""
MOST_ASKED = 16
"""So many operations are taken out of a branch to ask what it asks."""


def flags(program: GraphProgram) -> None:
    """Ask before loops and outside of branches what has failed, in place."""
    found = flags_of(program)
    if found:
        _Flags(program, found).run()


class _Flags(RangedRewriter):
    def __init__(self, program: GraphProgram, found: set[Value]):
        super().__init__(program)
        self.flags = found
        self.copies = Copies(self.like)
        self.false = self.constant(np.array(False), "false")

    def visit(self, node: Node) -> list[Node]:
        made: list[Node] = []
        if node.op == "loop":
            self._loop(node, made)
        elif node.op == "if" and "fails" not in node.attrs:
            self._branch(node, made)
        for one in made:
            one.loc = node.loc
        self._note(made)
        return [*made, node] if node.outputs or node.op != "if" else made

    # ------------------------------------------------------------ branches

    def _branch(self, node: Node, made: list[Node]) -> None:
        """Flags that a branch gives are put together outside of it."""
        kept = []
        for place, output in enumerate(node.outputs):
            flag = self._outside(node, place, made) if output in self.flags else None
            if flag is None:
                kept.append(place)
            else:
                self.flags.add(flag)
                self.replace(output, flag)
        if len(kept) < len(node.outputs):
            keep_outputs(node, kept)

    def _outside(self, node: Node, place: int, made: list[Node]) -> Value | None:
        """A flag that a branch gives, made outside of it; None if it takes what may fail, or is dear."""
        then, orelse = (self._parts(region.outputs[place]) for region in node.regions)
        shared = [part for part in then if part in orelse]
        new: list[Node] = []
        sides = []
        for holds, region, parts in zip((True, False), node.regions, (then, orelse), strict=True):
            with self.ranges.where(node.inputs[0], holds):
                own = [part for part in parts if part not in shared and not self._never(part)]
            asked = self._asked(region, own)
            if asked is None or len(asked.nodes) > MOST_ASKED:
                return None
            found = self.copies.graph(asked, {})
            new += found.nodes
            sides.append((holds, found.outputs))
        test = node.inputs[0]
        for holds, parts in sides:
            if parts:
                where = test if holds else self.append(new, "invert", [test], PY_BOOL, "failed")
                shared.append(self._both(new, where, self._any(new, parts)))
        flag = self._any(new, shared)
        made += new
        return flag

    def _asked(self, region: Graph, parts: list[Value]) -> Graph | None:
        """What computes some truths of a graph, from a counter at most, if that is cheap and cannot fail."""
        inside = defined_in([region])
        wanted, nodes = inside.intersection(parts), list[Node]()
        for node in reversed(region.nodes):
            if wanted.isdisjoint(node.outputs):
                continue
            if not is_cheap_and_total(node) or any(value.type.rank for value in inside.intersection(node.inputs)):
                return None
            wanted.difference_update(node.outputs)
            wanted |= inside.intersection(node.inputs)
            nodes.append(node)
        return Graph([], nodes[::-1], parts) if wanted <= set(region.inputs[:1]) else None

    # ------------------------------------------------------------ loops

    def _loop(self, loop: Node, made: list[Node]) -> None:
        """Make the tests of a loop's flags before it, as far as they are known there."""
        carried = [i for i, output in enumerate(loop.outputs) if output in self.flags]
        places = [i for i in carried if is_kept(loop, i, self.producer)]
        if not places:
            return
        if self._does_all_rounds(loop):
            for place in places:
                self._before(loop, place, made)
        self._do_all(loop)

    def _does_all_rounds(self, loop: Node) -> bool:
        """Whether a loop ends early only where the program then ends with an error; one without an end does so."""
        trips = self.integer_of(loop.inputs[0])
        if trips is not None and trips > MOST_ROUNDS:
            return False
        return self._is_by_flags(loop.regions[0].outputs[0]) or ends_in_error(self.program, loop)

    def _is_by_flags(self, condition: Value) -> bool:
        return holds_unless_failed(condition, self.flags, self.producer.get, self.constant_of)

    def _before(self, loop: Node, place: int, made: list[Node]) -> None:
        """Make the tests of one flag before its loop."""
        body = loop.regions[0]
        carried = body.inputs[place + 1]
        rounds = Rounds(body, defined_in([body]), self.producer.get)
        moved: list[tuple[Value, frozenset[str]]] = []
        left = False
        for part in self._parts(body.outputs[place + 1]):
            if part is carried or part is self.false:
                continue
            when = rounds_of(part, rounds)
            # What it compares may hang on other things of the round than the difference of it does.
            if when is None or self._asked(body, [part]) is None:
                left = True
            else:
                moved.append((part, when))
        if not moved and left:
            return
        tests = self._tests(loop, moved, made)
        initial = loop.inputs[place + 2]
        flag = initial if tests is None else self._any(made, [initial, tests])
        self.flags.add(flag)
        self._leave_out(body, place, {part for part, _ in moved})
        loop.inputs[place + 2] = flag
        if tests is not None:
            good = self.append(made, "invert", [flag], PY_BOOL, "no_error")
            loop.inputs[1] = good if self._is_by_flags(loop.inputs[1]) else self._both(made, loop.inputs[1], good)
        if not left:
            self._forget(loop, place, flag, begins=tests is not None)

    def _tests(self, loop: Node, moved: list[tuple[Value, frozenset[str]]], made: list[Node]) -> Value | None:
        """Whether a test holds in any round; None if there is none."""
        body, trips = loop.regions[0], loop.inputs[0]
        numbers = {"first": self.integer(0)}
        if any("last" in when for _, when in moved):
            numbers["last"] = self.append(made, "subtract", [trips, self.integer(1)], TensorType(INT64), "last")
            self._note(made)
        found = []
        for part, when in moved:
            for name in sorted(self._safely(body, part, when)):
                asked = self._asked(body, [part])
                assert asked is not None
                copy = self.copies.graph(asked, {body.inputs[0]: numbers[name]})
                self._note(copy.nodes)
                if not self._never(copy.outputs[0]):
                    made += copy.nodes
                    found += copy.outputs
        if not found:
            return None
        test = self._any(made, found)
        known = self.ranges.of(trips)
        if known is None or not provably_less_equal(1, known[0]):
            there = self.append(made, "greater", [trips, self.integer(0)], PY_BOOL, "failed")
            test = self._both(made, there, test)
        return test if self._is_by_flags(loop.inputs[1]) else self._both(made, loop.inputs[1], test)

    def _safely(self, body: Graph, test: Value, when: frozenset[str]) -> frozenset[str]:
        """The rounds to ask for; the first one, too, where a sum may leave 64 bits behind it."""
        node = self.producer.get(test)
        if when != {"last"} or node is None:
            return when or frozenset({"first"})
        inside = defined_in([body])
        with self.ranges.behind(body):
            found = [self.ranges.of(value) for value in node.inputs if value in inside]
        known = all(r is not None and r[0] != LOWEST and r[1] != HIGHEST for r in found)
        return when if known else when | {"first"}

    def _leave_out(self, body: Graph, place: int, parts: set[Value]) -> None:
        """A flag without some of its parts, which do not hold in a round that is done."""
        work, here = [body.outputs[place + 1]], set(body.nodes)
        while work:
            node = self.producer.get(work.pop())
            if node in here and node.op == "bitwise_or":
                node.inputs = [self.false if operand in parts else operand for operand in node.inputs]
                work += node.inputs
        if body.outputs[place + 1] in parts:
            body.outputs[place + 1] = self.false

    def _forget(self, loop: Node, place: int, flag: Value, begins: bool) -> None:
        """Do not carry a flag that no round changes."""
        body = loop.regions[0]
        body.outputs[place + 1] = body.inputs[place + 1]
        if begins:  # no round is done where it is true
            given = {body.inputs[place + 1]: self.false}
            for node in body.walk():
                node.inputs = [given.get(value, value) for value in node.inputs]
                for region in node.regions:
                    region.outputs = [given.get(value, value) for value in region.outputs]
            first, *others = body.outputs
            kept = body.inputs[place + 1]
            body.outputs = [given.get(first, first), *(v if v is kept else given.get(v, v) for v in others)]
        self.replace(loop.outputs[place], flag)

    def _do_all(self, loop: Node) -> None:
        """A loop that has to end only because of its flags, and soon has, does all rounds."""
        body = loop.regions[0]
        found = self.ranges.of(loop.inputs[0])
        if found is None or found[1] == HIGHEST or not self._is_by_flags(body.outputs[0]):
            return
        most = found[1].constant
        if most is not None and most > MOST_ROUNDS:
            return
        body.outputs[0] = self.constant(np.array(True), "true")

    # ------------------------------------------------------------ truths

    def _never(self, test: Value) -> bool:
        """Whether a test never holds, by the ranges of what it compares or as it compares one sum."""
        found = self.ranges.of(test)
        if found is not None and found[1].constant == 0:
            return True
        node = self.producer.get(test)
        if node is None or node.op not in GROWING or any(value.type.dtype != INT64 for value in node.inputs):
            return False
        if sum_compared(node, self.producer.get) is not None:
            return False  # whether it has wrapped, which sums do not say
        a, b = (linear(value, self.producer.get) for value in node.inputs)
        gap = (a - b) if GROWING[node.op] > 0 else (b - a)
        return not gap.terms and gap.constant < (0 if node.op.endswith("equal") else 1)

    def _note(self, nodes: list[Node]) -> None:
        """Know nodes that have been made."""
        for node in nodes:
            self.ranges.note(node)
            self.producer.update(dict.fromkeys(node.outputs, node))

    def _parts(self, value: Value) -> list[Value]:
        """The truths of which one holds where another one does."""
        node = self.made_by(value, "bitwise_or")
        if node is None:
            return [] if value is self.false else [value]
        return list(dict.fromkeys(part for operand in node.inputs for part in self._parts(operand)))

    def _any(self, nodes: list[Node], parts: Iterable[Value]) -> Value:
        first, *others = list(dict.fromkeys(parts)) or [self.false]
        for other in others:
            first = self.append(nodes, "bitwise_or", [first, other], PY_BOOL, "failed")
            self.producer[first] = nodes[-1]
        return first

    def _both(self, nodes: list[Node], a: Value, b: Value) -> Value:
        found = self.append(nodes, "bitwise_and", [a, b], PY_BOOL, "failed")
        self.producer[found] = nodes[-1]
        return found


__all__ = ["flags"]
