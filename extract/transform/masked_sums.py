"""Sums of the elements where a mask holds that differs from round to round are sums over all elements.

                                                    y = add(transpose(x), 0.0)
    loop (k < n):                                   loop (k < n):
        m = equal(labels, k)                            m = equal(labels, k)
        i = take(nonzero(m), 0)             to
        r = take(x, i)                                  w = where(m, y, 0.0)
        s = sum(r, axes=(0,))                           s = sum(w, axes=(1,))
        c = dim(r, axis=0)                              c = sum(cast(m, int64))

How many elements a mask chooses differs from round to round, so gathering them has no form for all rounds at once; a
sum over all of them has.  Only the sum and the number of the chosen elements may be asked for, of an array that does
not change in the loop.  It is transposed there, so that what is chosen and added lies side by side; no -0.0 is in it
then, which back ends take care to choose.  Zeros are added between the others, so the pass is reassociating.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.mask_places import GATHERS, mask_of
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.types.tensors.tensor_type import TensorType

INT64 = np.dtype(np.int64)


def masked_sums(program: GraphProgram) -> None:
    """Add up all elements instead of those where a mask holds, in loops, in place."""
    loops = [node.regions[0] for node in program.graph.walk() if node.op == "loop"]
    if any(node.op == "nonzero" for body in loops for node in body.walk()):
        _MaskedSums(program).run()


class _MaskedSums(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.depths: dict[Value, int] = {}
        """How many loops there are around what makes a value."""
        self.asked = _asked(program.graph)
        self.before: dict[int, list[Node]] = {}
        """What is to be made before the next loop, by how many loops there are around that."""
        self.made: dict[tuple[Value, int], Value] = {}
        """What is made of arrays there."""

    def graph(self, graph: Graph) -> None:
        for value in (*graph.inputs, *(made for node in graph.nodes for made in node.outputs)):
            self.depths[value] = self.depth
        super().graph(graph)

    def visit(self, node: Node) -> list[Node]:
        if node.op == "loop":
            self.made = {key: made for key, made in self.made.items() if self.depths[key[0]] < self.depth}
            return [*self.before.pop(self.depth, []), node]
        gather = self.producer.get(node.inputs[0]) if node.op in ("sum", "dim") else None
        mask = None if gather is None or gather.op not in GATHERS else mask_of(gather, self.producer, self.constant_of)
        if gather is None or mask is None or not self._is_of_a_round(mask, gather.inputs[0]):
            return [node]
        chosen = gather.outputs[0]
        if not all(_is_answered(asked) for asked in self.asked[chosen]):
            return [node]
        if node.op == "dim":
            return self._count(node, mask)
        return self._sum(node, mask, gather.inputs[0])

    def _is_of_a_round(self, mask: Value, array: Value) -> bool:
        """Whether a mask is another one in each round of the loop around, and the array is not."""
        return self.depths[array] < self.depths[mask] == self.depth

    def _count(self, node: Node, mask: Value) -> list[Node]:
        ones = Value(self.names.fresh(f"{mask.name}.ones"), TensorType(INT64, mask.type.shape))
        axes = tuple(range(mask.type.rank))
        return [
            self.node("cast", [mask], ones, {"dtype": INT64}, node.loc),
            self.node("sum", [ones], node.outputs[0], {"axes": axes, "keepdims": False}, node.loc),
        ]

    def _sum(self, node: Node, mask: Value, array: Value) -> list[Node]:
        rank, more = mask.type.rank, array.type.rank - mask.type.rank
        zero = self.constant(np.zeros((), array.type.dtype))
        source = self._made_before(array, rank, zero)
        masked = Value(self.names.fresh(f"{array.name}.masked"), source.type)
        axes = (*(axis - 1 for axis in node.attrs["axes"] if axis), *range(more, more + rank))
        return [
            self.node("where", [mask, source, zero], masked, {}, node.loc),
            self.node("sum", [masked], node.outputs[0], {**node.attrs, "axes": axes}, node.loc),
        ]

    def _made_before(self, array: Value, rank: int, zero: Value) -> Value:
        """An array without -0.0 whose first axes are the last ones, made before the outermost loop it is known at."""
        key, before = (array, rank), self.before.setdefault(self.depths[array], [])
        if key not in self.made:
            perm = (*range(rank, array.type.rank), *range(rank))
            shape = tuple(array.type.shape[axis] for axis in perm)
            steps = [("transpose", {"perm": perm})] if array.type.rank > rank else []
            steps += [("add", {})] if array.type.dtype.kind == "f" else []
            value = array
            for op, attrs in steps:
                made = Value(self.names.fresh(f"{array.name}.{op}"), TensorType(array.type.dtype, shape))
                before.append(self.node(op, [value, *([zero] if op == "add" else [])], made, attrs))
                value = made
            self.made[key] = value
        return self.made[key]


def _asked(graph: Graph) -> dict[Value, list[Node | None]]:
    """What reads each value; None where a graph gives it back."""
    found: dict[Value, list[Node | None]] = {}
    for inner in _graphs(graph):
        for value in inner.outputs:
            found.setdefault(value, []).append(None)
        for node in inner.nodes:
            for value in node.inputs:
                found.setdefault(value, []).append(node)
    return found


def _graphs(graph: Graph) -> Iterator[Graph]:
    yield graph
    for node in graph.walk():
        yield from node.regions


def _is_answered(asked: Node | None) -> bool:
    """Whether what is asked of chosen elements is their number, or a sum over all of them."""
    if asked is None:
        return False
    if asked.op == "dim":
        return bool(asked.attrs["axis"] == 0)
    return asked.op == "sum" and 0 in asked.attrs["axes"] and not asked.attrs["keepdims"]


__all__ = ["masked_sums"]
