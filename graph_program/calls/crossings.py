"""`program.copies`: what crosses between graph and host, as a table."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, overload

from graph_program.extract.diagnostics import ImplicitCopyWarning, Loc

if TYPE_CHECKING:
    from graph_program.extract.slice import copies
    from graph_program.extract.slice.moved import Moved

COLUMNS = ("place", "to", "type", "bytes", "loops", "times", "asked", "made", "for")


@dataclass(frozen=True)
class Copy:
    """A place where a value crosses between graph and host.

    Attributes
    ----------
    file : str
    line : int
        Where the value is used.
    to : str
        "host" or "graph".
    type : str
        Element type and sizes, such as `float64 [n]`.
    bytes : str
        How many bytes cross each time, such as `8*n`.
    depth : int
        How many loops are around.
    times : int
        How often its host step has begun, in all calls of the program so far, from all threads.
    asked : bool
        Whether the copy is written, as `to_host` or `to_device`.
    made : int
        The line where the value comes from; 0 where there is none.
    text : str
        The host code that reads the value, or that made it.
    """

    file: str
    line: int
    to: str
    type: str
    bytes: str
    depth: int
    times: int
    asked: bool
    made: int
    text: str

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        made = f"line {self.made}" if self.made else ""
        place = f"{PurePath(self.file).name}:{self.line}"
        asked = "yes" if self.asked else "no"
        return place, self.to, self.type, self.bytes, str(self.depth), str(self.times), asked, made, self.text

    def __str__(self) -> str:
        loops = f", in {self.depth} loop{'s' if self.depth > 1 else ''}" if self.depth else ""
        asked = ", as written" if self.asked else ""
        return f"{self.file}:{self.line}: {self.type} to the {self.to} ({self.bytes} bytes{loops}{asked}): {self.text}"


class Copies(Sequence[Copy]):
    """All copies of a program, in program order; `str` gives a table."""

    def __init__(self, found: Iterable[Copy]):
        self._found = tuple(found)

    @overload
    def __getitem__(self, index: int) -> Copy: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Copy]: ...
    def __getitem__(self, index: int | slice) -> Copy | Sequence[Copy]:
        return self._found[index]

    def __len__(self) -> int:
        return len(self._found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._found == tuple(other)

    def __hash__(self) -> int:
        return hash(self._found)

    def __repr__(self) -> str:
        if not self:
            return "no copies"
        rows = [COLUMNS, *(copy.cells for copy in self)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def listed(found: Iterable[copies.Copy], times: Mapping[object, int]) -> Copies:
    """The copies that an extraction has found, with how often they were made, by place."""
    return Copies(
        Copy(
            copy.loc.file,
            copy.loc.line,
            copy.to,
            str(copy.type),
            str(copy.bytes),
            copy.depth,
            times[copy.place],
            copy.explicit,
            copy.made.line,
            copy.text,
        )
        for copy in found
    )


# ---------------------------------------------------------------- warnings


def warn_of_copies(found: Iterable[copies.Copy | Moved], told: set[tuple[str, Loc]]) -> None:
    """Warn at the line of each copy that the program did not ask for, and where arithmetic has moved to the host.

    Parameters
    ----------
    told : set of (str, Loc)
        Where this program has warned before: it does so again only where the filters say "always".
    """
    from graph_program.backends.host.errors import module_of

    for copy in found:
        place = copy.to, copy.loc
        module = module_of(copy.loc.file)
        if copy.explicit or (place in told and _action(copy.message, module.__name__, copy.loc.line) != "always"):
            continue
        registry = vars(module).setdefault("__warningregistry__", {})
        # A filter may make an exception of it, and that of every call.
        warnings.warn_explicit(
            copy.message, ImplicitCopyWarning, copy.loc.file, copy.loc.line, module.__name__, registry
        )
        told.add(place)


def _action(text: str, module: str, line: int) -> str:
    """What the filters say of a warning."""
    for action, message, category, name, at in warnings.filters:
        fits = (message is None or _matches(message, text)) and (name is None or _matches(name, module))
        if fits and issubclass(ImplicitCopyWarning, category) and at in (0, line):
            return action
    return "default"


def _matches(pattern: str | re.Pattern[str], text: str) -> bool:
    return re.match(pattern, text) is not None


__all__ = ["Copies", "Copy", "listed", "warn_of_copies"]
