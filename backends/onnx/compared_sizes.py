"""Sizes that the branches and loops around an operation have compared.

    differ: bool = not_equal(dim(x), dim(mask))
    if differ:                                            then x is as long as the mask on the other side:
        ...                                       ->      Compress(x, mask) there is what
    else:                                                 Gather(x, Squeeze(NonZero(mask))) would be
        y = take(x, take(nonzero(mask), 0))

The types of what has a size of its own do not say so, as they are the same on both sides.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.types.dims import Dim, dim, put_in

DEEPEST = 6
"""Parts of a test are looked at that so many operations make it of."""
EQUALITIES = {"equal": True, "not_equal": False}
CONNECTIVES = {"bitwise_and": True, "bitwise_or": False}
"""Whether all of its parts come out so where one of them comes out true."""


class ComparedSizes:
    """The tests of the branches around what is being written.

    Parameters
    ----------
    ranges : Ranges
        What makes the tests, and which integers are sizes.
    """

    def __init__(self, ranges: Ranges):
        self.ranges = ranges
        self._tests: list[tuple[Value, bool]] = []
        self._rounds: list[Value] = []
        """Numbers of rounds of the loops around: each is at least 1 where there is a round."""

    @contextmanager
    def where(self, test: Value, holds: bool) -> Iterator[None]:
        """Write what is done where a test holds, or does not."""
        self._tests.append((test, holds))
        try:
            yield
        finally:
            self._tests.pop()

    @contextmanager
    def in_round(self, loop: Node) -> Iterator[None]:
        """Write what is done in a round of a loop."""
        rounds, begins = loop.inputs[:2]
        self._rounds.append(rounds)
        try:
            with self.where(begins, True):
                yield
        finally:
            self._rounds.pop()

    def is_mask(self, mask: Dim, size: Dim) -> bool:
        """Whether so many truths are as many as there are of what they choose from; or there are none of them."""
        positive = self.ranges.here.positive  # a size that is at least 1 here goes by what it is above that
        asked, chosen = put_in(mask, positive), put_in(size, positive)
        enough = [{asked, chosen}, {asked, dim(0)}]
        return mask == size or any(self._says(test, holds, enough, DEEPEST) for test, holds in self._tests)

    def _says(self, test: Value, holds: bool, pairs: list[set[Dim]], depth: int) -> bool:
        """Whether a test that comes out so says that the sizes of one of some pairs are equal."""
        node = self.ranges.maker(test)
        if node is None or not depth:
            return False
        if node.op == "invert":
            return self._says(node.inputs[0], not holds, pairs, depth - 1)
        if node.op in CONNECTIVES and test.type.dtype == np.bool_:
            said = (self._says(part, holds, pairs, depth - 1) for part in node.inputs)
            return any(said) if CONNECTIVES[node.op] is holds else all(said)
        if node.op == "greater" and not holds and node.inputs[0] in self._rounds:
            return self.ranges.number(node.inputs[1]) == dim(0)  # that is not so in a round
        is_equality = EQUALITIES.get(node.op) is holds and all(v.type.dtype == np.int64 for v in node.inputs)
        return is_equality and {self.ranges.number(value) for value in node.inputs} in pairs


__all__ = ["ComparedSizes"]
