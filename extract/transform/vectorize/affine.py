"""Integers that change by the same from round to round, and parts of axes that end where these say."""

from __future__ import annotations

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.graph import Value
from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim


@dataclass(frozen=True)
class Affine:
    """`factor * round + base`, by the number of the round in the loop; the base is not always known."""

    factor: int
    base: Dim | None


@dataclass(frozen=True)
class Bound:
    """Where a part begins, at the end of the axis it stops, or where it stops, if it begins at the beginning."""

    begins: bool
    affine: Affine


@dataclass(frozen=True)
class Part:
    """What stands for a part of an array in all rounds.

    Attributes
    ----------
    made : Value
        Of the whole axis; with all rounds in front, where it varies.
    varying : bool
    axis : int
        Of the array of one round.
    bound : Bound
    at : Value
        The bound in the body.
    loc : Loc
        Where the part was cut out.
    """

    made: Value
    varying: bool
    axis: int
    bound: Bound
    at: Value
    loc: Loc

    @property
    def shape(self) -> tuple[Dim, ...]:
        """That of the array of one round, with the whole axis."""
        return self.made.type.shape[self.varying :]


__all__ = ["Affine", "Bound", "Part"]
