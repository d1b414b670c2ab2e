"""The columns of a list of computed length, and where an element of one is (`stage/element_writes`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph_program.extract.stage.values import Ref, Tensor, Value


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
