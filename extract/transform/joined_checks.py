"""Checks that follow each other are one.

    e, y = if bad:                      # fails         e, y = if bad or worse:             # fails
        give 1, placeholder                                 give where(bad, 1, 2), placeholder
    else:                                       to      else:
        e_1, y_1 = if worse:            # fails             give 0, sqrt(x)
            give 2, placeholder
        else:
            give 0, sqrt(x)
        give e_1, y_1

The second one is asked even where the first has failed, so what it asks must not fail then (see `totality`), and
nothing that takes long may come before it.  Of the two, the first one in the order of the program is told.  So the
program stands in one branch behind its checks, however many these are; if-conversion, before this, has left those
of them that have to be branches.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.reach import reached
from graph_program.extract.records import dataclass
from graph_program.extract.transform.copies import Copies, copy_graph
from graph_program.extract.transform.dce import needs_of
from graph_program.extract.transform.rewrite import Rewriter, defined_in, needed, replace_values
from graph_program.extract.transform.totality import Totality
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, TensorType

Nodes = list[Node]
MOST_MORE = 6
"""So many operations on numbers stand before or behind the second check and tell what has failed."""


def joined_checks(program: GraphProgram) -> None:
    """Make one branch of checks of which one stands behind the other, in place."""
    if program.errors and not program.host:
        _Join(program).run()


@dataclass(frozen=True)
class _Second:
    """A check that stands where another one has not failed.

    Attributes
    ----------
    check : Node
    asked : list of Node
        What its test needs of the side on which it stands.
    failed : Graph
        What that side gives where it fails.
    """

    check: Node
    asked: Nodes
    failed: Graph


class _Join(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.producer.update(program.graph.makers())
        self.totality = Totality(program.graph)
        self.copies = Copies(self.like)
        outputs, results = program.graph.outputs, 0 if program.keeps_writes else len(program.output_names)
        self.told = reached(outputs[results:], needs_of(program.graph))
        """What is read, or what is read is made of, where something has failed."""

    def run(self) -> None:
        self._graph(self.program.graph)
        self.program.graph.nodes[:0] = self._new_constants

    def _graph(self, graph: Graph) -> None:
        place = 0
        while place < len(graph.nodes):
            node = graph.nodes[place]
            second = self._second(node) if "fails" in node.attrs else None
            if second is None:
                place += 1
                continue
            before = [*second.asked, *self._joined(node, second)]
            self.totality.move(before, node)
            graph.nodes[place:place] = before
            place += len(before)
        for node in graph.nodes:
            for region in node.regions:
                self._graph(region)

    # ------------------------------------------------------------ which

    def _second(self, first: Node) -> _Second | None:
        """The next check on the side where one has not failed, if both can be asked at once."""
        side = first.regions[1 - first.attrs["fails"]]
        place = next((i for i, node in enumerate(side.nodes) if "fails" in node.attrs), None)
        if place is None:
            return None
        check, before = side.nodes[place], side.nodes[:place]
        asked = needed(before, [check.inputs[0]])
        tell = [] if not self.program.leaves_checks else [node for node in before if not node.regions]
        if not self._are_total(first, [*asked, *tell]):  # what tells of an error by failing would come behind
            return None
        failing = check.regions[check.attrs["fails"]]
        behind = copy_graph(Graph([], side.nodes[place + 1 :], side.outputs))
        replace_values(behind, dict(zip(check.outputs, failing.outputs, strict=True)))
        unset = self._unset(first, behind)
        nodes = needed([*unset, *before, *failing.nodes, *behind.nodes], behind.outputs)
        own = [node for node in nodes if node not in asked]
        more = [node for node in own if node not in failing.nodes and node.op not in ("constant", "placeholder")]
        is_small = len(more) <= MOST_MORE and all(map(_is_of_numbers, more))
        return _Second(check, asked, Graph([], own, behind.outputs)) if is_small else None

    def _unset(self, first: Node, failed: Graph) -> Nodes:
        """What a side that has failed gives instead of results that are not told."""
        made = []
        earlier = first.regions[first.attrs["fails"]]
        inside = defined_in([earlier])
        for place, output in enumerate(first.outputs):
            if output not in self.told:
                unset = self.made_by(earlier.outputs[place], "placeholder")  # a row has the sizes of the other ones
                sizes = [] if unset is None or not inside.isdisjoint(unset.inputs) else unset.inputs
                made.append(Node("placeholder", list(sizes), [self.like(failed.outputs[place])]))
                failed.outputs[place] = made[-1].outputs[0]
        return made

    def _are_total(self, check: Node, nodes: Sequence[Node]) -> bool:
        """Whether nodes of a side of a check can be done in any case, and all that is known of them is then right."""
        before = self.totality.mark()
        self.totality.look_at(check)
        total = not any(node.regions for node in nodes) and all(map(self.totality.is_total, nodes))
        certain = self.totality.mark() == before
        self.totality.forget(before)
        return total and certain

    # ------------------------------------------------------------ how

    def _joined(self, first: Node, second: _Second) -> Nodes:
        """Have one check ask for another one, too; what its test is made of."""
        fails, inner = first.attrs["fails"], second.check
        working = inner.regions[1 - inner.attrs["fails"]]
        side = first.regions[1 - fails]
        failing = self._failing(first, second)
        place = side.nodes.index(inner)
        kept = [node for node in side.nodes[:place] if node not in second.asked]
        given = dict(zip(inner.outputs, working.outputs, strict=True))
        behind = Graph([], side.nodes[place + 1 :], list(side.outputs))
        replace_values(behind, given)
        rest = Graph([], [*kept, *working.nodes, *behind.nodes], behind.outputs)
        made: Nodes = []
        test = inner.inputs[0]
        op, name = ("bitwise_and", "good") if fails else ("bitwise_or", "bad")
        if inner.attrs["fails"] != fails:
            test = self._made(made, "invert", [test], PY_BOOL, name, inner)
        first.inputs[0] = self._made(made, op, [first.inputs[0], test], PY_BOOL, name, inner)
        first.regions = [rest, failing] if fails else [failing, rest]
        replace_values(rest, self._known(first.inputs[0], bool(fails)))
        return made

    def _known(self, test: Value, holds: bool) -> dict[Value, Value]:
        """What is known of a test, and of what it is made of, where it holds or does not."""
        found = {test: self.constant(np.array(holds), str(holds).lower())}
        node = self.made_by(test, "invert", "bitwise_and" if holds else "bitwise_or")
        if node is not None:
            for part in node.inputs:
                found |= self._known(part, holds != (node.op == "invert"))
        return found

    def _failing(self, first: Node, second: _Second) -> Graph:
        """What is told where one of two checks has failed."""
        fails, test = first.attrs["fails"], first.inputs[0]
        earlier, later = first.regions[fails], self.copies.graph(second.failed, {})
        for node in later.nodes:
            self.producer.update(dict.fromkeys(node.outputs, node))
        self.totality.copied(later, first)
        pairs = list(zip(earlier.outputs, later.outputs, strict=True))
        if self._are_total(first, [*earlier.nodes, *second.failed.nodes]) and all(
            self._only(a, b) is not None or not a.type.rank for a, b in pairs
        ):
            nodes = [*earlier.nodes, *later.nodes]
            outputs = [self._told(nodes, first, a, b) for a, b in pairs]
            return Graph([], nodes, outputs)
        results = [self.like(value) for value in earlier.outputs]
        regions = [later, earlier] if fails else [earlier, later]
        choice = Node("if", [test], results, {}, regions, first.loc)
        self.producer.update(dict.fromkeys(results, choice))
        return Graph([], [choice], list(results))

    def _told(self, nodes: Nodes, first: Node, earlier: Value, later: Value) -> Value:
        """The result of the earlier of two checks that have failed."""
        only = self._only(earlier, later)
        if only is not None:
            return only
        sides = [later, earlier] if first.attrs["fails"] else [earlier, later]
        return self._made(nodes, "where", [first.inputs[0], *sides], earlier.type, earlier.name, first)

    def _only(self, earlier: Value, later: Value) -> Value | None:
        """Of two results the one that can be read, if there is one."""
        if earlier is later or self.made_by(later, "placeholder") is not None:
            return earlier
        if self.made_by(earlier, "placeholder") is not None:
            return later
        known, other = self.constant_of(earlier), self.constant_of(later)
        if known is None or other is None or known.dtype != other.dtype or known.shape != other.shape:
            return None
        return earlier if known.tobytes() == other.tobytes() else None

    def _made(self, nodes: Nodes, op: str, inputs: list[Value], type_: TensorType, name: str, place: Node) -> Value:
        made = self.append(nodes, op, inputs, type_, name)
        nodes[-1].loc = place.loc
        self.producer[made] = nodes[-1]
        return made


def _is_of_numbers(node: Node) -> bool:
    return not node.regions and not any(value.type.rank for value in (*node.inputs, *node.outputs))


__all__ = ["joined_checks"]
