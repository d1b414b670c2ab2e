"""Fusions of onnxruntime that give another result than the nodes they replace; sessions leave them out."""

from __future__ import annotations

from graph_program.extract.ir.graph import Graph, Node


def _moves_a_batch(node: Node) -> bool:
    """A transpose (also one inside an einsum) that may bring the first of three axes next to the last."""
    return node.op in ("transpose", "einsum") and any(v.type.rank >= 3 for v in node.inputs)


FAULTS = {"MatmulTransposeFusion": _moves_a_batch}
"""Optimizer by its name in onnxruntime, and which nodes bring it about.

- MatmulTransposeFusion divides by the number of matrices where the axis that a transpose moves is a batch:
  with none of them the process ends with SIGFPE (1.26 to 1.31).
"""


def faulty_fusions(graph: Graph) -> list[str]:
    """The optimizers that a session of this graph must not use."""
    nodes = list(graph.walk())
    return [name for name, matters in FAULTS.items() if any(map(matters, nodes))]
