"""Host work beside graph work: a step is begun as early as it can be, and waited for when its values are needed.

    frame, host1 = ...                                   host2 = host_start(host1, camera, step=0)
    host2, image = host_exchange(host1, camera, step=0)  y = matmul(x, x)
    y = matmul(x, x)                              ->     image = host_wait(host2, y, step=0)
    z = add(y, image)                                    z = add(y, image)

A step that tells nothing is not waited for at all: steps run in order, one after the other, and the call ends when
all have.  Nothing but time depends on any of this.
"""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.host import EXCHANGE, HOST_OPS, START, WAIT
from graph_program.extract.slice.prefetch import with_prefetch
from graph_program.extract.slice.work import NODE, needed_by, reads, time, using, work, worth
from graph_program.extract.transform.rewrite import copy_program


def with_overlap(program: GraphProgram) -> GraphProgram:
    """The program with its steps beside what does not need them; the same one where there is nothing to gain."""
    if not program.host:
        return program
    copy = copy_program(program)
    found = _Overlap(with_prefetch(copy))
    found.graph(copy.graph, beside=0)
    return copy if found.any else program


def overlaps(program: GraphProgram) -> bool:
    """Whether there are steps that run beside the graph."""
    return bool(program.host) and any(node.op == START for node in program.graph.walk())


class _Overlap:
    def __init__(self, found: bool) -> None:
        self.any = found

    def graph(self, graph: Graph, beside: int) -> None:
        """Look at the steps of a graph; `beside` is the work around it which may go on during its last steps."""
        for i, node in enumerate(graph.nodes):
            if node.regions:
                around = beside + work(graph.nodes[i + 1 :])
                around += work(node.regions[0].nodes) if node.op == "loop" else 0
                for region in node.regions:
                    self.graph(region, around)
        for node in [n for n in graph.nodes if n.op == EXCHANGE]:
            if len(node.outputs) == 1:
                following = graph.nodes[graph.nodes.index(node) + 1 :]
                if worth(work(following) + beside):
                    node.op, self.any = START, True
            else:
                self.apart(graph, node)

    def apart(self, graph: Graph, step: Node) -> None:
        """Begin a step and wait for it behind the work that neither needs it nor is needed by it."""
        place = graph.nodes.index(step)
        needed = needed_by(step.inputs, graph.nodes[:place])
        users = using(step.outputs[1:], graph.nodes[place + 1 :])
        before = [n for n in graph.nodes[:place] if id(n) not in needed]
        after = [n for n in graph.nodes[place + 1 :] if id(n) not in users]
        if not worth(work(before + after)):
            return
        self.any = True
        start = Node(START, step.inputs, step.outputs[:1], step.attrs, loc=step.loc)
        waited = [step.outputs[0], *(v for n in _last(before + after) for v in n.outputs[:1])]
        wait = Node(WAIT, waited, step.outputs[1:], step.attrs, loc=step.loc)
        first = [n for n in graph.nodes[:place] if id(n) in needed]
        last = [n for n in graph.nodes[place + 1 :] if id(n) in users]
        graph.nodes = [*first, start, *before, *after, wait, *last]


def _last(nodes: Sequence[Node]) -> list[Node]:
    """Those of the nodes with work that none of the others with work comes behind."""
    found: list[Node] = []
    wanted: set[Value] = set()
    for node in reversed(nodes):
        needed = not wanted.isdisjoint(node.outputs)
        if not needed and node.outputs and node.op not in HOST_OPS and time(node) > 2 * NODE:
            found.append(node)
            needed = True
        if needed:
            wanted.update(reads(node))
    return found


__all__ = ["overlaps", "with_overlap"]
