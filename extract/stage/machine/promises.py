"""What the annotations of the program being evaluated promise."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from graph_program.extract.diagnostics import Loc
from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim, symbol
from graph_program.extract.types.notation.annotations import (
    Annotation,
)

MARK = " of the annotations"
"""Ends the symbols of names that no parameter has; longer than any name of a dim."""


@dataclass
class Promises:
    """The annotations of the program being evaluated.

    Attributes
    ----------
    result : Annotation or None
    place : Loc or None
        Where the result's annotation stands.
    ranks : dict of str to int
        The number of axes of each named part of unknown length.
    dtypes : dict of str to dtype
        What the element type variables of parameters stand for.
    names : frozenset of str
        Names of dims that are symbols of the arguments' types.

    What the names that no parameter has stand for depends on the path, and is in `State.bound`.
    """

    result: Annotation | None
    place: Loc | None
    ranks: dict[str, int] = field(default_factory=dict)
    dtypes: dict[str, np.dtype[Any]] = field(default_factory=dict)
    names: frozenset[str] = frozenset()

    def dim(self, d: Dim) -> Dim:
        """A dim of an annotation, with marked symbols for the names that no parameter has."""
        unknown = d.symbols - self.names
        return d.substitute({name: symbol(name + MARK) for name in unknown}) if unknown else d
