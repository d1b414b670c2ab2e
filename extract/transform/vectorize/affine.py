"""Integers that change by the same from round to round, and parts of axes that end where these say."""

from __future__ import annotations

from collections.abc import Callable

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


def _sum(a: Affine, b: Affine) -> Affine:
    return Affine(a.factor + b.factor, None if a.base is None or b.base is None else a.base + b.base)


def _difference(a: Affine, b: Affine) -> Affine:
    return Affine(a.factor - b.factor, None if a.base is None or b.base is None else a.base - b.base)


def _product(a: Affine, b: Affine) -> Affine | None:
    for x, y in ((a, b), (b, a)):
        if not y.factor and y.base is not None and y.base.constant is not None:
            c = int(y.base.constant)
            return Affine(x.factor * c, None if x.base is None else x.base * c)
    return None


def _negative(a: Affine) -> Affine:
    return Affine(-a.factor, None if a.base is None else -a.base)


AFFINE: dict[str, Callable[..., Affine | None]] = {
    "add": _sum,
    "subtract": _difference,
    "multiply": _product,
    "negative": _negative,
}
"""What is known of sums and products of such integers."""

__all__ = ["AFFINE", "Affine", "Bound", "Part"]
