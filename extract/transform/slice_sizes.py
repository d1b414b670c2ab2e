"""How long slices are whose bounds move: those between the same bounds are equally long, and as long as the bounds say.

    a: float64 [d1] = slice(x, 0, j)                a: float64 [d1] = slice(x, 0, j)
    b: float64 [d2] = slice(y, 0, j)        to      b: float64 [d1] = slice(y, 0, j)
    n = dim(a, axis=0)                              n is j
    if n != dim(b, axis=0): ...                     if j != j: ...
    else: c = matmul(a, b)                          else: c = matmul(a, b)
    w: float64 [d3] = slice(x, j, j + n)            w: float64 [n] = slice(x, j, j + n)

Bounds are compared as sums; that a bound is not beyond the end follows from its range, or from an element that has
been read or written there before.  Where a bound may count from the end, slices of axes of one size between the same
bounds are equally long, and no more is known.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.index_facts import IndexFacts
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.transform.linear import Linear
from graph_program.extract.transform.size_values import SizeMaker
from graph_program.extract.transform.symbols import SymbolRewriter, symbol_name
from graph_program.extract.transform.totality import BROADCASTING
from graph_program.extract.types.dims import Dim, provably_less_equal, put_in, symbol
from graph_program.extract.types.rules.type_rules import anonymous_dim
from graph_program.extract.types.tensors.shape_arithmetic import slice_length
from graph_program.tensor_api.opdef import OPS

END, BEGINNING = np.iinfo(np.int64).max, np.iinfo(np.int64).min


def slice_sizes(program: GraphProgram) -> None:
    """Find out which slices are equally long, and what their lengths are, in place."""
    if any(_is_open(node) for node in program.graph.walk()):
        _SliceSizes(program).run()


def _is_open(node: Node) -> bool:
    """Whether a slice has a length that is only a symbol."""
    return node.op == "slice" and any(symbol_name(node.outputs[0].type.shape[axis]) for axis in node.attrs["axes"])


@dataclass(frozen=True)
class _Length:
    """`min(stop, size) - start`, or 0 if that is less; without a stop, or without a size, that is left out.

    Both bounds are at least 0.  `least` says that it is certainly not less.
    """

    start: Linear
    stop: Linear | None
    size: Dim | None
    least: bool

    @property
    def key(self) -> Hashable:
        if self.stop is None or self.size is not None:
            return _key(self.start), self.stop and _key(self.stop), self.size
        return _key(self.stop - self.start)


def _key(form: Linear) -> Hashable:
    return frozenset(form.terms.items()), form.constant


class _SliceSizes(SymbolRewriter, SizeMaker):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.facts = IndexFacts(Ranges())
        self.lengths: dict[Hashable, Dim] = {}
        """The symbols of lengths that have been met."""

    def graph(self, graph: Graph) -> None:
        for node in graph.nodes:
            self.facts.note(node)
        lengths, values = dict(self.lengths), dict(self.values)
        with self.facts.scope():
            super().graph(graph)
        self.lengths, self.values = lengths, values

    def visit(self, node: Node) -> list[Node]:
        self.made = []
        if node.op == "dim":
            size = node.inputs[0].type.shape[node.attrs["axis"]]
            if self._is_of_slices(size) and self.is_cheap(size):
                self.replace(node.outputs[0], self.value(size))
                return self._noted(node)
        nodes = super().visit(node)
        self.facts.note(node)
        self.facts.note_access(node)
        return [*nodes, *self._noted(node)]

    def _is_of_slices(self, size: Dim) -> bool:
        return any(symbol(name) in self.values for name in size.symbols)

    def _noted(self, node: Node) -> list[Node]:
        """The nodes that have been made at the place of another one."""
        for made in self.made:
            made.loc = node.loc
            self.facts.note(made)
        return self.made

    def learn(self, node: Node) -> None:
        if node.op != "slice":
            self._learn_orphans(node)
            return
        axes, steps, shape = node.attrs["axes"], node.attrs["steps"], node.outputs[0].type.shape
        bounds = node.inputs[1:]
        for i, (axis, step) in enumerate(zip(axes, steps, strict=True)):
            if not self.new((shape[axis],)):
                continue
            n, ends = node.inputs[0].type.shape[axis], [self.constant_of(bounds[j]) for j in (i, len(axes) + i)]
            if step == 1:
                self._learn(node, axis, bounds[i], bounds[len(axes) + i])
            elif step == -1 and [end is not None and int(end) for end in ends] == [END, BEGINNING]:
                self.settle(shape[axis], n)

    def _learn_orphans(self, node: Node) -> None:
        """Find what the symbols are of slices that are no longer there, as another one is the same."""
        if OPS[node.op].family not in BROADCASTING:
            return
        shapes = {value.type.shape for value in node.inputs if value.type.rank}
        shape = node.outputs[0].type.shape
        if len(shapes) != 1 or len(shape) != len(found := shapes.pop()):
            return
        for old, size in zip(shape, found, strict=True):
            known = put_in(old, self.found)
            for name in known.symbols - self.met:
                other = next((symbol(s) for s in size.symbols if put_in(known, {name: symbol(s)}) == size), None)
                if other is not None:
                    self.settle(symbol(name), other)

    def _learn(self, node: Node, axis: int, start: Value, stop: Value) -> None:
        size, n = node.outputs[0].type.shape[axis], node.inputs[0].type.shape[axis]
        length = self._length(n, start, stop)
        key = (*map(_key, map(self.facts.linear, (start, stop))), n) if length is None else length.key
        known = self.lengths.get(key)
        if known is not None:
            self.settle(size, known)
            return
        exact = (length and self._exact(length)) or self._by_rule(n, start, stop)
        self.lengths[key] = exact or size
        if exact is not None:
            self.settle(size, exact)
        if length is None or exact is not None:
            return
        end = stop
        if length.size is not None:
            end = self.value(n) if self.is_cheap(n) else self.emit("dim", node.inputs[0], axis=axis)
            if length.stop is not None:
                end = self.emit("minimum", stop, end)
        if length.start.terms or length.start.constant:
            end = self.emit("subtract", end, start)
        self.values[size] = end if length.least else self.emit("maximum", end, self.number(0))

    def _exact(self, length: _Length) -> Dim | None:
        """The size that a length is, of which nothing is cut off; None if it is no size of what is there before."""
        if length.stop is None or length.size is not None:
            return None
        found = self.facts.range(length.stop - length.start)
        if found is None or found[0] != found[1] or not found[0].symbols <= self.met:
            return None
        return found[0] if provably_less_equal(0, found[0]) else None

    def _by_rule(self, n: Dim, start: Value, stop: Value) -> Dim | None:
        """The length of a slice whose bounds are sizes, or a little less, as of `x[1:n - 1]`."""
        first, last = (self.facts.range(self.facts.linear(bound)) for bound in (start, stop))
        if first is None or last is None or first[0] != first[1] or last[0] != last[1]:
            return None
        length = slice_length(n, first[0], last[0], 1, anonymous_dim)
        return length if length.symbols <= self.met else None

    def _length(self, n: Dim, start: Value, stop: Value) -> _Length | None:
        """The length of a slice of an axis; None if a bound may count from the end."""
        facts = self.facts
        first, last = facts.linear(start), facts.linear(stop)
        if not facts.is_nonnegative(first):
            return None
        if not last.terms and last.constant == END:
            return _Length(first, None, n, facts.is_at_most(first, n))
        if not facts.is_nonnegative(last) and not self._is_short(first, last, n):
            return None
        inside = facts.is_at_most(last, n)
        least = (not first.terms and not first.constant) or facts.is_less(first, last + Linear({}, 1))
        if not inside:
            least = least and facts.is_at_most(first, n)
        return _Length(first, last, None if inside else n, least)

    def _is_short(self, first: Linear, last: Linear, n: Dim) -> bool:
        """Whether a slice has no elements where its end counts from the end of the axis: `x[a:n - c]`, c - 2 <= a.

        If n < c that end is 2 * n - c, which is c - 2 at most.
        """
        found = self.facts.range(last)
        if found is None or found[0] != found[1] or first.terms:
            return False
        left = (n - found[0]).constant
        return left is not None and 0 <= left <= first.constant + 2


__all__ = ["slice_sizes"]
