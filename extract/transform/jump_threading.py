"""What follows a check that has failed follows it on its own side.

    good, e, y = if bad:                    # fails         e, z = if bad:                  # fails
        give false, 3, placeholder                              give 3, placeholder
    else:                                                   else:
        give true, 0, step(x)                   to              e_1, z_1 = if true:
    e_1, z = if good:                                               give 0, sqrt(step(x))
        give 0, sqrt(y)                                         else:
    else:                                                           give 0, placeholder
        give e, placeholder                                     give e_1, z_1

A branch that asks for what an earlier check has decided is moved behind what follows that check where it does not fail;
where it does, only the side that is taken then is left.  Nothing is computed twice but what that side does, which is
next to nothing.  No flag, and no result that means nothing, leaves the check.  (Jump threading; Mueller and Whalley,
"Avoiding conditional branches by code replication", 1995.)
"""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.check_sides import CheckSides
from graph_program.extract.transform.rewrite import Rewriter, needed, read_by, replace_values, uses_of

MOST_WORK = 3
"""So many operations may be done on both sides."""
DEEPEST = 8
"""Branches and loops in each other are not made more than that, of which later passes leave half: runtimes take few."""


def jump_threading(program: GraphProgram) -> None:
    """Move what follows checks to the side where it follows, in place."""
    if program.errors and not program.host:
        _Thread(program).run()


@dataclass(frozen=True)
class _Follows:
    """What moves behind a check.

    Attributes
    ----------
    between : list of Node
        What it needs of the check's results, in order.
    branch : Node
    side : int
        The number of its region that is taken where the check has failed.
    """

    between: list[Node]
    branch: Node
    side: int


class _Thread(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.sides = CheckSides(self)
        self.producer.update(program.graph.makers())

    def run(self) -> None:
        self._graph(self.program.graph, 0)
        self.program.graph.nodes[:0] = self._new_constants

    def _graph(self, graph: Graph, depth: int) -> None:
        """Go through a graph that stands so deep in others."""
        place = 0
        while place < len(graph.nodes):
            check = graph.nodes[place]
            follows = self._follows(graph, place) if "fails" in check.attrs else None
            if follows is None or not self._is_flat(check, follows, depth):
                place += 1
            else:
                place = self._thread(graph, check, follows)
        for node in graph.nodes:
            for region in node.regions:
                self._graph(region, depth + 1)

    def _follows(self, graph: Graph, place: int) -> _Follows | None:
        """The first branch behind a check that it decides where it fails, if that can be moved."""
        check, fails = graph.nodes[place], graph.nodes[place].attrs["fails"]
        given = dict(zip(check.outputs, check.regions[fails].outputs, strict=True))
        behind = graph.nodes[place + 1 :]
        for at, node in enumerate(behind):
            known = self.constant_of(given[node.inputs[0]]) if node.op == "if" and node.inputs[0] in given else None
            if known is None:
                continue
            side = 0 if bool(known) else 1
            wanted = needed(behind[:at], read_by([node]))
            between = [inner for inner in _depending(behind[:at], check) if inner in wanted]
            made = {value for inner in between for value in inner.outputs}
            trivial = node.regions[side]
            elsewhere = [*graph.outputs, *read_by([n for n in behind if n is not node and n not in between])]
            is_small = sum(inner.op not in ("constant", "placeholder") for inner in trivial.nodes) <= MOST_WORK
            is_alone = made.isdisjoint(elsewhere) and made.isdisjoint([*read_by(trivial.nodes), *trivial.outputs])
            plain = not any(inner.regions for inner in trivial.nodes)
            return _Follows(between, node, side) if is_small and is_alone and plain else None
        return None

    def _is_flat(self, check: Node, follows: _Follows, depth: int) -> bool:
        """Whether branches and loops in each other do not become more, or are few."""
        other = _height([follows.branch.regions[1 - follows.side]])
        after = self._levels(check, follows.branch.inputs[0]) + max(other, _height([Graph([], follows.between, [])]))
        before = 1 + max(_height(check.regions), _height(follows.branch.regions))
        return after <= before or depth + after <= DEEPEST

    def _levels(self, check: Node, flag: Value) -> int:
        """In how many branches what follows a check stands then: in those that give the flag, as far as it is known."""
        working = check.regions[1 - check.attrs["fails"]]
        given = working.outputs[check.outputs.index(flag)]
        if self.constant_of(given) is not None:
            return 1
        maker = self.producer.get(given)
        if maker in working.nodes and maker is not None and "fails" in maker.attrs:
            return 1 + self._levels(maker, given)
        return 2

    def _thread(self, graph: Graph, check: Node, follows: _Follows) -> int:
        """Move what follows; the number of the check then."""
        branch, fails = follows.branch, check.attrs["fails"]
        failing, working = check.regions[fails], check.regions[1 - fails]
        taken = branch.regions[follows.side]
        failed = self.sides.copies.graph(taken, dict(zip(check.outputs, failing.outputs, strict=True)))
        failing.nodes += failed.nodes
        moved = Graph([], [*follows.between, branch], [])
        replace_values(moved, dict(zip(check.outputs, working.outputs, strict=True)))
        results = [self.like(value) for value in branch.outputs]
        outputs, branch.outputs = branch.outputs, results
        working.nodes += moved.nodes
        left = [node for node in graph.nodes if node not in (*follows.between, branch)]
        before, behind = left[: left.index(check)], left[left.index(check) + 1 :]
        read = uses_of(Graph([], behind, graph.outputs))
        kept = [i for i, value in enumerate(check.outputs) if read[value]]
        check.outputs = [*(check.outputs[i] for i in kept), *outputs]
        failing.outputs = [*(failing.outputs[i] for i in kept), *failed.outputs]
        working.outputs = [*(working.outputs[i] for i in kept), *results]
        first = needed(behind, read_by(moved.nodes))
        graph.nodes = [*before, *first, check, *(node for node in behind if node not in first)]
        self.producer.update((value, node) for node in (check, branch) for value in node.outputs)
        for node in failed.nodes:
            self.producer.update(dict.fromkeys(node.outputs, node))
        return len(before) + len(first)


def _depending(nodes: Sequence[Node], check: Node) -> list[Node]:
    """Those of some nodes that need results of a check."""
    made, found = set(check.outputs), []
    for node in nodes:
        if not made.isdisjoint(read_by([node])):
            made.update(node.outputs)
            found.append(node)
    return found


def _height(graphs: Sequence[Graph]) -> int:
    """How many graphs deep the deepest node of some graphs stands in them."""
    return max((1 + _height(node.regions) for graph in graphs for node in graph.nodes if node.regions), default=0)


__all__ = ["jump_threading"]
