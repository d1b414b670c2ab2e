"""Places in the source, structured errors, and how they are shown.

A `Loc` is a span of the user's text with the chain of calls through which the extractor inlined it.
A `Diagnostic` is one refusal: a catalogued code, a message, the span, related places, notes and a
hint.  `GraphProgramError` carries one; `error()` makes the class that is also the Python exception
that fits.
"""

from __future__ import annotations

import linecache
from dataclasses import field, replace
from functools import cache
from pathlib import PurePath

from graph_program.extract.own_modules import is_language_file
from graph_program.extract.records import dataclass


@dataclass(frozen=True)
class Loc:
    """A half-open span of source text; lines and columns count from 1."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    function: str = "<module>"
    call: Loc | None = field(default=None, compare=False)
    """The call site through which this code was inlined, innermost first; each call has an object of its own."""

    def within(self, call: Loc | None) -> Loc:
        """This place, reached through `call`."""
        return self if call is None else replace(self, call=call)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def where(self) -> str:
        """`model.py:12:5`, for files that are given away: the folder is nobody's business."""
        return "" if self == UNKNOWN else f"{_file_name(self.file)}:{self.line}:{self.column}"

    @property
    def chain(self) -> list[Loc]:
        """This place and the call sites it was inlined through, innermost first."""
        places: list[Loc] = []
        place: Loc | None = self
        while place is not None:
            places.append(place)
            place = place.call
        return places

    @property
    def is_library(self) -> bool:
        """Whether it is in code that stands for a function of a library, such as `bisect.insort`, or is one of ours."""
        return is_language_file(self.file)

    @property
    def in_program(self) -> Loc:
        """This place, or the call in the user's code that leads there."""
        return next((place for place in self.chain if not place.is_library), self)


@cache
def _file_name(file: str) -> str:
    return PurePath(file).name


UNKNOWN = Loc("<unknown>", 0, 1, 0, 1)


@dataclass(frozen=True)
class Label:
    """A second place that matters to a diagnostic, with what to say about it."""

    loc: Loc
    text: str


