"""What is still being inferred: arrays whose type is open, and what is read of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph_program.extract.diagnostics import UNKNOWN as NOWHERE
from graph_program.extract.diagnostics import Loc
from graph_program.extract.records import dataclass
from graph_program.extract.stage.values.values import Value

if TYPE_CHECKING:
    from graph_program.extract.types.notation.terms import TypeTerm


@dataclass(eq=False)
class Open(Value):
    """An array (or number) whose type is still being inferred from its uses; see `stage/opened`.

    `lost` marks one that nothing can be said of, so that it fits wherever it goes; `holder` is the
    name of what it is an element of.
    """

    term: TypeTerm
    loc: Loc = NOWHERE
    name: str = ""
    lost: bool = False
    holder: str = ""


@dataclass(frozen=True, eq=False)
class OpenShape(Value):
    """`x.shape` of an array of open rank."""

    array: Open


@dataclass(frozen=True, eq=False)
class OpenDType(Value):
    """`x.dtype` of an array of open element type."""

    array: Open
