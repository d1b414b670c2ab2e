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
from graph_program.extract.slice.prefetch import prefetch
from graph_program.extract.slice.work import NODE, needed_by, reads, time, using, work, worth


def with_overlap(program: GraphProgram) -> GraphProgram:
    """The program with its steps beside what does not need them, in place."""
    if program.host:
        prefetch(program)
        _beside(program.graph, 0)
    return program


def overlaps(program: GraphProgram) -> bool:
    """Whether there are steps that run beside the graph."""
    return bool(program.host) and any(node.op == START for node in program.graph.walk())


def _beside(graph: Graph, around: int) -> None:
    """Look at the steps of a graph; `around` is the work outside of it which may go on during its last steps."""
    behind = around
    for node in reversed(graph.nodes):
        took = time(node)
        for region in node.regions:
            _beside(region, behind + (work(region.nodes) if node.op == "loop" else 0))
        behind += took
    for node in [n for n in graph.nodes if n.op == EXCHANGE]:
        if len(node.outputs) > 1:
            _apart(graph, node)
        elif worth(work(graph.nodes[graph.nodes.index(node) + 1 :]) + around):
            node.op = START


def _apart(graph: Graph, step: Node) -> None:
    """Begin a step and wait for it behind the work that neither needs it nor is needed by it."""
    place = graph.nodes.index(step)
    needed = needed_by(step.inputs, graph.nodes[:place])
    users = using(step.outputs[1:], graph.nodes[place + 1 :])
    before = [n for n in graph.nodes[:place] if id(n) not in needed]
    after = [n for n in graph.nodes[place + 1 :] if id(n) not in users]
    if not worth(work(before + after)):
        return
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
