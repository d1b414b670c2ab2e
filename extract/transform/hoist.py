"""Compute before a loop what is the same in every iteration.

    loop: ...                               n = dim(x, axis=0)
        n = dim(x, axis=0)      to          loop: ...
        i1 = add(i, n)                          i1 = add(i, n)

The loop may run zero times, so only operations go that are cheap and cannot fail, whatever their
operands: scalar arithmetic, sizes, numbers in a row, and changes of the view of a tensor.
"""

from __future__ import annotations

from collections.abc import Callable

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value

ARITHMETIC = {"negative", "absolute", "sign", "add", "subtract", "multiply", "divide", "sqrt", "copysign", "cast"}
ROUNDING = {"floor", "ceil", "trunc", "rint", "maximum", "minimum"}
PREDICATES = {"isnan", "isinf", "isfinite", "signbit", "equal", "not_equal"}
ORDER = {"less", "less_equal", "greater", "greater_equal"}
LOGIC = {"invert", "bitwise_and", "bitwise_or", "bitwise_xor", "where"}
TOTAL_ON_SCALARS = frozenset(ARITHMETIC | ROUNDING | PREDICATES | ORDER | LOGIC)
TOTAL_ON_TENSORS = frozenset({"dim", "iota", "transpose", "expand_dims"})


def hoist(program: GraphProgram) -> None:
    """Loop-invariant code motion, in place."""
    out_of_loops(program.graph, invariant)


def out_of_loops(graph: Graph, taken: Callable[[Graph], list[Node]]) -> None:
    """Put what is taken out of the bodies of loops before these, of inner ones first."""
    nodes: list[Node] = []
    for node in graph.nodes:
        for region in node.regions:
            out_of_loops(region, taken)
        if node.op == "loop":
            nodes += taken(node.regions[0])
        nodes.append(node)
    graph.nodes = nodes


def invariant(body: Graph) -> list[Node]:
    """Take out of a loop body the nodes that can be computed before it."""
    inside: set[Value] = set(body.inputs)
    moved, kept = [], []
    for node in body.nodes:
        if is_cheap_and_total(node) and not inside.intersection(node.inputs):
            moved.append(node)
        else:
            kept.append(node)
            inside.update(node.outputs)
    body.nodes = kept
    return moved


def is_cheap_and_total(node: Node) -> bool:
    if node.op in TOTAL_ON_TENSORS:
        return True
    scalars = all(value.type.rank == 0 for value in (*node.inputs, *node.outputs))
    return node.op in TOTAL_ON_SCALARS and scalars


__all__ = ["hoist", "invariant", "is_cheap_and_total", "out_of_loops"]
