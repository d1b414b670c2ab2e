"""Compute each thing once.

    a = add(x, y)                           a = add(x, y)
    b = add(x, y)               to          z = multiply(a, a)
    z = multiply(a, b)

What an enclosing graph has computed before counts; what only an arm computes does not.  Of operations that do not
depend on the order of their operands, `x * y` is `y * x`; `x < y` is `y > x`, and of integers `x - 1` is `x + -1`.
"""

from __future__ import annotations

from collections.abc import Hashable

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.residual import Const
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.transform.shifts import shifted

COMMUTATIVE = frozenset({"add", "multiply", "equal", "not_equal", "bitwise_and", "bitwise_or", "bitwise_xor"})
"""Not `maximum` and `minimum`, which may tell 0.0 from -0.0 by the order."""
MIRRORED = {"less": "greater", "less_equal": "greater_equal"}
"""Comparisons, and those of the operands in the other order that come to the same."""
KEPT = frozenset({"if", "loop", "placeholder"})


def cse(program: GraphProgram) -> None:
    """Common subexpression elimination, in place."""
    Cse(program).run()


class Cse(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.computed: dict[Hashable, Value] = {}
        self.added: list[list[Hashable]] = []

    def graph(self, graph: Graph) -> None:
        self.added.append([])
        super().graph(graph)
        for key in self.added.pop():
            del self.computed[key]

    def visit(self, node: Node) -> list[Node]:
        if node.op in KEPT:
            return [node]
        key = self._work(node)
        known = self.computed.get(key)
        if known is not None:
            self.replace(node.outputs[0], known)
            return []
        self.computed[key] = node.outputs[0]
        self.added[-1].append(key)
        return [node]

    def _work(self, node: Node) -> Hashable:
        """What is equal for nodes that compute the same."""
        op, inputs = node.op, node.inputs
        shift = shifted(node, self.constant_of)
        if shift is not None:
            return "shifted", *shift, node.outputs[0].type
        if op in COMMUTATIVE:
            inputs = sorted(inputs, key=lambda value: value.name)
        elif op in MIRRORED:
            op, inputs = MIRRORED[op], inputs[::-1]
        return op, tuple(inputs), tuple(sorted((k, _key(v)) for k, v in node.attrs.items()))


def _key(attr: object) -> Hashable:
    """Something hashable that is equal for equal attributes only, bit for bit."""
    if hasattr(attr, "tobytes"):
        return Const(attr)  # type: ignore[arg-type]
    return (type(attr).__name__, repr(attr))
