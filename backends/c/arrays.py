"""What an array is in C: a place in memory, or an expression of the indices that is written where it is read."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graph_program.backends.c.c_types import kept_type, loaded
from graph_program.backends.c.expression import ONE, ZERO, Expr, infix, plus, product, times
from graph_program.extract.records import dataclass

Element = Callable[[Sequence[Expr]], Expr]
"""The number at some indices."""


@dataclass(frozen=True)
class Place:
    """Memory that holds the elements of an array in row-major order.

    Attributes
    ----------
    name : str
        The pointer.
    memory : frozenset of str
        The names of the memory that it may point to.
    own : bool
        Whether it may be written to: neither the caller's nor constant.
    block : str
        The variable that says how much room there is, of an array that grows; else "".
    """

    name: str
    memory: frozenset[str]
    own: bool = True
    block: str = ""


class Nowhere(Place):
    """The place of an array that is on no path: what reads or writes it never runs, but compilers see it."""


def nowhere(dtype: np.dtype[Any]) -> Nowhere:
    """No memory, for elements of a type."""
    return Nowhere(f"(({kept_type(dtype)} *)NULL)", frozenset())


@dataclass(frozen=True)
class Layout:
    """Where the elements of an array lie that is a part of another one: the first one, and the steps along the axes."""

    place: Place
    start: Expr
    steps: tuple[Expr, ...]

    def turned(self, axes: Sequence[int]) -> Layout:
        """With axes in another order, or fewer."""
        return replace(self, steps=tuple(self.steps[axis] for axis in axes))

    def moved(self, indices: Sequence[Expr], strides: Sequence[Expr]) -> Layout:
        """From other indices on, with so many elements of an axis to a step."""
        start = self.start
        for index, step in zip(indices, self.steps, strict=True):
            start = plus(start, times(index, step))
        steps = tuple(times(stride, step) for stride, step in zip(strides, self.steps, strict=True))
        return replace(self, start=start, steps=steps)


@dataclass(frozen=True)
class Array:
    """The elements of an array.

    Attributes
    ----------
    dtype : numpy.dtype
    shape : tuple of Expr
    at : callable
        The element at indices, one an axis.
    flat : callable, optional
        The element at a position in row-major order, where that is as easy.
    reads : frozenset of str
        The memory that the elements come from.
    moved : frozenset of str
        Of that, what is read at other indices than the element's.
    work : int
        How many operations make an element; 0 for what is only read.
    place : Place, optional
        Where the elements are, if they are in memory.
    shared : Layout, optional
        Where they lie as a part of what is in memory.
    """

    dtype: np.dtype[Any]
    shape: tuple[Expr, ...]
    at: Element
    flat: Callable[[Expr], Expr] | None = None
    reads: frozenset[str] = frozenset()
    moved: frozenset[str] = frozenset()
    work: int = 0
    place: Place | None = None
    shared: Layout | None = None

    @property
    def layout(self) -> Layout | None:
        """Where the elements lie in memory, if they do."""
        if self.place is None:
            return self.shared
        return Layout(self.place, ZERO, tuple(product(self.shape[axis + 1 :]) for axis in range(self.rank)))

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> Expr:
        """How many elements there are."""
        return product(self.shape)

    @property
    def bytes(self) -> int:
        """How much memory the elements take, of an array whose sizes are known."""
        return math.prod(int(size.text) for size in self.shape) * self.dtype.itemsize

    def view(
        self,
        shape: Sequence[Expr],
        indices: Callable[[Sequence[Expr]], Sequence[Expr]],
        layout: Callable[[Layout], Layout] | None = None,
    ) -> Array:
        """The elements at other indices; `layout` says where they lie where these do."""
        own = self.layout if layout is not None else None
        shared = layout(own) if own is not None and layout is not None else None
        sizes = tuple(shape)

        def at(place: Sequence[Expr]) -> Expr:
            return self.at(indices(place))

        return Array(self.dtype, sizes, at, None, self.reads, self.reads, self.work, shared=shared)

    def reshaped(self, shape: Sequence[Expr]) -> Array:
        """The same elements in the same order."""
        if self.flat is None:
            raise ValueError("elements that are not in row-major order")
        flat = self.flat
        return replace(self, shape=tuple(shape), at=lambda at: flat(position(at, shape)))


def position(indices: Sequence[Expr], shape: Sequence[Expr]) -> Expr:
    """Where an element is in row-major order."""
    total = ZERO
    for index, size in zip(indices, shape, strict=True):
        total = plus(times(total, size), index)
    return total


def in_memory(place: Place, dtype: np.dtype[Any], shape: Sequence[Expr]) -> Array:
    """An array whose elements are in memory."""
    names = place.memory | {place.name}

    def flat(at: Expr) -> Expr:
        return loaded(dtype, Expr(f"{place.name}[{at.text}]", 0, names | at.reads))

    sizes = tuple(shape)
    return Array(dtype, sizes, lambda at: flat(position(at, sizes)), flat, names, frozenset(), 0, place)


def computed(
    dtype: np.dtype[Any],
    shape: Sequence[Expr],
    operands: Sequence[Array | Expr],
    operation: Callable[..., Expr],
    work: int = 1,
) -> Array:
    """An array of which each element is computed from those of operands at the same place, which broadcast."""
    sizes = tuple(shape)
    arrays = [operand for operand in operands if isinstance(operand, Array)]

    def at(indices: Sequence[Expr]) -> Expr:
        return operation(*(element_of(operand, indices, sizes) for operand in operands))

    def flat(index: Expr) -> Expr:
        return operation(*(o if isinstance(o, Expr) else o.flat(index) for o in operands))  # type: ignore[misc]

    same = all(array.flat is not None and _texts(array.shape) == _texts(sizes) for array in arrays)
    return Array(
        dtype,
        sizes,
        at,
        flat if same else None,
        frozenset().union(*(o.reads for o in operands)),
        frozenset().union(
            *(a.moved if _texts(a.shape) == _texts(sizes) else a.reads for a in arrays),
        ),
        work + sum(array.work for array in arrays),
    )


def _texts(shape: Sequence[Expr]) -> list[str]:
    return [size.text for size in shape]


def element_of(operand: Array | Expr, indices: Sequence[Expr], shape: Sequence[Expr]) -> Expr:
    """The element of an operand that broadcasts."""
    if isinstance(operand, Expr):
        return operand
    behind = len(shape) - operand.rank
    own = [
        index if own.text == size.text else ZERO if own.text == "1" else _broadcast(index, own, size)
        for index, own, size in zip(indices[behind:], operand.shape, shape[behind:], strict=True)
    ]
    return operand.at(own)


def _broadcast(index: Expr, own: Expr, size: Expr) -> Expr:
    """The index in an axis that may have one element, where the result has more."""
    if own.text.isdigit():  # and is not 1, so that the result has as many
        return index
    return infix("*", infix("!=", own, ONE), index)  # which compilers know as a step of 0 or 1


def without_steps(lines: Sequence[str]) -> tuple[list[str], list[str]] | None:
    """The sizes that operands broadcast along if they are 1, and the lines for sizes that are not; None without any."""
    sizes = dict.fromkeys(found for line in lines for found in STEP.findall(line))
    return (list(sizes), [STEP.sub("", line) for line in lines]) if sizes else None


STEP = re.compile(r"\((\w+) != 1\) \* ")
"""How it is written that an index goes on, or not."""

__all__ = [
    "Array",
    "Element",
    "Layout",
    "Nowhere",
    "Place",
    "computed",
    "element_of",
    "in_memory",
    "nowhere",
    "position",
    "without_steps",
]
