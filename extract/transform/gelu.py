"""The formulas of GELU, exact and approximate, become the operation.

    t = add(1, erf(divide(x, 1.4142135)))
    y = multiply(multiply(x, t), 0.5)                   to      y = gelu(x, approximate="none")

    c = power(x, 3); a = add(x, multiply(0.044715, c))
    t = add(1, tanh(multiply(0.79788456, a)))
    y = multiply(multiply(0.5, x), t)                   to      y = gelu(x, approximate="tanh")

In whatever order these are multiplied and added, and however the cube is written: this pass is declared as
reassociating, and what overflows in one order may not in another.  Elements are float32.
"""

from __future__ import annotations

import math

import numpy as np

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.formulas import Formulas, near

FLOAT32 = np.dtype(np.float32)
INSIDE = {"erf": {1: math.sqrt(0.5)}, "tanh": {1: math.sqrt(2 / math.pi), 3: math.sqrt(2 / math.pi) * 0.044715}}
"""The polynomials of which the functions are taken: the factor of each power."""
APPROXIMATE = {"erf": "none", "tanh": "tanh"}


def gelu(program: GraphProgram) -> None:
    """Recognise the formulas, in place."""
    _Gelu(program).run()


class _Gelu(Formulas):
    def visit(self, node: Node) -> list[Node]:
        output = node.outputs[0] if node.outputs else None
        if output is None or node.op not in ("multiply", "divide") or output.type.dtype != FLOAT32:
            return [node]
        product = self.product(output, node)
        if product.below or len(product.above) != 2:
            return [node]
        for x, factor in (product.above, product.above[::-1]):
            found = self._activation(x, factor)
            if found is not None and near(product.number * found[1], 0.5) and x.type.shape == output.type.shape:
                return [self.node("gelu", [x], output, {"approximate": APPROXIMATE[found[0]]}, node.loc)]
        return [node]

    def _activation(self, x: Value, factor: Value) -> tuple[str, float] | None:
        """The function f and the number k of a factor that is k * (1 + f(...))."""
        total = self.made_by(factor, "add")
        if total is None or self.uses[factor] != 1:
            return None
        for number, term in (total.inputs, total.inputs[::-1]):
            one, product = self.number(number), self.product(term)
            if one is None or len(product.above) != 1 or product.below or not near(product.number, one):
                continue
            function = self.made_by(product.above[0], *INSIDE)
            if function is not None and self.uses[product.above[0]] == 1 and self._is_inside(function, x):
                return function.op, one
        return None

    def _is_inside(self, function: Node, x: Value) -> bool:
        found, wanted = self.polynomial(function.inputs[0], x), INSIDE[function.op]
        return found is not None and set(found) == set(wanted) and all(near(found[k], c) for k, c in wanted.items())


__all__ = ["gelu"]
