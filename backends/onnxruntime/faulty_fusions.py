"""Fusions of onnxruntime that give another result than the nodes they replace; sessions leave them out."""

from __future__ import annotations

from graph_program.extract.ir.graph import Graph, Node, Value


def _moves_a_batch(graph: Graph) -> bool:
    """A transpose (also one inside an einsum) that may bring the first of three axes next to the last."""
    return any(node.op in ("transpose", "einsum") and _has_three_axes(node) for node in graph.walk())


def _has_three_axes(node: Node) -> bool:
    return any(v.type.rank >= 3 for v in node.inputs)


def _branches_by_sizes(graph: Graph) -> bool:
    """A branch whose test follows from constants, and from sizes of what is computed."""
    known: set[Value] = set()
    for node in graph.walk():
        if node.op == "if" and node.inputs[0] in known:
            return True
        sized = node.op == "dim" and node.inputs[0] not in graph.inputs
        if sized or (not node.regions and all(value in known for value in node.inputs)):
            known.update(node.outputs)
    return False


FAULTS = {"MatmulTransposeFusion": _moves_a_batch, "ConstantFolding": _branches_by_sizes}
"""Optimizer by its name in onnxruntime, and which graphs bring it about.

- MatmulTransposeFusion divides by the number of matrices where the axis that a transpose moves is a batch:
  with none of them the process ends with SIGFPE (1.26 to 1.31).
- ConstantFolding puts the chosen side of a branch in its place where it can compute the test, and may leave
  values that nothing makes: the process ends with SIGSEGV when a cast is looked at afterwards (1.31).
"""


def faulty_fusions(graph: Graph) -> list[str]:
    """The optimizers that a session of this graph must not use."""
    return [name for name, matters in FAULTS.items() if matters(graph)]
