"""What became of the loops of a program."""

from __future__ import annotations

import linecache
from collections.abc import Iterable

from graph_program.extract.diagnostics import UNKNOWN, Loc
from graph_program.extract.records import dataclass

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
    hint : str
        What to write instead; empty where there is nothing to do.
    moved : int
        How many of its operations are done for all rounds before it.
    condition : str
        Where that is so, in words; empty where it is so in any case.
    otherwise : LoopReport, optional
        What became of it in the version for all others.
    """

    loc: Loc
    statement: Loc | None = None
    reason: str = ""
    hint: str = ""
    moved: int = 0
    condition: str = ""
    otherwise: LoopReport | None = None

    @property
    def place(self) -> str:
        """Where the loop is: `filter.py:12`."""
        return _line(self.loc)

    @property
    def text(self) -> str:
        """What became of it, in words."""
        if self.otherwise is None:
            return self._text
        return f"{self._text}; unless {self.condition}, {self.otherwise.text}"

    @property
    def _text(self) -> str:
        if self.statement is None:
            return "array operations"
        place, why = self.statement.in_program, self.reason
        if self.hint:
            why = f"{why}; hint: {self.hint}"
        stays = f"a loop{_moved(self.moved)}"
        if place == UNKNOWN or place.line == self.loc.in_program.line:
            return f"{stays}: {why}"
        return f"{stays}: line {place.line}, `{_shown(place)}`: {why}"


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
