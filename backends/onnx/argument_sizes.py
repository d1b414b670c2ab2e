"""What is known of the sizes of arguments: they are those of arrays that somebody has."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

from graph_program.extract.types.dims import Dim, dim, symbol

LARGEST = 2**31 - 2**20
"""Sizes of arguments, and numbers of their elements, are taken to be less, where kernels compare them by 32 bits."""
LARGEST_RANK = 4


class ArgumentSizes:
    """The sizes of arguments, by their names.

    Parameters
    ----------
    shapes : iterable of tuple of Dim
        Of the arguments.

    Attributes
    ----------
    bounded : dict of str to Dim
        The names, with what they are at most.
    """

    def __init__(self, shapes: Iterable[tuple[Dim, ...]] = ()):
        shapes = list(shapes)
        self.bounded = {name: symbol(name, dim(LARGEST)) for shape in shapes for d in shape for name in d.symbols}
        self._counts = {count for shape in shapes for count in _counts(shape)}

    def __contains__(self, size: Dim) -> bool:
        """Whether a dim is just one of an argument's, or the number of elements of an argument, or of parts of it."""
        return str(size) in self.bounded or size in self._counts


def _counts(shape: tuple[Dim, ...]) -> Iterable[Dim]:
    for number in range(2, min(len(shape), LARGEST_RANK) + 1):
        for sizes in itertools.combinations(shape, number):
            yield math.prod(sizes, start=dim(1))


__all__ = ["LARGEST", "ArgumentSizes"]
