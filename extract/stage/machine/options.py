"""What an evaluation goes by: what the caller wants, what annotations promise, what has been decided."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.paths import Path
from graph_program.extract.purpose import FOR_A_CALL, Purpose
from graph_program.extract.records import dataclass
from graph_program.extract.stage.machine.decisions import NOTHING_YET, Decided
from graph_program.extract.types.dims import Dim, symbol
from graph_program.extract.types.notation.annotations import Annotation
from graph_program.extract.types.notation.declared_dims import NO_DIMS, DeclaredDims

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.host_contents import Contents
    from graph_program.extract.stage.machine.recovery import Recovery

MAX_UNROLL = 1024
"""A `for` loop whose variable is needed statically is unrolled up to this many rounds."""


@dataclass
class Options:
    """What the caller of the evaluator wants, and what has been decided since."""

    inline: tuple[str, ...] = ()
    home: str = ""
    """Top-level package of the program, whose code is the user's own."""
    purpose: Purpose = FOR_A_CALL
    """What differs between a call and a file."""
    rows: set[Path] = field(default_factory=set)
    """Lists of the caller and of the state that had any length at all in an evaluation."""
    contents: Contents | None = None
    """What is in containers of the program that are made on the host; None where that is not found out."""
    recovery: Recovery | None = None
    """Where refusals are noted, for the extraction to go on after them; None: the first one ends it."""
    keeps_writes: bool = False
    """Whether what was written stays written where an exception ends the program."""
    questions: tuple[Question, ...] = ()
    """Lines whose values are to be revealed."""
    declared: frozenset[str] = frozenset()
    """Names of dims that stand in the annotations."""
    dims: DeclaredDims = NO_DIMS
    """Sizes that every call keeps to."""
    decided: Decided = NOTHING_YET
    """What evaluations before this one have found to be needed."""


@dataclass(frozen=True)
class Question:
    """A line of a file whose assigned values are to be revealed; all of them, or one name's."""

    file: str
    line: int
    name: str = ""

    def meets(self, loc: Loc, name: str) -> bool:
        return (loc.file, loc.line) == (self.file, self.line) and self.name in ("", name)


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
