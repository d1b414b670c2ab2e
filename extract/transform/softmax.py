"""The formulas of softmax and of its logarithm become the operations.

    m = max(x, axes=(1,), keepdims=True)
    d = subtract(x, m)
    e = exp(d)                                  to      y = softmax(x, axis=1)
    s = sum(e, axes=(1,), keepdims=True)
    y = divide(e, s)

They give NaN and zero where the formulas do, tried with infinities, NaN and the largest numbers; the sum may be
added in another order, so this pass is declared as reassociating.  (The kernel for the logarithm of float64 gives
other results for infinities.)  That there is a largest element is checked beside it.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.rewrite import Rewriter, uses_of

TYPES = {"softmax": ("float32", "float64"), "log_softmax": ("float32",)}


def softmax(program: GraphProgram) -> None:
    """Recognise the formulas, in place."""
    _Softmax(program).run()


class _Softmax(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.uses: Counter[Value] = uses_of(program.graph)

    def visit(self, node: Node) -> list[Node]:
        found = None
        if node.op == "divide":
            found = self._quotient(*node.inputs)
        elif node.op == "subtract":
            found = self._difference(*node.inputs)
        if found is None:
            return [node]
        op, x, axis = found
        if x.type != node.outputs[0].type or x.type.dtype not in map(np.dtype, TYPES[op]):
            return [node]
        return [self.node(op, [x], node.outputs[0], {"axis": axis}, node.loc)]

    def _quotient(self, e: Value, s: Value) -> tuple[str, Value, int] | None:
        """`exp(d) / sum(exp(d))`; the terms are read here and in the sum only."""
        total = self._reduction(s, "sum")
        exponential = self.made_by(e, "exp")
        if total is None or exponential is None or total[0] is not e or self.uses[e] != 2:
            return None
        shifted = self._shifted(exponential.inputs[0], total[1], 1)
        return None if shifted is None else ("softmax", shifted, total[1])

    def _difference(self, d: Value, log: Value) -> tuple[str, Value, int] | None:
        """`d - log(sum(exp(d)))`."""
        logarithm = self.made_by(log, "log")
        total = None if logarithm is None else self._reduction(logarithm.inputs[0], "sum")
        exponential = None if total is None else self.made_by(total[0], "exp")
        if total is None or exponential is None or exponential.inputs[0] is not d:
            return None
        shifted = self._shifted(d, total[1], 2)
        return None if shifted is None else ("log_softmax", shifted, total[1])

    def _shifted(self, d: Value, axis: int, uses: int) -> Value | None:
        """What the largest elements along an axis are subtracted from."""
        difference = self.made_by(d, "subtract")
        if difference is None or self.uses[d] != uses:
            return None
        x, m = difference.inputs
        largest = self._reduction(m, "max")
        return x if largest == (x, axis) else None

    def _reduction(self, value: Value, op: str) -> tuple[Value, int] | None:
        """What is reduced along one axis, which is kept as one of size 1 or is the only one."""
        node = self.producer.get(value)
        put_back: tuple[int, ...] | None = None
        if node is not None and node.op == "expand_dims":
            put_back, node = tuple(node.attrs["axes"]), self.producer.get(node.inputs[0])
        if node is None or node.op != op or len(node.attrs["axes"]) != 1:
            return None
        axes, kept = tuple(node.attrs["axes"]), bool(node.attrs["keepdims"])
        alone = not kept and put_back is None and node.inputs[0].type.rank == 1
        fits = alone or (put_back is None and kept) or (put_back == axes and not kept)
        return (node.inputs[0], axes[0]) if fits else None


__all__ = ["softmax"]
