"""Numbers that are added one after the other are added at once.

    i = add(-2, n)
    j = add(i, 1)               to      j = add(n, -1)

Of integers, also where they wrap around.  Not for compilers, which do that themselves, and name what they count by.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.rewrite import Rewriter

LIMITS = np.iinfo(np.int64)


def shifts(program: GraphProgram) -> None:
    """Add constants to integers once, in place."""
    _Shifts(program).run()


def shifted(node: Node, constant_of: Callable[[Value], np.ndarray | None]) -> tuple[Value, int] | None:
    """The integer that a node adds a constant number to, or takes it off, and the number."""
    if node.op not in ("add", "subtract") or node.outputs[0].type.dtype != np.int64:
        return None
    x, y = node.inputs
    first, second = constant_of(x), constant_of(y)
    if second is not None and not second.ndim and first is None:
        return x, int(second) if node.op == "add" else -int(second)
    if first is not None and not first.ndim and second is None and node.op == "add":
        return y, int(first)
    return None


class _Shifts(Rewriter):
    def visit(self, node: Node) -> list[Node]:
        outer = shifted(node, self.constant_of)
        inner = None if outer is None else self.producer.get(outer[0])
        before = None if inner is None else shifted(inner, self.constant_of)
        if outer is None or before is None or before[0].type != node.outputs[0].type:
            return [node]
        x, total = before[0], outer[1] + before[1]
        if not total:
            self.replace(node.outputs[0], x)
            return []
        if not LIMITS.min <= total <= LIMITS.max:
            return [node]
        return [self.node("add", [x, self.constant(np.array(total, np.int64))], node.outputs[0], {}, node.loc)]


__all__ = ["shifted", "shifts"]
