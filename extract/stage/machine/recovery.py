"""What an extraction that goes on after refusals has found."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from graph_program.extract.diagnostics import GraphProgramError, Loc, Note
from graph_program.extract.records import dataclass

Key = tuple[Any, ...]


@dataclass
class Recovery:
    """What an extraction that goes on after refusals has found."""

    findings: list[GraphProgramError] = field(default_factory=list)
    certain: list[GraphProgramError] = field(default_factory=list)
    """Those of `findings` that every run meets, unless it has raised before."""
    plain: list[GraphProgramError] = field(default_factory=list)
    """Those of `certain` that are about numbers and arrays of known types."""
    notes: tuple[Note, ...] = ()
    """Of the evaluation that got to the end of the program."""
    tainted: bool = False
    """Whether a part of the expression being evaluated is unknown."""
    loose: bool = False
    """Whether a part of it is no array and no number of known type."""
    _known: set[Key] = field(default_factory=set)
    _final: dict[Key, GraphProgramError] = field(default_factory=dict)
    """Refusals that no loop can avert, in the words of the last attempt."""
    _raised: list[GraphProgramError] = field(default_factory=list)
    """Refusals on their way up to a loop."""

    def report(self, error: GraphProgramError, certain: bool = False) -> None:
        """Note a refusal, once per place and message."""
        d = error.diagnostic
        key = (d.code, d.message, place(d.loc))
        if key not in self._known:
            self._known.add(key)
            self.findings.append(error)
            self.certain += [error] * certain
            self.plain += [error] * (certain and not self.loose)

    def restart(self) -> None:
        """Forget what was found: the evaluation starts again and finds it again, if it is true."""
        self.findings.clear()
        self.certain.clear()
        self.plain.clear()
        self._known.clear()

    def first(self, error: GraphProgramError) -> GraphProgramError:
        """The refusal that was final first; this one where none was."""
        return next(iter(self._final.values()), error)

    def give_up(self, error: GraphProgramError) -> bool:
        """Take a refusal as final; whether that is news."""
        news = _key(error) not in self._final
        self._final.setdefault(_key(error), error)
        return news

    def final(self, error: GraphProgramError) -> GraphProgramError | None:
        """The refusal at this place that no loop can avert, if it was found to be so."""
        return self._final.get(_key(error))

    def goes_up(self, error: GraphProgramError) -> None:
        """Remember a refusal that a loop may avert."""
        if not any(error is e for e in self._raised):
            self._raised.append(error)

    def went_up(self, error: GraphProgramError) -> bool:
        """Whether a loop has failed to avert it."""
        return any(error is e for e in self._raised)


def place(loc: Loc) -> Key:
    """A place in the source, whatever calls led there."""
    return (loc.file, loc.line, loc.column, loc.end_line, loc.end_column)


def _key(error: GraphProgramError) -> Key:
    return (error.code, *map(place, error.loc.chain))
