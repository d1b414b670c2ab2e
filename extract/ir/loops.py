"""What became of the loops of a program."""

from __future__ import annotations

from dataclasses import dataclass

from graph_program.extract.diagnostics import Loc


@dataclass(frozen=True)
class LoopReport:
    """Whether a loop has become array operations.

    Attributes
    ----------
    loc : Loc
        The loop.
    statement : Loc, optional
        What keeps it a loop; None if nothing does.
    reason : str
        Why it does.
    """

    loc: Loc
    statement: Loc | None = None
    reason: str = ""
