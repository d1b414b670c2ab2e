"""Compute each thing once.

    a = add(x, y)                           a = add(x, y)
    b = add(x, y)               to          z = multiply(a, a)
    z = multiply(a, b)

What an enclosing graph has computed before counts; what only an arm computes does not.  Of operations that do not
depend on the order of their operands, `x * y` is `y * x`; `x < y` is `y > x`, and of integers `x - 1` is `x + -1`.

    d = a | b                               d = a | b
    e = a | c                       to      y = d | c
    y = e | b

So are several that are joined: what two of them come to is not joined in another order where it is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from functools import cached_property

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.residual import Const
from graph_program.extract.transform.rewrite import Rewriter, uses_of
from graph_program.extract.transform.shifts import shifted

COMMUTATIVE = frozenset({"add", "multiply", "equal", "not_equal", "bitwise_and", "bitwise_or", "bitwise_xor"})
"""Not `maximum` and `minimum`, which may tell 0.0 from -0.0 by the order."""
MIRRORED = {"less": "greater", "less_equal": "greater_equal"}
"""Comparisons, and those of the operands in the other order that come to the same."""
JOINTS = ("bitwise_and", "bitwise_or")
"""Operations by which several operands may be joined in any order, bit for bit."""
KEPT = frozenset({"if", "loop", "placeholder"})


def cse(program: GraphProgram) -> None:
    """Common subexpression elimination, in place."""
    _Cse(program).run()


class _Cse(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.computed: dict[Hashable, Value] = {}
        self.added: list[list[Hashable]] = []

    @cached_property
    def uses(self) -> Counter[Value]:
        """How often each value was read when somebody first asked."""
        return uses_of(self.program.graph)

    def graph(self, graph: Graph) -> None:
        self.added.append([])
        super().graph(graph)
        for key in self.added.pop():
            del self.computed[key]

    def visit(self, node: Node) -> list[Node]:
        if node.op in KEPT:
            return [node]
        if node.op in JOINTS:
            self._join(node)
        key = self._work(node)
        known = self.computed.get(key)
        if known is not None:
            self.replace(node.outputs[0], known)
            return []
        self.computed[key] = node.outputs[0]
        self.added[-1].append(key)
        return [node]

    def _join(self, node: Node) -> None:
        """Join first what two of three have come to before, if nothing else reads the two that are joined first now."""
        for value, third in (node.inputs, node.inputs[::-1]):
            inner = self.made_by(value, node.op)
            if inner is None or self.uses[value] > 1:
                continue
            for first, other in (inner.inputs, inner.inputs[::-1]):
                known = self.computed.get(self._work(Node(node.op, [first, third], node.outputs)))
                if known is not None:
                    node.inputs = [known, other]
                    return

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
