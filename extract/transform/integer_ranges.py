"""Between which sizes integers lie.

A range is two sizes (see `types/dims`): numbers, or expressions in the sizes of the inputs.  It follows from the
element type, from the number of rounds of the loop that counts, and from the operation that makes the value.  That of
an array holds for each of its elements.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import field, replace

import numpy as np

from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.linear import Linear, linear
from graph_program.extract.transform.orders import Range, both, either
from graph_program.extract.transform.range_facts import Fact, in_a_round, known_where
from graph_program.extract.transform.range_rules import ANY, MOST_ROUNDS, RULES
from graph_program.extract.transform.rewrite import defined_in
from graph_program.extract.transform.round_sums import in_rounds, is_within, most, span
from graph_program.extract.transform.sizes_read import READERS, sizes_read
from graph_program.extract.types.dims import Dim, Symbol, dim, product, provably_less_equal, put_in, symbol
from graph_program.extract.types.tensors.tensor_type import Kind

DEEPEST, DEEPEST_TEST = 6, 8
"""So many operations are looked through, and of tests."""

SOME = 16
"""So many times the elements of an array is still a number that fits."""
FAR = MOST_ROUNDS // 2
"""Ends that are farther from 0 are looked at more closely."""
MOST_NESTED = 3
"""So many choices in each other are looked at with what is known on their sides."""
MOST_OPEN = 8
"""So many tests are kept for where more is known of their parts."""
LESS = " - 1"
"""Behind the name of a size that is at least 1: what is left of it."""


@dataclass(eq=False)
class Place:
    """What is known at one place of a program, and what has been found from it.

    Attributes
    ----------
    facts : tuple of mapping
        What the tests of the branches around say of the integers that they compare.
    positive : mapping of str to Dim
        Names of sizes that are at least 1, with one more than a size; ranges are by these.
    sizes : mapping of Value to Dim
        Integers that are known to be sizes.
    exact : frozenset of Value
        Sums that have been asked whether they have left 64 bits, and have not.
    open : tuple of pair of Value and bool
        Tests of which it is known what they come to, but not yet by which of their parts.
    """

    facts: tuple[Mapping[Value, Range], ...] = ()
    positive: Mapping[str, Dim] = field(default_factory=dict)
    sizes: Mapping[Value, Dim] = field(default_factory=dict)
    exact: frozenset[Value] = frozenset()
    open: tuple[tuple[Value, bool], ...] = ()
    ranges: dict[tuple[Value, int], tuple[int, Range | None]] = field(default_factory=dict, init=False)
    """What has been found here, by the number of choices that it was asked from inside of, and how deep for."""
    sides: dict[tuple[Value, bool, int], Place] = field(default_factory=dict, init=False)
    """The places behind tests."""
    behind: dict[Graph, Place] = field(default_factory=dict, init=False)
    """Where the operations of graphs have been done."""
    age: int = field(default=0, init=False)

    def forget(self, age: int) -> None:
        """Ask anew, if what has been found is from before the program has changed."""
        if age != self.age:
            self.age, self.ranges, self.sides, self.behind = age, {}, {}, {}


class Ranges:
    """What is known of integers from where they come.

    Parameters
    ----------
    shape : callable, optional
        The sizes of a value, as far as they may be relied on, which may change; those of its type by default.
    only_read : bool
        Whether ranges hold for what somebody reads, but not for what stands where nobody does.

    Attributes
    ----------
    here : Place
    """

    def __init__(self, shape: Callable[[Value], tuple[Dim, ...] | None] | None = None, only_read: bool = False):
        self.shape = shape or (lambda value: value.type.shape)
        self.only_read = only_read
        self.here = Place()
        self.constants: dict[Value, Range | None] = {}
        """The ranges of the elements of constants, as far as somebody has asked."""
        self._stays = shape is None
        self._nested = 0
        self._age = 0
        """How often what has been found has turned out to be too little."""
        self._makers: dict[Value, Node] = {}
        self._unmade: set[Value] = set()
        """Values that have been asked for before what makes them was said."""
        self._trips: dict[Value, Value] = {}
        self.kept: dict[Value, Range] = {}
        """What numbers have where they are made, wherever they are asked for."""
        self.elements: set[Dim] = set()
        """How many elements arrays have that are there in any case."""

    def note(self, node: Node) -> None:
        """Say what gives the outputs of a node, and how often a loop runs."""
        for output in node.outputs:
            if output in self._unmade or self._makers.get(output, node) is not node:
                self._age += 1
            self._makers[output] = node
        if node.op == "loop":
            counter = node.regions[0].inputs[0]
            if counter in self._unmade or self._trips.get(counter, node.inputs[0]) is not node.inputs[0]:
                self._age += 1
            self._trips[counter] = node.inputs[0]

    def say_sizes(self, sizes: Mapping[Value, Dim]) -> None:
        """Say of integers that they are sizes from here on."""
        self.here = replace(self.here, sizes=sizes)

    def say_made(self, array: Node) -> None:
        """Say of the numbers that an array has been made of that they are its sizes from here on."""
        for value, size in zip(array.inputs[1:], array.outputs[0].type.shape, strict=True):
            found = self.of(value)
            if size.constant is None and (found is None or found[0] != found[1]):
                self.say_sizes({**self.here.sizes, value: size})

    def say_given(self, arrays: Iterable[Value]) -> None:
        """Say that arrays are there in any case."""
        self.elements |= {product(value.type.shape) for value in arrays if value.type.rank}

    def counts_elements(self, number: Dim) -> bool:
        """Whether a number is at most some times that of the elements of an array, which is there."""
        counts = (put_in(count, self.here.positive) for count in self.elements)
        return any(provably_less_equal(number, count * SOME) for count in counts)

    def maker(self, value: Value) -> Node | None:
        """The node that gives a value."""
        return self._makers.get(value)

    def keep(self, value: Value, found: Range) -> None:
        """Rely on the range that a number has where it is made, wherever it is asked for."""
        if value in self._unmade and self.kept.get(value) != found:
            self._age += 1
        self.kept[value] = found

    def where(self, test: Value, holds: bool, depth: int = DEEPEST) -> AbstractContextManager[None]:
        """Say of what is known where a test holds, or does not."""
        key = (test, holds, DEEPEST_TEST if depth == DEEPEST else min(depth - 2, DEEPEST_TEST))
        return self._said(key, lambda: known_where(self, *key))

    @contextmanager
    def in_round(self, loop: Node) -> Iterator[None]:
        """Say of what is known in a round of a loop: that there is one, and that it has begun."""
        rounds, begins = loop.inputs[:2]
        with (
            self.where(begins, True),
            self._said((rounds, True, 0), lambda: in_a_round(self, rounds)),
            self._said((rounds, True, -1), lambda: (fact for one in self.here.open for fact in self._answered(*one))),
        ):
            yield

    def _answered(self, test: Value, holds: bool) -> Iterator[Fact]:
        """What a test says now of which it was not known why it came out as it did."""
        return known_where(self, test, holds, DEEPEST_TEST)

    @contextmanager
    def _said(self, key: tuple[Value, bool, int], said: Callable[[], Iterable[Fact]]) -> Iterator[None]:
        """Say of integers what follows from something that is known here; the place for it is kept."""
        outside = self.here
        outside.forget(self._age)
        if key not in outside.sides or not self._stays:
            self._take_in(said())
            outside.sides[key] = self.here
        self.here = outside.sides[key]
        yield
        self.here = outside

    def _take_in(self, said: Iterable[Fact]) -> None:
        """Go to a place where more is known; if nothing is, what has been found here holds there, too."""
        known, exact, asked = dict[Value, Range](), set[Value](), list[tuple[Value, bool]]()
        for value, found in said:
            if found is None:
                exact.add(value)
            elif isinstance(found, bool):
                asked.append((value, found))
            else:
                known[value] = both(known[value], found) if value in known else found
        sizes = [self._size(value) for value, (low, _) in known.items() if low == dim(1)]
        if known or exact or asked:
            here, still = self.here, [*dict.fromkeys((*self.here.open, *asked))][:MOST_OPEN]
            facts = (*here.facts, known)
            self.here = Place(facts, here.positive, here.sizes, here.exact | exact, tuple(still))
            self.note_positive(size for size in sizes if size is not None)

    def _size(self, value: Value) -> Dim | None:
        """The size that a number is, if it is read from an array, or has been said to be one."""
        node = self._makers.get(value)
        if value in self.here.sizes or node is None or node.op != "dim":
            return self.here.sizes.get(value)
        shape = self.shape(node.inputs[0])
        return None if shape is None else shape[node.attrs["axis"]]

    def of(self, value: Value, depth: int = DEEPEST) -> Range | None:
        """The range of a number, or of the elements of an array; None if nothing is known."""
        if not depth or value.type.dtype.kind not in "biu":
            return None
        if not self._stays:
            return self._of(value, depth)
        here = self.here
        here.forget(self._age)
        key = value, self._nested
        found = here.ranges.get(key)
        if found is None or found[0] < depth:
            found = here.ranges[key] = depth, self._of(value, depth)
        return found[1]

    def _of(self, value: Value, depth: int) -> Range | None:
        found = self._by_positive(self._made(value, depth))
        for facts in self.here.facts:
            if value in facts:
                known = self._by_positive(facts[value])
                found = known if found is None or known is None else both(found, known)
        return found

    @contextmanager
    def behind(self, graph: Graph) -> Iterator[None]:
        """Say of what is known where the operations of a graph have been done."""
        outside = self.here
        outside.forget(self._age)
        if graph not in outside.behind or not self._stays:
            for node in graph.nodes:
                if node.op in READERS:
                    self.note_positive(sizes_read(node, self.shape))
            outside.behind[graph] = self.here
        self.here = outside.behind[graph]
        yield
        self.here = outside

    def of_behind(self, graph: Graph, value: Value, depth: int, place: Place | None = None) -> Range | None:
        """The range of a value behind the operations of a graph, as it is outside of it, or in another place."""
        outside = place or self.here
        with self.behind(graph):
            return self._as_in(outside, self.of(value, depth))

    def of_where(self, test: Value, holds: bool, value: Value, depth: int) -> Range | None:
        """The range of a value where a test holds, or does not, as it is outside of that."""
        outside = self.here
        with self._inside(test, holds, depth):
            return self._as_in(outside, self.of(value, depth))

    @contextmanager
    def _inside(self, test: Value, holds: bool, depth: int) -> Iterator[None]:
        """Say of what is known on a side of a choice that is looked at from outside, of few in each other."""
        if self._nested >= MOST_NESTED:
            yield
            return
        self._nested += 1
        with self.where(test, holds, depth):
            yield
        self._nested -= 1

    def _as_in(self, place: Place, found: Range | None) -> Range | None:
        """A range that has been found here, by the sizes that are known to be at least 1 in another place."""
        more = self.here.positive.keys() - place.positive.keys()
        if found is None or not more:
            return found
        names = {name + LESS: symbol(name) - 1 for name in more}
        return put_in(found[0], names), put_in(found[1], names)

    def note_positive(self, sizes: Iterable[Dim]) -> None:
        """Say of sizes that are at least 1 from here on; those of which they are products are, too."""
        for size in sizes:
            for atom in size.terms[0][0] if len(size.terms) == 1 else ():
                if isinstance(atom, Symbol) and not atom.name.endswith(LESS) and atom.name not in self.here.positive:
                    positive = {**self.here.positive, atom.name: symbol(atom.name + LESS) + 1}
                    self.here = replace(self.here, positive=positive)

    def _by_positive(self, found: Range | None) -> Range | None:
        """A range with what is known of sizes that are at least 1."""
        if found is None or not self.here.positive:
            return found
        return put_in(found[0], self.here.positive), put_in(found[1], self.here.positive)

    def compared(self, value: Value, depth: int = DEEPEST) -> Range | None:
        """The range of a number that is only compared, and may be a constant of any size."""
        node = self._makers.get(value)
        if node is None or node.op != "constant" or value.type.rank or value.type.dtype != np.int64:
            return self.of(value, depth)
        return dim(int(node.attrs["value"])), dim(int(node.attrs["value"]))

    def all_of(self, value: Value) -> list[Range]:
        """The range of a number that is compared, and others in which it is, too."""
        found = [
            self.compared(value),
            *(self._by_positive(facts[value]) for facts in self.here.facts if value in facts),
        ]
        return [one for one in found if one is not None]

    def _made(self, value: Value, depth: int) -> Range | None:
        """What follows from where a value comes from."""
        if value in self.here.sizes:
            return self.here.sizes[value], self.here.sizes[value]
        kept = self.kept.get(value)
        if value in self._trips:
            trips = self.of(self._trips[value], depth)
            end = ANY[1] if trips is None else trips[1]
            if end.constant is not None and end.constant > MOST_ROUNDS:
                end = most(self, span(self, self._trips[value])) or end
            if end.constant is not None:
                end = dim(min(end.constant, MOST_ROUNDS))
            return dim(0), end - 1
        node = self._makers.get(value)
        if node is None:
            self._unmade.add(value)
        if kept is not None and (not self.here.facts or node is None or node.regions):
            return kept  # as nothing more is known here than where it is made
        if node is not None and node.op == "if":
            found = self._given(node, node.outputs.index(value), depth - 1)
        elif node is not None and node.op == "loop":
            found = self._of_rows(node, node.outputs.index(value), depth - 1)
        else:
            rule = RULES.get(node.op) if node is not None else None
            found = rule(self, node, depth - 1) if rule is not None and node is not None else None
            if found is not None and value.type.dtype == np.int64 and any(abs(end.offset) > FAR for end in found):
                found = in_rounds(self, value, found)
        if kept is not None:
            return kept if found is None else both(kept, found)
        return _of_type(value.type.dtype) if found is None else found

    def _given(self, node: Node, place: int, depth: int) -> Range | None:
        """What either side of a branch gives that somebody reads."""
        found: list[Range | None] = []
        outside = self.here
        for region, holds in zip(node.regions, (True, False), strict=True):
            if not (self.only_read and self.is_undefined(region.outputs[place])):
                with self._inside(node.inputs[0], holds, depth):
                    found.append(self.of_behind(region, region.outputs[place], depth, outside))
        return None if not found else found[0] if len(found) == 1 else either(*found)

    def _of_rows(self, loop: Node, place: int, depth: int) -> Range | None:
        """The elements of what a loop puts rows behind."""
        body, initial = loop.regions[0], loop.inputs[place + 2]
        node = self._makers.get(body.outputs[place + 1])
        if node is None or node.op != "concatenate" or node.inputs[0] is not body.inputs[place + 1]:
            return None
        here, self.here = self.here, replace(self.here, facts=())  # those are about one round
        rows = [self.of_behind(body, value, depth) for value in node.inputs[1:]]
        self.here = here
        outside = self.sizes_outside(loop, depth)
        if any(row is None or not outside >= row[0].symbols | row[1].symbols for row in rows):
            return None  # by a size that is another one in each round
        if initial.type.rank and initial.type.shape[0].constant != 0:
            rows.append(self.of(initial, depth))
        return functools.reduce(either, rows)

    def sizes_outside(self, loop: Node, depth: int) -> frozenset[str]:
        """The names of sizes that a loop reads and does not make."""
        body = loop.regions[0]
        inside = defined_in([body])
        read = {*loop.inputs, *(value for node in body.walk() for value in node.inputs if value not in inside)}
        ends = [size for value in read for size in value.type.shape]
        ends += self.of(loop.inputs[0], depth) or ()
        names = frozenset[str]().union(*(end.symbols for end in ends))
        return names | {name + LESS for name in names}

    def rounds_of(self, counter: Value) -> Value | None:
        """The number of rounds that a value counts; None if it counts none."""
        return self._trips.get(counter)

    def is_below(self, value: Value, bound: Value) -> bool:
        """Whether a number is less than another one: `a + k - 1` than `n`, where k counts `n - a` rounds."""
        return self._is_below_end(value, bound) or is_within(self, value, bound, 1)

    def sum(self, value: Value) -> Linear:
        """A number as the sum that it is without wrapping around."""
        return linear(value, self._exact)

    def is_exact(self, value: Value, depth: int = DEEPEST) -> bool:
        """Whether what an operation gives has not wrapped around."""
        if value in self.here.exact:
            return True
        node = self._makers.get(value)
        rule = RULES.get(node.op) if node is not None else None
        return rule is not None and node is not None and rule(self, node, depth) is not None

    def _exact(self, value: Value) -> Node | None:
        return self._makers.get(value) if self.is_exact(value) else None

    def _is_below_end(self, value: Value, bound: Value) -> bool:
        """Whether a number is less than another one for how it is made: `a + k` than `n`, or than what cuts it."""
        if value in self._trips:
            return self._ends_at(self._trips[value], bound, value)
        total = self._makers.get(value)
        if total is None or total.op != "add":
            return False
        for start, counter in (total.inputs, total.inputs[::-1]):
            trips = self._trips.get(counter)
            rounds = self._makers.get(trips) if trips is not None else None
            if rounds is None or trips is None or rounds.op != "subtract" or rounds.inputs[1] is not start:
                continue
            if trips.type.kind is Kind.PYTHON or self.is_exact(trips):  # NumPy's integers wrap around
                return self._ends_at(rounds.inputs[0], bound, start)
        return False

    def is_at_most(self, value: Value, bound: Value) -> bool:
        """Whether a number is not greater than another one, as what is by 1 greater than a number below it."""
        total = self._makers.get(value)
        if total is not None and total.op == "add" and value.type.dtype == np.int64:
            for number, other in (total.inputs, total.inputs[::-1]):
                found = self.of(other, 2)
                if found is not None and provably_less_equal(found[1], 1) and self.is_below(number, bound):
                    return True
        return self._is_below_end(value, bound) or is_within(self, value, bound)

    def _ends_at(self, end: Value, bound: Value, start: Value) -> bool:
        """Whether an end that is above a start is a bound, or the greater one of it and of the start."""
        if end is bound or self._is_one_number(end, bound):
            return True
        cut = self._makers.get(end)
        return cut is not None and cut.op == "maximum" and bound is not start and {*cut.inputs} == {bound, start}

    def _is_one_number(self, a: Value, b: Value) -> bool:
        """Whether two numbers are one size."""
        found = (self.of(a), self.of(b))
        return found[0] is not None and found[0] == found[1] and found[0][0] == found[0][1]

    def uncast(self, value: Value) -> Value:
        """The integer of which a number is a conversion."""
        node = self._makers.get(value)
        while node is not None and node.op == "cast" and node.inputs[0].type.dtype == np.int64:
            value = node.inputs[0]
            node = self._makers.get(value)
        return value

    def is_undefined(self, value: Value) -> bool:
        """Whether a value is one that nobody reads."""
        node = self._makers.get(value)
        return node is not None and node.op == "placeholder"

    def is_constant(self, value: Value) -> bool:
        node = self._makers.get(value)
        return node is not None and node.op == "constant"

    def number(self, value: Value) -> Dim | None:
        """The number that a value is, if it is one number; a constant may be the bound that a slice leaves out."""
        if self.is_constant(value) and not value.type.rank:
            return dim(int(self._makers[value].attrs["value"]))
        found = self.of(value)
        return found[0] if found is not None and found[0] == found[1] else None


def _of_type(dtype: np.dtype) -> Range | None:
    if dtype.kind == "b":
        return dim(0), dim(1)
    if dtype.kind in "iu" and dtype.itemsize <= 2:
        return dim(int(np.iinfo(dtype).min)), dim(int(np.iinfo(dtype).max))
    return None


__all__ = ["Place", "Range", "Ranges"]
