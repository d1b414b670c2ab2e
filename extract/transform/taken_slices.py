"""Elements that stand one behind the other are a slice.

    i: [max(0,n-2)] = add(iota(m), 1)
    y = take(x, i, axis=1)                          y = slice(x, 1, -1, axes=(1,))
    j = dim(i, axis=0)                      to
    z = slice(x, 0, j, axes=(0,))                   z = slice(x, 0, -2, axes=(0,))
    w = slice(z, 1, -1, axes=(1,))                  w = slice(x, (0, 1), (-2, -1), axes=(0, 1))

A window that the rounds of a loop have moved over an array ends as many elements before the end of it as its size
says, so nothing is counted and no places are made.  Slices of slices along other axes are one.
"""

from __future__ import annotations

import numpy as np

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.ranged import RangedRewriter
from graph_program.extract.transform.rewrite import uses_of
from graph_program.extract.types.dims import Dim, dim, maximum

END = np.iinfo(np.int64).max
FARTHEST = 16
"""So many elements behind a window are looked for."""
DEEPEST = 4
"""So many numbers that are added to places are looked through."""


def taken_slices(program: GraphProgram) -> None:
    """Read slices instead of elements by their places, in place."""
    if any(node.op == "slice" or (node.op == "take" and node.inputs[1].type.rank) for node in program.graph.walk()):
        _TakenSlices(program).run()


class _TakenSlices(RangedRewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.uses = uses_of(program.graph)

    def visit(self, node: Node) -> list[Node]:
        if node.op == "take":
            node = self._taken(node)
        if node.op == "slice":
            self._from_the_end(node)
            self._joined(node)
            self.ranges.note(node)
        return [node]

    def _taken(self, node: Node) -> Node:
        """An access as a slice, where it is one."""
        x, index = node.inputs
        axis = node.attrs["axis"] % max(x.type.rank, 1)
        start = self._start(index) if index.type.rank == 1 else None
        stop = None if start is None else _stop(x.type.shape[axis], start, index.type.shape[0])
        if start is None or stop is None:
            return node
        bounds = [self.integer(bound) for bound in (start, stop)]
        attrs = {"axes": (axis,), "steps": (1,)}
        return self.node("slice", [x, *bounds], node.outputs[0], attrs, node.loc)

    def _start(self, index: Value) -> int | None:
        """The first of places one behind the other; None if they are others."""
        total = 0
        for _ in range(DEEPEST):
            node = self.producer.get(index)
            if node is None:
                return None
            if node.op == "iota":
                return total if total >= 0 else None
            if node.op not in ("add", "subtract"):
                return None
            numbers = [self.integer_of(value) for value in node.inputs]
            if numbers[1] is not None:
                index, total = node.inputs[0], total + (numbers[1] if node.op == "add" else -numbers[1])
            elif numbers[0] is not None and node.op == "add":
                index, total = node.inputs[1], total + numbers[0]
            else:
                return None
        return None

    def _from_the_end(self, node: Node) -> None:
        """Have a slice end so many elements before the end, where its size says so."""
        axes, steps = node.attrs["axes"], node.attrs["steps"]
        for place, (axis, step) in enumerate(zip(axes, steps, strict=True)):
            start, bound = self.integer_of(node.inputs[1 + place]), 1 + len(axes) + place
            known = self.constant_of(node.inputs[bound]) is not None
            found = None if known else self.ranges.of(node.inputs[bound])
            if step != 1 or start is None or start < 0 or found is None or found[0] != found[1]:
                continue
            stop = _stop(node.inputs[0].type.shape[axis], start, found[0] - start)
            if stop is not None:
                node.inputs[bound] = self.integer(stop)

    def _joined(self, node: Node) -> None:
        """Cut a slice of a slice out of the array at once, if it is along other axes and all bounds are known."""
        inner = self.producer.get(node.inputs[0])
        if inner is None or inner.op != "slice" or self.uses[node.inputs[0]] > 1:
            return
        if not all(self.constant_of(value) is not None for value in (*inner.inputs[1:], *node.inputs[1:])):
            return
        axes = (*inner.attrs["axes"], *node.attrs["axes"])
        if len(set(axes)) < len(axes):
            return
        bounds = [each.inputs[1:] for each in (inner, node)]
        starts = [value for part in bounds for value in part[: len(part) // 2]]
        stops = [value for part in bounds for value in part[len(part) // 2 :]]
        node.inputs = [inner.inputs[0], *starts, *stops]
        node.attrs = {**node.attrs, "axes": axes, "steps": (*inner.attrs["steps"], *node.attrs["steps"])}


def _stop(size: Dim, start: int, count: Dim) -> int | None:
    """Where a slice of so many elements ends, counted from the end of the axis; None if that is not known."""
    left = next((n for n in range(start, start + FARTHEST) if count == maximum(dim(0), size - n)), None)
    return None if left is None else (END if left == start else start - left)


__all__ = ["taken_slices"]
