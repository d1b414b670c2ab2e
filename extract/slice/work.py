"""How much the nodes of a graph have to do, and which of them need which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.ir.host import HOST_OPS

NODE = 1000
"""Nanoseconds that any node takes; each element of an array is another one."""
LITTLE = 100_000
"""Nanoseconds of graph work for which a step is not handed to another thread: about what that takes."""
UNKNOWN_SIZE = 1000
UNKNOWN_TRIPS = 100
SIZES = frozenset(["dim", "shape"])
"""Operations that do not look at elements."""


def worth(time: int) -> bool:
    """Whether so much graph work is worth another thread."""
    return time > LITTLE


def needed_by(values: Iterable[Value], nodes: Sequence[Node]) -> set[int]:
    """Which of the nodes (by `id`) are needed for some values."""
    wanted, found = set(values), set()
    for node in reversed(nodes):
        if not wanted.isdisjoint(node.outputs):
            found.add(id(node))
            wanted.update(reads(node))
    return found


def using(values: Iterable[Value], nodes: Sequence[Node]) -> set[int]:
    """Which of the nodes (by `id`) need some values."""
    needed, found = set(values), set()
    for node in nodes:
        if not needed.isdisjoint(reads(node)):
            found.add(id(node))
            needed.update(node.outputs)
    return found


def reads(node: Node) -> Iterator[Value]:
    """What a node reads, and what its regions do; their own values are among them."""
    yield from node.inputs
    for region in node.regions:
        yield from region.outputs
        for inner in region.nodes:
            yield from reads(inner)


def work(nodes: Sequence[Node]) -> int:
    return sum(map(time, nodes))


def time(node: Node) -> int:
    """About how many nanoseconds a node takes."""
    if node.op in HOST_OPS or node.op in ("constant", "placeholder"):
        return 0
    if node.op == "if":
        return NODE + max(work(region.nodes) for region in node.regions)
    if node.op == "loop":
        return NODE + UNKNOWN_TRIPS * work(node.regions[0].nodes)
    if node.op in SIZES:
        return NODE
    elements = max([_elements(v) for v in (*node.inputs, *node.outputs)], default=0)
    if node.op == "matmul":
        elements *= _size(node.inputs[0].type.shape[-1])
    return NODE + elements


def _elements(value: Value) -> int:
    return prod(map(_size, value.type.shape))


def _size(dim: object) -> int:
    constant = getattr(dim, "constant", None)
    return UNKNOWN_SIZE if constant is None else int(constant)


__all__ = ["NODE", "needed_by", "reads", "time", "using", "work", "worth"]