@dataclass(frozen=True)
class Diagnostic:
    """One refusal or warning, with all that a person needs to act on it."""

    code: str
    message: str
    loc: Loc
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    hint: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "loc", self.loc.in_program)

    def __str__(self) -> str:
        return self.message

    def render(self, severity: str = "error") -> str:
        """The text shown to a person: message, framed source, related places, notes, hint."""
        place = f"{self.loc}: " if self.loc.line else ""
        lines = [f"{place}{severity}[{self.code}]: {self.message}"]
        lines += frame(self.loc)
        for label in self.labels:
            lines.append(f"  {label.loc}: {label.text}")
            lines += frame(label.loc)
        for call in self.loc.chain[1:]:
            lines.append(f"  inlined from {call} in {call.function}")
            lines += frame(call)
        lines += [f"  note: {note}" for note in self.notes]
        if self.hint:
            lines.append(f"  help: {self.hint}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Fact:
    """What is known of a value: `float32 [n, 4] (graph)`, `int (graph, value n-1, at least -1)`."""

    name: str
    type: str
    stage: str
    """"static" if it is known at extraction, else "graph"."""
    value: str = ""
    bounds: str = ""

    def __str__(self) -> str:
        known = (self.stage, self.value and f"value {self.value}", self.bounds)
        return f"{self.type} ({', '.join(filter(None, known))})"


@dataclass(frozen=True)
class Note:
    """Something to know about a program that is not wrong."""

    loc: Loc
    text: str
    fact: Fact | None = None
    """Of the value that was asked about."""

    def __str__(self) -> str:
        return f"{self.loc}: note: {self.text}"

    def same(self, other: Note) -> bool:
        """Whether it says the same of the same place, reached through the same calls."""
        return self == other and list(map(str, self.loc.chain)) == list(map(str, other.loc.chain))


def source_text(loc: Loc) -> str:
    """The source from the start to the end of a place; nothing where the text is gone."""
    lines = [linecache.getline(loc.file, line) for line in range(loc.line, loc.end_line + 1)]
    if not all(lines):
        return ""
    lines[-1] = lines[-1][: loc.end_column - 1]
    return "".join(lines)[loc.column - 1 :]


def frame(loc: Loc) -> list[str]:
    """The source line of `loc` with the span underlined; nothing where the text is gone."""
    text = linecache.getline(loc.file, loc.line).rstrip("\n")
    if not text:
        return []
    number = str(loc.line)
    if (loc.line, loc.column) == (loc.end_line, loc.end_column):  # only the line is known
        start, end = len(text) - len(text.lstrip()) + 1, len(text) + 1
    else:
        start, end = loc.column, loc.end_column if loc.end_line == loc.line else len(text) + 1
    width = max(1, min(end, len(text) + 1) - start)
    return [
        f"  {number} | {text}",
        f"  {' ' * len(number)} | {' ' * (start - 1)}{'^' * width}",
    ]


class GraphProgramError(Exception):
    """A program that was refused, or a call that cannot be made.

    Attributes
    ----------
    diagnostic : Diagnostic
        The structured form: code, place, labels, notes, hint.
    """

    def __init__(self, diagnostic: Diagnostic):
        super().__init__(diagnostic.render())
        self.diagnostic = diagnostic

    def __init_subclass__(cls) -> None:
        cls.__module__ = "graph_program"  # where users import it from

    def __reduce__(self) -> tuple[type[GraphProgramError], tuple[Diagnostic]]:
        return (type(self), (self.diagnostic,))

    @property
    def code(self) -> str:
        return self.diagnostic.code

    @property
    def loc(self) -> Loc:
        return self.diagnostic.loc

    def with_note(self, note: str) -> GraphProgramError:
        """The same refusal with one more note."""
        return type(self)(replace(self.diagnostic, notes=(*self.diagnostic.notes, note)))


class UnsupportedError(GraphProgramError, NotImplementedError):
    """A construct that the language refuses."""


class LimitError(UnsupportedError):
    """What a run has come to that Python can do and a program cannot; no `except` of the program catches it."""


class IntegerLimitError(LimitError, OverflowError):
    """An int of more than 64 bits, where Python has one."""


class ShapeError(GraphProgramError, ValueError):
    """Shapes that do not fit together."""


class DTypeError(GraphProgramError, TypeError):
    """Element types or classes of values that do not fit together."""


class ProgramNameError(GraphProgramError, NameError):
    """A name that is not defined where it is used."""


class ProgramAttributeError(GraphProgramError, AttributeError):
    """An attribute that the value does not have."""


class ProgramIndexError(GraphProgramError, IndexError):
    """A static index outside its sequence."""


class ProgramValueError(GraphProgramError, ValueError):
    """A value that an operation cannot take."""


class ProgramAxisError(GraphProgramError, ValueError, IndexError):
    """An axis that an array does not have; both classes, as `np.exceptions.AxisError` is."""


class SourceError(GraphProgramError, OSError):
    """Source text that cannot be found or parsed."""


class ExportError(GraphProgramError, OSError):
    """A model that cannot be written."""


class ModelError(GraphProgramError, OSError, ValueError):
    """A trained model that cannot be read, or is none that a program can call."""


class CallError(GraphProgramError, TypeError):
    """Arguments that do not fit the program's signature."""

    arguments: tuple[str, ...] = ()
    """Those that it is about, as expressions (`p.w`)."""


CLASSES: dict[str, type[GraphProgramError]] = {
    **dict.fromkeys(("GP302", "GP313", "GP315", "GP320", "GP322", "GP342", "GP350", "GP357", "GP404"), DTypeError),
    **dict.fromkeys(("GP455", "GP520", "GP566", "GP580", "GP581"), DTypeError),
    **dict.fromkeys(("GP304", "GP308", "GP314", "GP317", "GP352", "GP588"), ProgramValueError),
    **dict.fromkeys(("GP305", "GP306", "GP348"), ProgramNameError),
    **dict.fromkeys(("GP307", "GP324"), ProgramAttributeError),
}
"""The class of a refusal by its code; that of others is `UnsupportedError`, or said where they are made."""


class ExtractionWarning(UserWarning):
    """A program is extracted again and again, as an argument is another one each time."""


class ImplicitCopyWarning(UserWarning):
    """A value crosses between host and graph, and the program did not ask for it."""


class LostWritesWarning(UserWarning):
    """A call has raised, and what it had written by then is not in its arguments, as no graph says what that was."""


class ShapeWarning(UserWarning):
    """An operation or a name that fails whenever a run gets to it, in a program that is not refused for it."""


for _shown in (GraphProgramError, ExtractionWarning, ImplicitCopyWarning, LostWritesWarning, ShapeWarning):
    _shown.__module__ = "graph_program"  # where users import it from
