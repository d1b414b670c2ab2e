"""The host step at the head of a loop's round, begun in the round before: the next value comes while this one is used.

    loop:                                       host1 = host_start(host, camera, step=0)
        host1, frame = host_exchange(host)      loop:
        x = f(x, frame)                  ->         frame = host_wait(host1, step=0)
                                                    if there is another round: host1 = host_start(host1, camera, step=0)
                                                    x = f(x, frame)

Only where the step is all that the round does on the host, and where neither whether there is another round nor what
its step reads depends on the work that it is to run beside: then the same calls are made in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.host import EXCHANGE, HOST_OPS, START, WAIT
from graph_program.extract.records import dataclass
from graph_program.extract.slice.work import needed_by, reads, using, work, worth
from graph_program.extract.transform.rewrite import Rewriter, replace_values
from graph_program.extract.types.tensors.tensor_type import BOOL, INT64, TensorType


def prefetch(program: GraphProgram) -> None:
    """Begin steps of loops a round early, in place."""
    _Prefetch(program).run()


@dataclass
class _Round:
    """A loop that can be changed: its step, the nodes that the step needs, and those that say whether to go on."""

    loop: Node
    step: Node
    place: int
    """The carried value that is `host`."""
    before: list[Node]
    early: list[Node]
    late: list[Node]

    @property
    def body(self) -> Graph:
        return self.loop.regions[0]


class _Prefetch(Rewriter):
    def visit(self, node: Node) -> list[Node]:
        round_ = _round(node) if node.op == "loop" else None
        if round_ is None:
            return [node]
        before = self.begun_before(round_)
        self.waited_for(round_)
        return [*before, node]

    def begun_before(self, round_: _Round) -> list[Node]:
        """What stands before the loop: the step of the first round, where there is one."""
        trips, condition, *initial = round_.loop.inputs
        zero = self.number(0)
        some = self.fresh("less", [zero, trips], TensorType(BOOL), round_.loop.loc)
        any_ = self.fresh("bitwise_and", [some.outputs[0], condition], TensorType(BOOL), round_.loop.loc)
        values = dict(zip(round_.body.inputs, [zero, *initial], strict=True))
        step = self.step_if(any_.outputs[0], round_, values)
        round_.loop.inputs[2 + round_.place] = step.outputs[0]
        return [some, any_, step]

    def waited_for(self, round_: _Round) -> None:
        """In a round, wait for its step, and begin that of the next."""
        body, step, loc = round_.body, round_.step, round_.step.loc
        iteration, host = body.inputs[0], body.inputs[1 + round_.place]
        made = self.program.host[step.attrs["step"]].results
        following = self.fresh("add", [iteration, self.number(1)], TensorType(INT64), loc)
        some = self.fresh("less", [following.outputs[0], round_.loop.inputs[0]], TensorType(BOOL), loc)
        again = self.fresh("bitwise_and", [some.outputs[0], body.outputs[0]], TensorType(BOOL), loc)
        values = dict(zip(body.inputs, [following.outputs[0], *body.outputs[1:]], strict=True))
        values[host] = host
        next_step = self.step_if(again.outputs[0], round_, values)
        # The numbers of objects are counted from before the step.
        before = self.fresh("subtract", [host, self.number(made)], host.type, loc)
        wait = Node(WAIT, [host], step.outputs[1:], step.attrs, loc=loc)
        early, late = Graph([], round_.early, []), Graph([], round_.late, list(body.outputs))
        for part in (early, late):
            replace_values(part, {host: before.outputs[0], step.outputs[0]: host})
        late.outputs[1 + round_.place] = next_step.outputs[0]
        waited = [wait if node is step else node for node in early.nodes]
        head = [before, *waited, following, some, again, next_step]
        body.nodes, body.outputs = [*head, *late.nodes], late.outputs

    def step_if(self, condition: Value, round_: _Round, values: dict[Value, Value]) -> Node:
        """The step of a round in which the parameters of the loop's body have these values."""
        place = 1 + round_.place
        host, loc = values[round_.body.inputs[place]], round_.step.loc
        known = dict(values)
        nodes = [self.copy(node, known) for node in round_.before]
        start = Node(
            START,
            [known.get(v, v) for v in round_.step.inputs],
            [Value(self.names.fresh("host"), host.type)],
            round_.step.attrs,
            loc=loc,
        )
        regions = [Graph([], [*nodes, start], list(start.outputs)), Graph([], [], [host])]
        return Node("if", [condition], [Value(self.names.fresh("host"), host.type)], regions=regions, loc=loc)

    def copy(self, node: Node, known: dict[Value, Value]) -> Node:
        outputs = [Value(self.names.fresh(v.name), v.type) for v in node.outputs]
        made = Node(node.op, [known.get(v, v) for v in node.inputs], outputs, node.attrs, loc=node.loc)
        known.update(zip(node.outputs, outputs, strict=True))
        return made

    def number(self, value: int) -> Value:
        return self.constant(np.array(value, np.int64))

    def fresh(self, op: str, inputs: Sequence[Value], type_: TensorType, loc: Loc) -> Node:
        """A node with a new value."""
        return self.node(op, inputs, Value(self.names.fresh("t"), type_), loc=loc)


def _round(loop: Node) -> _Round | None:
    """The loop, if its step can be begun a round early."""
    body = loop.regions[0]
    on_host = [node for node in body.walk() if node.op in HOST_OPS]
    if len(on_host) != 1 or on_host[0].op != EXCHANGE or len(on_host[0].outputs) < 2:
        return None
    (step,) = on_host
    if step not in body.nodes or step.inputs[0] not in body.inputs[1:]:
        return None
    place = body.inputs.index(step.inputs[0]) - 1
    if body.outputs[1 + place] is not step.outputs[0]:
        return None
    index = body.nodes.index(step)
    needed = needed_by(step.inputs, body.nodes[:index])
    apart = needed | using(step.outputs[1:], body.nodes)
    if worth(work([node for node in body.nodes if id(node) not in apart])):
        return None  # there is enough to do beside it in the same round
    before = [node for node in body.nodes[:index] if id(node) in needed]
    if any(node.regions for node in before):
        return None
    read = {*step.inputs, *(value for node in before for value in reads(node))}
    carried = [body.outputs[i] for i, value in enumerate(body.inputs[1:], 1) if value in read and i != 1 + place]
    wanted = [body.outputs[0], *carried, *step.outputs]
    first = needed_by(wanted, body.nodes)
    early = [node for node in body.nodes if id(node) in first]
    late = [node for node in body.nodes if id(node) not in first]
    return _Round(loop, step, place, before, early, late) if worth(work(late)) else None


__all__ = ["prefetch"]
