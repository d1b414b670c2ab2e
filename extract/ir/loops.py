"""What became of the loops of a program."""

from __future__ import annotations

import linecache
from collections.abc import Iterable
from dataclasses import dataclass

from graph_program.extract.diagnostics import UNKNOWN, Loc

LONGEST = 60
"""Characters of a statement that are shown."""


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
    moved : int
        How many of its operations are done for all rounds before it.
    """

    loc: Loc
    statement: Loc | None = None
    reason: str = ""
    moved: int = 0

    @property
    def place(self) -> str:
        """Where the loop is: `filter.py:12`."""
        return _line(self.loc)

    @property
    def text(self) -> str:
        """What became of it, in words."""
        if self.statement is None:
            return "array operations"
        place = self.statement.in_program
        stays = f"a loop{_moved(self.moved)}"
        if place == UNKNOWN or place.line == self.loc.in_program.line:
            return f"{stays}: {self.reason}"
        return f"{stays}: line {place.line}, `{_shown(place)}`: {self.reason}"


def told(reports: Iterable[LoopReport]) -> list[LoopReport]:
    """One report for each loop that has a place, in their order; of several, that of one that stays."""
    found: dict[str, LoopReport] = {}
    for report in reports:
        if report.loc.in_program != UNKNOWN and (report.place not in found or report.statement is not None):
            found[report.place] = report
    return sorted(found.values(), key=lambda report: (report.loc.in_program.file, report.loc.in_program.line))


def _moved(count: int) -> str:
    if not count:
        return ""
    return f", with {count} operation{'s' if count > 1 else ''} for all rounds before it"


def _line(loc: Loc) -> str:
    return loc.in_program.where.rpartition(":")[0]


def _shown(place: Loc) -> str:
    """The text at a place; of a long one the beginning."""
    line = linecache.getline(place.file, place.line)
    end = place.end_column - 1 if place.end_line == place.line else None
    text = line[place.column - 1 : end].strip()
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
