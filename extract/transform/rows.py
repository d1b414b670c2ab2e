"""Collect the rows that the rounds of a loop write, instead of writing them into an array that is carried.

    y = loop(k < n) with x = a:             u = loop(k < n) with v = []:
        give true, set_index(x, f(k), k)        give true, concatenate(v, [f(k)])
                                     to     y = concatenate(u, a[dim(u):])       (y is u where all is written)

A carried array is copied in each round; the back end collects rows without.  The index may be any that moves by
one row a round, forwards or backwards; a row may be written bit by bit, or in some rounds only.  What the round
reads of its own row, of rows of some rounds before and of rows of later rounds needs no array either.  A row that
is the same in all rounds is carried itself.  (Scalar replacement: Callahan, Carr and Kennedy, 1990.)
"""

from __future__ import annotations

import itertools

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.residual import Const
from graph_program.extract.transform.integer_ranges import Range, Ranges
from graph_program.extract.transform.linear import Linear, linear
from graph_program.extract.transform.rewrite import Rewriter, defined_in
from graph_program.extract.transform.row_flow import WRITES, ArrayFlow, fits, indices, is_at_numbers
from graph_program.extract.transform.row_slots import Place, RowSlot
from graph_program.extract.types.dims import Dim, dim, provably_less_equal

FURTHEST = 4
"""Rows of so many rounds before may be read."""
NEVER = -1
"""Stands for the number of rounds since a row was written that the loop writes later, or not at all."""
SMALL = 64
"""Bytes of a constant that is looked for among those that there are."""


def rows(program: GraphProgram) -> None:
    """Collect rows instead of writing them, in place."""
    _Rows(program).run()


class _Rows(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.ranges = Ranges(lambda value: value.type.shape)
        self.makers: dict[Value, Node] = {}
        self.known = _small_constants(program.graph)
        self.sizes: dict[Value, list[Dim]] = {}
        """Numbers that arrays were made with, and what the types of those arrays call them."""

    def graph(self, graph: Graph) -> None:
        self._note(graph.nodes)
        super().graph(graph)

    def _note(self, nodes: list[Node]) -> None:
        for node in nodes:
            self.ranges.note(node)
            self.makers.update(dict.fromkeys(node.outputs, node))
            if node.op == "full":
                for value, size in zip(node.inputs[1:], node.outputs[0].type.shape, strict=True):
                    self.sizes.setdefault(value, []).append(size)

    def visit(self, node: Node) -> list[Node]:
        if node.op != "loop":
            return [node]
        before: list[Node] = []
        after: list[Node] = []
        for output in list(node.outputs):
            slot = node.outputs.index(output)
            place = self._place(node, slot) if output.type.rank else None
            if place is not None:
                RowSlot(self, self.exact, self._linear, node, slot, place, before, after).run()
                self._note([*before, *node.regions[0].walk(), *after])
        return [*before, node, *after]

    def exact(self, form: Linear) -> Dim | None:
        """A sum as a size, if its terms are sizes."""
        found = self._range(form)
        return None if found is None or found[0] != found[1] else found[0]

    def constant(self, array: np.ndarray, name: str = "constant") -> Value:
        """A constant of the program, if it has such a one."""
        found = self.known.get(Const(array)) if array.nbytes <= SMALL else None
        return super().constant(array, name) if found is None else found

    # ------------------------------------------------------------ which rows

    def _place(self, loop: Node, slot: int) -> Place | None:
        """The rows that the rounds of a loop touch of a carried array; None if it is to stay."""
        shape = loop.inputs[slot + 2].type.shape
        # A number is the size of an array where there is the array: of no others is asked here.
        self.ranges.sizes = {v: d for v, dims in self.sizes.items() for d in dims if d in shape}
        flow = ArrayFlow.of(loop, slot, is_at_numbers)
        writes = [node for node in flow.accesses if node.op in WRITES] if flow is not None else []
        place = self._of_write(loop, writes[0]) if writes else None
        if flow is None or place is None:
            return None
        return place if all(self._fits(place, node, shape) for node in flow.accesses) else None

    def _of_write(self, loop: Node, write: Node) -> Place | None:
        """Where a write's row is: the first index that moves with the rounds says so, or all of them together."""
        (body,) = loop.regions
        counter = body.inputs[0]
        inside = defined_in([body])
        sizes, at = write.inputs[0].type.shape, indices(write)
        forms = [self._linear(index) for index in at]
        sides: list[int] = []
        for i, (index, form, size) in enumerate(zip(at, forms, sizes, strict=False)):
            step, start, side = form.terms.get(counter, 0), form.without(counter), self._side(index, size)
            if abs(step) > 1 or side is None or not inside.isdisjoint(start.terms):
                return None
            if step or i == len(at) - 1:
                return Place(tuple(forms[:i]), form, start, step, side, sides)
            sides.append(side)
        return None

    def _linear(self, value: Value) -> Linear:
        return linear(value, self.makers.get)

    def _side(self, index: Value, size: Dim) -> int | None:
        """1 if an index is inside and counts from the beginning, -1 if from the end; None if it may be outside."""
        found = self._range(self._linear(index)) or self.ranges.of(index)
        if found is None:
            return None
        if provably_less_equal(0, found[0]) and provably_less_equal(found[1] + 1, size):
            return 1
        return -1 if provably_less_equal(-size, found[0]) and provably_less_equal(found[1], -1) else None

    def _range(self, form: Linear) -> Range | None:
        """The least and the greatest value of a sum."""
        low = high = dim(form.constant)
        for value, factor in form.terms.items():
            found = self.ranges.of(value)
            if found is None:
                return None
            ends = [end * dim(factor) for end in found]
            low, high = low + ends[factor < 0], high + ends[factor > 0]
        return low, high

    def _fits(self, place: Place, node: Node, shape: tuple[Dim, ...]) -> bool:
        """Whether an access is of the round's row, or reads one of another round."""
        at, last = indices(node), place.depth - 1
        if len(at) <= last:
            return False
        if [self._linear(index) for index in at[:last]] != list(place.outer):
            place.back[node] = NEVER
            return node.op not in WRITES and self._is_apart(place, at, shape)
        distance = self._linear(at[last]) - place.index
        if distance.terms:
            return False
        if node.op in WRITES:
            whole, value = len(at) == place.depth, node.inputs[1]
            same_type = value.type.dtype == node.inputs[0].type.dtype
            return not distance.constant and same_type and (not whole or fits(value, shape[place.depth :]))
        if not distance.constant:
            return True
        place.back[node] = -distance.constant * place.step
        return bool(place.step) and place.back[node] <= FURTHEST and self._side(at[last], shape[last]) == place.side

    def _is_apart(self, place: Place, at: list[Value], shape: tuple[Dim, ...]) -> bool:
        """Whether what is read is certainly not among the rows, as an index before theirs is another one."""
        for index, form, side, size in zip(at, place.outer, place.outer_sides, shape, strict=False):
            distance = self._linear(index) - form
            if not distance.terms and distance.constant and self._side(index, size) == side:
                return True
        return False


def _small_constants(graph: Graph) -> dict[Const, Value]:
    """The constants that a program begins with."""
    first = itertools.takewhile(lambda node: node.op == "constant", graph.nodes)
    found = ((node.attrs["value"], node.outputs[0]) for node in first)
    return {Const(array): value for array, value in found if array.nbytes <= SMALL}


__all__ = ["rows"]
