"""A step's operations as one: what it reads, that it is done, and what it tells cross together.

host1 = host_send(host, x, step=3, slot=0)
host2 = host_step(host1, env, step=3)           ->      host2, reward, done = host_exchange(host, env, x, step=3)
reward = host_receive(host2, step=3, slot=0)
done = host_receive(host2, step=3, slot=1)
"""

from __future__ import annotations

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.ir.host import EXCHANGE, RECEIVE, SEND, STEP
from graph_program.extract.transform.rewrite import Rewriter


def with_exchanges(program: GraphProgram) -> GraphProgram:
    """The program with one node for each step, in place."""
    if program.host:
        _Exchanges(program).run()
    return program


class _Exchanges(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.sent: dict[Value, Node] = {}
        """By the value that a `host_send` gives."""
        self.exchanges: dict[Value, Node] = {}
        """By the value that a `host_step` gives."""
        self.read: set[Value] = set()

    def visit(self, node: Node) -> list[Node]:
        if node.op == SEND:
            self.sent[node.outputs[0]] = node
        elif node.op == STEP:
            return [self._exchange(node)]
        elif node.op == RECEIVE:
            self._receive(node)
        return [] if node.op in (SEND, RECEIVE) else [node]

    def _exchange(self, step: Node) -> Node:
        host, *objects = step.inputs
        sent = []
        while host in self.sent:
            send = self.sent.pop(host)
            host, value = send.inputs
            sent.append(value)
        told = self.program.host[step.attrs["step"]].receives
        unread = [Value(self.names.fresh("told"), type_) for type_ in told]
        made = Node(EXCHANGE, [host, *objects, *sent[::-1]], [*step.outputs, *unread], step.attrs, loc=step.loc)
        self.exchanges[step.outputs[0]] = made
        return made

    def _receive(self, node: Node) -> None:
        """What is received takes the place of what nobody has read yet."""
        exchange, place = self.exchanges[node.inputs[0]], node.attrs["slot"] + 1
        value = exchange.outputs[place]
        if value in self.read:
            self.replace(node.outputs[0], value)
        else:
            exchange.outputs[place] = node.outputs[0]
            self.read.add(node.outputs[0])


__all__ = ["with_exchanges"]
