"""Which vector operations compute several numbers at once: the plan of superword-level parallelism.

    a = multiply(p, q0); b = multiply(p, q1)        [a, b] is multiply(p, [q0, q1])
    q0 = take(x, 1); q1 = take(x, 0)                [q0, q1] is take(x, [1, 0])
    c = add(a, r); d = subtract(b, s)               [c, d] is add([a, b], multiply([r, s], [1, -1]))

(Larsen and Amarasinghe, Exploiting superword level parallelism with multimedia instruction sets, 2000.)  Only
operations that are exact for each element are packed, whatever kernel computes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from functools import cached_property

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass

SUMS = ("add", "subtract")
COMMUTATIVE = frozenset({"add", "multiply"})
EXACT = frozenset({"add", "subtract", "multiply", "divide", "negative", "absolute", "sqrt"})
"""Operations that IEEE 754 defines to the last bit."""
DEEPEST = 12
"""So many operations are looked through."""

OPERATION, JOINED = 0.3, 0.22
"""Costs of a small operation and of making a number a vector of one, in microseconds of onnxruntime on a CPU."""
CONCATENATION = 0.55

Lanes = tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Plan:
    """A vector to be made: `kind` is an operation, or one of `same`, `constant`, `vector`, `take`, `join`.

    Attributes
    ----------
    kind : str
    operands : tuple of Plan
        Of an operation.
    value : Value or None
        The number that all lanes are, the vector that they are, or that they are taken from.
    content : numpy.ndarray or None
        Constants, and the positions that are taken.
    lanes : tuple of Value
        The numbers that are joined.
    """

    kind: str
    operands: tuple[Plan, ...] = ()
    value: Value | None = None
    content: np.ndarray | None = None
    lanes: Lanes = ()

    @cached_property
    def cost(self) -> float:
        """What the vector costs, with its operands."""
        own = {"same": 0.0, "constant": 0.0, "vector": 0.0, "join": CONCATENATION + JOINED * len(self.lanes)}
        return own.get(self.kind, OPERATION) + sum(plan.cost for plan in self.operands)


@dataclass
class Packer:
    """Makes plans.

    Attributes
    ----------
    maker : callable
        The node that makes a value, if there is one.
    used : set of Node
        Nodes of single numbers that the plans do without.
    read : set of Value
        Values that the plans read.
    """

    maker: Callable[[Value], Node | None]
    used: dict[Node, None] = field(default_factory=dict)
    read: set[Value] = field(default_factory=set)
    _plans: dict[Lanes, Plan] = field(default_factory=dict)

    def plan(self, lanes: Lanes, depth: int = DEEPEST) -> Plan:
        """How to make a vector of numbers of one element type."""
        if lanes not in self._plans:
            self._plans[lanes] = self._found(lanes, depth)
        return self._plans[lanes]

    def _found(self, lanes: Lanes, depth: int) -> Plan:
        if all(lane is lanes[0] for lane in lanes):
            self.read.add(lanes[0])
            return Plan("same", value=lanes[0])
        nodes = [self.maker(lane) for lane in lanes]
        made = [node for node in nodes if node is not None]
        if len(made) == len(lanes) and depth:
            for rule in (self._constants, self._taken, self._operation, self._signed_sum, self._negated):
                plan = rule(made, lanes, depth - 1)
                if plan is not None:
                    return plan
        self.read.update(lanes)
        return Plan("join", lanes=lanes)

    def _use(self, nodes: Sequence[Node]) -> None:
        self.used.update(dict.fromkeys(nodes))

    def _constants(self, nodes: Sequence[Node], lanes: Lanes, depth: int) -> Plan | None:
        if any(node.op != "constant" for node in nodes):
            return None
        return Plan("constant", content=np.array([node.attrs["value"] for node in nodes], lanes[0].type.dtype))

    def _taken(self, nodes: Sequence[Node], lanes: Lanes, depth: int) -> Plan | None:
        """Elements of one vector, at constant positions."""
        if any(node.op != "take" or node.inputs[0] is not nodes[0].inputs[0] for node in nodes):
            return None
        source = nodes[0].inputs[0]
        at = [self.maker(node.inputs[1]) for node in nodes]
        places = [node.attrs["value"] for node in at if node is not None and node.op == "constant"]
        if source.type.rank != 1 or len(places) < len(nodes) or any(place.ndim for place in places):
            return None
        self._use(nodes)
        positions = np.array(places, np.int64)
        if source.type.shape[0].constant == len(lanes) and np.array_equal(positions, np.arange(len(lanes))):
            return Plan("vector", value=source)
        return Plan("take", value=source, content=positions)

    def _operation(self, nodes: Sequence[Node], lanes: Lanes, depth: int) -> Plan | None:
        """One operation in all lanes."""
        op = nodes[0].op
        if op not in EXACT or any(node.op != op or not _numbers(node) for node in nodes):
            return None
        operands = tuple(self.plan(operand, depth) for operand in self._operands(nodes))
        if all(operand.kind == "same" for operand in operands):
            return None
        self._use(nodes)
        return Plan(op, operands)

    def _operands(self, nodes: Sequence[Node]) -> list[Lanes]:
        """The operands by position; those that may change places stand as in the first lane."""
        rows = [list(node.inputs) for node in nodes]
        if nodes[0].op in COMMUTATIVE:
            for row in rows[1:]:
                if self._likeness(rows[0], row[::-1]) > self._likeness(rows[0], row):
                    row.reverse()
        return [tuple(column) for column in zip(*rows, strict=True)]

    def _likeness(self, a: Sequence[Value], b: Sequence[Value]) -> int:
        """How much operands have in common with those of the first lane."""
        found = 0
        for x, y in zip(a, b, strict=True):
            p, q = self.maker(x), self.maker(y)
            alike = p is not None and q is not None and p.op == q.op
            found += 3 * (x is y) + alike + (alike and p.op == "take" and p.inputs[0] is q.inputs[0])  # type: ignore
        return found

    def _signed_sum(self, nodes: Sequence[Node], lanes: Lanes, depth: int) -> Plan | None:
        """Sums in some lanes and differences in others: what is subtracted is added times -1."""
        if any(node.op not in SUMS or not _numbers(node) for node in nodes):
            return None
        self._use(nodes)
        signs = [1 if node.op == "add" else -1 for node in nodes]
        first, second = (tuple(column) for column in zip(*(node.inputs for node in nodes), strict=True))
        return Plan("add", (self.plan(first, depth), self._signed(second, signs, depth)))

    def _negated(self, nodes: Sequence[Node], lanes: Lanes, depth: int) -> Plan | None:
        """Numbers that are negated in some lanes."""
        negative = [node.op == "negative" for node in nodes]
        if not any(negative) or lanes[0].type.dtype.kind != "f":
            return None
        self._use([node for node in nodes if node.op == "negative"])
        inner = [node.inputs[0] if node.op == "negative" else lane for node, lane in zip(nodes, lanes, strict=True)]
        return self._signed(tuple(inner), [-1 if minus else 1 for minus in negative], depth)

    def _signed(self, lanes: Lanes, signs: list[int], depth: int) -> Plan:
        content = np.array(signs, lanes[0].type.dtype)
        return Plan("multiply", (self.plan(lanes, depth), Plan("constant", content=content)))


def _numbers(node: Node) -> bool:
    """Whether an operation is one on floats of rank 0."""
    return all(value.type.rank == 0 and value.type.dtype.kind == "f" for value in (*node.inputs, *node.outputs))


__all__ = ["CONCATENATION", "JOINED", "OPERATION", "Packer", "Plan"]
