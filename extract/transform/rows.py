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
from collections.abc import Iterator

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.residual import Const
from graph_program.extract.transform.index_facts import IndexFacts
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.transform.linear import Linear
from graph_program.extract.transform.rewrite import Rewriter, defined_in
from graph_program.extract.transform.row_flow import WRITES, ArrayFlow, fits, indices, is_at_numbers
from graph_program.extract.transform.row_slots import Place, RowSlot
from graph_program.extract.types.dims import Dim, provably_less_equal

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
        self.ranges = Ranges()
        self.facts = IndexFacts(self.ranges)
        self.users = _users(program.graph)
        self.known = _small_constants(program.graph)
        self.sizes: dict[Value, list[Dim]] = {}
        """Numbers that arrays were made with, and what the types of those arrays call them."""

    def graph(self, graph: Graph) -> None:
        self._note(graph.nodes)
        with self.facts.scope():
            super().graph(graph)

    def _note(self, nodes: list[Node]) -> None:
        for node in nodes:
            self.facts.note(node)
            if node.op == "full":
                for value, size in zip(node.inputs[1:], node.outputs[0].type.shape, strict=True):
                    self.sizes.setdefault(value, []).append(size)

    def visit(self, node: Node) -> list[Node]:
        self.facts.note_access(node)
        if node.op != "loop":
            return [node]
        before: list[Node] = []
        after: list[Node] = []
        for output in list(node.outputs):
            slot = node.outputs.index(output)
            place = self._place(node, slot) if output.type.rank else None
            if place is not None:
                RowSlot(self, self.exact, self.facts.linear, node, slot, place, before, after).run()
                self._note([*before, *node.regions[0].walk(), *after])
        return [*before, node, *after]

    def exact(self, form: Linear) -> Dim | None:
        """A sum as a size, if its terms are sizes."""
        found = self.facts.range(form)
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
        self.ranges.say_sizes({v: d for v, dims in self.sizes.items() for d in dims if d in shape})
        flow = ArrayFlow.of(loop, slot, self._is_access)
        writes = [node for node in flow.accesses if node.op in WRITES] if flow is not None else []
        for place in self._of_write(loop, writes[0]) if writes else ():
            assert flow is not None
            if all(self._fits(place, node, shape) for node in flow.accesses):
                return place
        return None

    def _is_access(self, node: Node) -> bool:
        """Whether a node reads or writes at numbers for the first axes, or reads parts of a column."""
        if node.op == "take" and node.attrs["axis"] == 1 and not node.inputs[1].type.rank:
            users = self.users.get(node.outputs[0], ())
            return all(user is not None and _cuts(user) for user in users)
        return is_at_numbers(node)

    def _of_write(self, loop: Node, write: Node) -> Iterator[Place]:
        """Where a write's row may be said to be, the smallest first.

        By the first index that moves with the rounds, or all of them together; else by fewer, which do not change.
        """
        (body,) = loop.regions
        counter = body.inputs[0]
        inside = defined_in([body])
        sizes, at = write.inputs[0].type.shape, indices(write)
        forms = [self.facts.linear(index) for index in at]
        sides: list[int] = []
        found: list[Place] = []
        for i, (index, form, size) in enumerate(zip(at, forms, sizes, strict=False)):
            step, start, side = form.terms.get(counter, 0), form.without(counter), self._side(index, size)
            if not step and side is None and self.facts.was_used(form, size):
                side = 1
            if abs(step) > 1 or side is None or not inside.isdisjoint(start.terms):
                break
            found.append(Place(tuple(forms[:i]), form, start, step, side, list(sides)))
            if step:
                break
            sides.append(side)
        return reversed(found)

    def _side(self, index: Value, size: Dim) -> int | None:
        """1 if an index is inside and counts from the beginning, -1 if from the end; None if it may be outside."""
        found = self.facts.range(self.facts.linear(index)) or self.ranges.of(index)
        if found is None:
            return None
        if provably_less_equal(0, found[0]) and provably_less_equal(found[1] + 1, size):
            return 1
        return -1 if provably_less_equal(-size, found[0]) and provably_less_equal(found[1], -1) else None

    def _fits(self, place: Place, node: Node, shape: tuple[Dim, ...]) -> bool:
        """Whether an access is of the round's row, or reads one of another round."""
        if node.op == "take" and node.attrs["axis"]:
            place.back[node] = NEVER
            return self._is_beside(place, node)
        at, last = indices(node), place.depth - 1
        if len(at) <= last:
            return False
        if [self.facts.linear(index) for index in at[:last]] != list(place.outer):
            place.back[node] = NEVER
            return node.op not in WRITES and self._is_apart(place, at, shape)
        index = self.facts.linear(at[last])
        distance = index - place.index
        if distance.terms or (distance.constant and not place.step):  # not a row of a round before
            place.back[node] = NEVER
            return node.op not in WRITES and not place.step and self.facts.differ(place.index, index)
        if node.op in WRITES:
            whole, value = len(at) == place.depth, node.inputs[1]
            same_type = value.type.dtype == node.inputs[0].type.dtype
            return not distance.constant and same_type and (not whole or fits(value, shape[place.depth :]))
        if not distance.constant:
            return True
        place.back[node] = -distance.constant * place.step
        return place.back[node] <= FURTHEST and self._side(at[last], shape[last]) == place.side

    def _is_beside(self, place: Place, column: Node) -> bool:
        """Whether all that is read of a column are parts before the rows that are written, or behind them."""
        facts, rows = self.facts, (*place.outer, place.index)[0]
        if not facts.is_nonnegative(rows) or (place.step and not place.outer):
            return False
        for user in self.users.get(column.outputs[0], ()):
            assert user is not None
            start, stop = map(facts.linear, user.inputs[1:])
            before = facts.is_nonnegative(stop) and facts.is_less(stop, rows + Linear({}, 1))
            behind = facts.is_nonnegative(start) and facts.is_less(rows, start)
            if not before and not behind:
                return False
        return True

    def _is_apart(self, place: Place, at: list[Value], shape: tuple[Dim, ...]) -> bool:
        """Whether what is read is certainly not among the rows, as an index before theirs is another one."""
        for index, form, side, size in zip(at, place.outer, place.outer_sides, shape, strict=False):
            distance = self.facts.linear(index) - form
            if not distance.terms and distance.constant and self._side(index, size) == side:
                return True
        return False


def _users(graph: Graph) -> dict[Value, list[Node | None]]:
    """What reads the columns of arrays; None for a graph that gives one."""
    columns = {n.outputs[0]: list[Node | None]() for n in graph.walk() if n.op == "take" and n.attrs["axis"] == 1}
    if not columns:
        return columns
    for node in graph.walk():
        for value in node.inputs:
            if value in columns:
                columns[value].append(node)
        for region in node.regions:
            for value in region.outputs:
                if value in columns:
                    columns[value].append(None)
    return columns


def _cuts(node: Node) -> bool:
    """Whether a node takes a part of a row of numbers; of such a one also its size is known."""
    return node.op == "slice" and node.attrs["axes"] == (0,) and node.attrs["steps"] == (1,)


def _small_constants(graph: Graph) -> dict[Const, Value]:
    """The constants that a program begins with."""
    first = itertools.takewhile(lambda node: node.op == "constant", graph.nodes)
    found = ((node.attrs["value"], node.outputs[0]) for node in first)
    return {Const(array): value for array, value in found if array.nbytes <= SMALL}


__all__ = ["rows"]
