"""Bounds that are the size of the axis, or less than it by a number, count from its end.

    n = dim(x, axis=0)
    m = subtract(n, 1)                      y = slice(x, 1, -1, axes=(0,))
    y = slice(x, 1, m, axes=(0,))   to      z = set_slice(x, v, 0, 9223372036854775807, axes=(0,))
    z = set_slice(x, v, 0, n, axes=(0,))

A part with known bounds is cut out and put back in fewer operations, and what lies around it may stay outside of loops
(see `borders`).  `x[:n - 1]` and `x[:n - 2]` are `x[:-1]` and `x[:-2]` of any x: where n is less, either holds nothing.
Where n must be larger than that for it, it is so by its range.  Only where both bounds are then known are they
rewritten: of others it is asked as sums whether they meet.
"""

from __future__ import annotations

import numpy as np

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.borders import BOUNDS, END
from graph_program.extract.transform.linear import linear
from graph_program.extract.transform.ranged import RangedRewriter
from graph_program.extract.types.dims import Dim, dim, provably_less_equal

SMALL = 2
"""So many elements before the end of an axis that has less of them is its beginning, however it is counted."""


def end_bounds(program: GraphProgram) -> None:
    """Count bounds of slices from the end of axes, in place."""
    if any(node.op in BOUNDS for node in program.graph.walk()):
        _EndBounds(program).run()


class _EndBounds(RangedRewriter):
    def visit(self, node: Node) -> list[Node]:
        first = BOUNDS.get(node.op)
        if first is not None and set(node.attrs["steps"]) == {1}:
            count = len(node.attrs["axes"])
            for at, axis in enumerate(node.attrs["axes"], first):
                self._count(node, (at, at + count), node.inputs[0].type.shape[axis])
        return [node]

    def _count(self, node: Node, places: tuple[int, int], size: Dim) -> None:
        """Rewrite the bounds along one axis, if both are known then."""
        start, stop = (self._known(node.inputs[place], size) for place in places)
        if start is None or stop is None or start == END:
            return
        for place, known in zip(places, (start, stop), strict=True):
            if self.constant_of(node.inputs[place]) is None:
                name = f"int_{known}" if known >= 0 else f"int_minus_{-known}"
                node.inputs[place] = self.constant(np.array(known, np.int64), name)

    def _known(self, bound: Value, size: Dim) -> int | None:
        """A bound as a number; None if it is none."""
        known = self.constant_of(bound)
        if known is not None:
            return int(known)
        form = linear(bound, self.ranges.maker)
        found = [self.ranges.of(value) for value in form.terms]
        if len(found) != 1 or found[0] is None or found[0][0] != found[0][1] or set(form.terms.values()) != {1}:
            return None
        gap = (size - found[0][0] - form.constant).constant
        if gap is None:
            return None
        if gap <= 0:
            return END
        return -gap if gap <= SMALL or provably_less_equal(dim(gap), size) else None


__all__ = ["end_bounds"]
