"""What is known of indices where they are used: as sums, and from what has been read or written there before.

t = gather_nd(a, i, j)
s = slice(a[i], 0, j)               # holds j elements: a[i, j] has been there
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.integer_ranges import Range, Ranges
from graph_program.extract.transform.linear import Linear, in_last_rounds, linear
from graph_program.extract.types.dims import Dim, dim, provably_less_equal

ACCESSES = {"take": 1, "gather_nd": 1, "set_index": 2}
"""Operations that fail for an index outside, with the number of the first index."""
DEEPEST = 4
"""So many counters of loops in each other are looked through."""

Key = tuple[frozenset[tuple[Value, int]], int]


class IndexFacts:
    """What is known of integers that are indices.

    Parameters
    ----------
    ranges : Ranges
    """

    def __init__(self, ranges: Ranges):
        self.ranges = ranges
        self.makers: dict[Value, Node] = {}
        self._used: set[tuple[Key, Dim]] = set()

    def note(self, node: Node) -> None:
        """Say what gives the outputs of a node."""
        self.ranges.note(node)
        self.makers.update(dict.fromkeys(node.outputs, node))

    def note_access(self, node: Node) -> None:
        """The node has been done, so its indices are inside from here on."""
        first = ACCESSES.get(node.op)
        if first is None:
            return
        sizes = node.inputs[0].type.shape[node.attrs.get("axis", 0) :]
        for index, size in zip(node.inputs[first:], sizes, strict=False):
            if not index.type.rank:
                self._used.add((_key(self.linear(index)), size))

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is done in an inner graph is not known to be done behind it."""
        used = set(self._used)
        yield
        self._used = used

    # ------------------------------------------------------------ questions

    def linear(self, value: Value) -> Linear:
        return linear(value, self.makers.get)

    def range(self, form: Linear) -> Range | None:
        """The least and the greatest value of a sum."""
        low = high = dim(form.constant)
        for value, factor in form.terms.items():
            found = self.ranges.of(value)
            if found is None:
                return None
            ends = [end * dim(factor) for end in found]
            low, high = low + ends[factor < 0], high + ends[factor > 0]
        return low, high

    def was_used(self, form: Linear, size: Dim) -> bool:
        """Whether an axis of this size has been accessed at this index before."""
        return (_key(form), size) in self._used

    def is_nonnegative(self, form: Linear) -> bool:
        found = self.range(form)
        return (found is not None and provably_less_equal(0, found[0])) or self.is_less(Linear({}, -1), form)

    def is_at_most(self, form: Linear, size: Dim) -> bool:
        """Whether a sum is at most a size."""
        found = self.range(form)
        if found is not None and provably_less_equal(found[1], size):
            return True
        return any(self.was_used(form + Linear({}, -gap), size) for gap in (0, 1))

    def is_less(self, a: Linear, b: Linear) -> bool:
        """Whether one sum is less than another one, as counters are less than the numbers of their rounds."""
        gap = in_last_rounds(a - b, self._rounds, depth=DEEPEST)
        are_counters = all(factor < 0 and self._rounds(value) is not None for value, factor in gap.terms.items())
        return are_counters and gap.constant < 0

    def differ(self, a: Linear, b: Linear) -> bool:
        """Whether two indices, both counted from the beginning, are certainly of different places."""
        return all(map(self.is_nonnegative, (a, b))) and (self.is_less(a, b) or self.is_less(b, a))

    def _rounds(self, counter: Value) -> Linear | None:
        rounds = self.ranges.rounds_of(counter)
        return None if rounds is None else self.linear(rounds)


def _key(form: Linear) -> Key:
    return frozenset(form.terms.items()), form.constant


__all__ = ["ACCESSES", "IndexFacts"]
