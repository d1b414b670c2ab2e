"""Lists of computed length: their columns, and where an element of one is (`stage/lists/element_writes`)."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.paths import Path
from graph_program.extract.records import dataclass
from graph_program.extract.types.tensors.tensor_type import TensorType

if TYPE_CHECKING:
    from graph_program.extract.stage.values.layouts import Layout
    from graph_program.extract.stage.values.values import Ref, Tensor, Value

NO_MEMORY = TensorType(np.dtype(np.float64))
"""The type of what stands for all the arrays in a list, where it is asked what shares memory."""
SEQUENCES = (list, tuple)
"""The classes of an object that has elements by position; a tuple is one where its length is computed."""


@dataclass(frozen=True, eq=False)
class Order:
    """Which element is where in a list of computed length; `join` is the loop head or join that it was lost at."""

    join: int = -1


@dataclass(frozen=True, eq=False)
class Element:
    """An element read from a position of the list `holder`, in some rounds of the loops around."""

    holder: Ref
    position: Value
    root: Value
    order: Order
    rounds: tuple[int, ...]


@dataclass(frozen=True)
class Column:
    """One number or array of each element of a list, stacked: `data` is `[n, *shape]`.

    With `shapes` (`[n, rank]`) they have different shapes, and `data` is their elements one after another.
    """

    data: Tensor
    shapes: Tensor | None = None


@dataclass(frozen=True, eq=False)
class Certain:
    """Classes of numbers that are there for certain, of a list as long as it has these very columns."""

    columns: tuple[Column, ...]
    types: tuple[TensorType, ...]


@dataclass(frozen=True, eq=False)
class Growing:
    """Contents of a list whose length is computed: a struct of columns.

    Attributes
    ----------
    layout : Layout
        How elements are made of what the columns have for them (see `stage/lists/common_layouts`).
    columns : tuple of Column
        At least one.
    arrays, objects : Tensor and Ref, or None
        Stand for all the arrays and objects in the elements where it is asked what shares memory.
    loops : frozenset of Loc and Path, or None
        Loops that, unrolled, and lists of the caller that, taken apart, make the length known; None where nothing does.
    """

    layout: Layout
    columns: tuple[Column, ...]
    arrays: Tensor | None = None
    objects: Ref | None = None
    loops: frozenset[Loc | Path] | None = None
    apart: bool = False
    """Whether all arrays and objects in the elements are different ones."""
    order: Order = field(default_factory=Order)
    """The same as long as each element stays in its place."""
    certain: Certain | None = None

    @property
    def rows(self) -> Tensor:
        """A tensor with a row for each element."""
        first = self.columns[0]
        return first.data if first.shapes is None else first.shapes

    @property
    def present(self) -> tuple[TensorType, ...]:
        """Classes of numbers that some elements are known to have, also where no other element is there."""
        return self.certain.types if self.certain is not None and self.certain.columns is self.columns else ()

    @property
    def is_open(self) -> bool:
        """Whether the type of the elements is still being inferred."""
        return self.layout.is_open


DIFFERENT_TYPES = "the elements of this list, whose length is computed, have different types"
