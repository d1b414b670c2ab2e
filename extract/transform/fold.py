"""Compute operations on constants now.

    a = 2                                   c = 6
    b = multiply(a, 3)          to          y = add(x, c)
    y = add(x, b)

Only small results are stored.  A `dim` that the type knows is a constant, too.  An `if` on a constant
becomes its region.
"""

from __future__ import annotations

import numpy as np

import graph_program.tensor_api.ops  # noqa: F401  (fills OPS)
from graph_program.extract.ir.graph import GraphProgram, Node
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.tensor_api.opdef import OPS

LARGEST = 1024
"""Elements of a result that is worth storing."""


def fold(program: GraphProgram) -> None:
    """Constant folding, in place."""
    _Fold(program).run()


class _Fold(Rewriter):
    def visit(self, node: Node) -> list[Node]:
        if node.op == "if":
            return self._if(node)
        if node.op == "dim":
            return self._dim(node)
        if not node.inputs or node.op not in OPS:
            return [node]
        arrays = [self.constant_of(value) for value in node.inputs]
        known = [array for array in arrays if array is not None]
        if len(known) < len(arrays):
            return [node]
        result = _compute(node, known)
        if result is None:
            return [node]
        self.replace(node.outputs[0], self.constant(result, node.outputs[0].name))
        return []

    def _dim(self, node: Node) -> list[Node]:
        """A size can be known where the contents are not."""
        size = node.inputs[0].type.shape[node.attrs["axis"]].constant
        if size is None:
            return [node]
        self.replace(node.outputs[0], self.constant(np.array(size, np.int64), node.outputs[0].name))
        return []

    def _if(self, node: Node) -> list[Node]:
        test = self.constant_of(node.inputs[0])
        if test is None:
            return [node]
        region = node.regions[0 if bool(test) else 1]
        for old, new in zip(node.outputs, region.outputs, strict=True):
            self.replace(old, new)
        return region.nodes


def _compute(node: Node, arrays: list[np.ndarray]) -> np.ndarray | None:
    """What the operation gives; None if it is large, or fails, which it must do at run time."""
    type = node.outputs[0].type
    if any(dim.constant is None or dim.constant > LARGEST for dim in type.shape):
        return None
    try:
        with np.errstate(all="ignore"):
            result = np.asarray(OPS[node.op].reference(*arrays, **node.attrs))
    except (ArithmeticError, IndexError, TypeError, ValueError):
        return None
    fits = result.dtype == type.dtype and result.ndim == type.rank and result.size <= LARGEST
    return np.array(result) if fits else None
