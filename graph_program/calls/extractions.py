"""`program.extractions`: every extraction of a program, and which argument called for it, as a table.

1    0.210 s  first call
2    0.190 s  x is float64 [n], was float32 [n]
3    0.200 s  n is 3, was 2, which filter.py:12 needs
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from graph_program.calls.back_end import Choice
from graph_program.calls.program_options import AUTO, NATIVE
from graph_program.extract.diagnostics import CallError, Diagnostic, ExtractionWarning, Loc
from graph_program.extract.ir.interface import Interface
from graph_program.extract.ir.paths import Path, SizeStep, path_text
from graph_program.extract.ir.specs import ArgSpec, RowsSpec, StaticSpec, TensorSpec, spec_leaves

if TYPE_CHECKING:
    from graph_program.extract.extraction import Extraction

MOST = 8
"""How many extractions there may be for one reason before that is told."""
KEPT = 64
"""How many extractions a new one is compared with."""
FOR_A_MODEL = "for a model"
KEPT_BEFORE = "extracted by an earlier process"
VALUE, TYPE, STRUCTURE, CAPTURED = "value", "type", "structure", "captured"
WAYS_OUT = {
    VALUE: "each value is another graph: let the graph compute with it, or fix it with `Static[...]`",
    TYPE: "each type is another graph: convert it before the call, as in `x.astype(np.float32)`",
    STRUCTURE: "each structure is another graph: keep to one, as in a list whose elements are alike",
    CAPTURED: "each value is another graph: pass it as an argument, or write it to an array",
}


@dataclass(frozen=True)
class ExtractionRecord:
    """One extraction.

    Attributes
    ----------
    number : int
        Its place among the program's extractions, from 1.
    reason : str
        What was different from the extraction that is nearest to it.
    parameter : str
        What called for it, as a Python expression (`n`, `p.taps`, `self.gain`); empty for the first one.
    kind : str
        `"value"`, `"type"`, `"structure"` or `"captured"`; empty where nothing is different.
    seconds : float
        How long it took.
    backend : str
        What runs it now: `"onnxruntime"`, `"native"`, or `"auto"` for onnxruntime while calls have not taken long
        enough to look for the faster one.
    why : str
        Why it is that one; empty before the first call.
    """

    number: int
    reason: str
    parameter: str
    kind: str
    seconds: float
    _choice: Callable[[], Choice | None] = field(default=lambda: None, repr=False, compare=False)

    @property
    def backend(self) -> str:
        choice = self._choice()
        return AUTO if choice is None else choice.backend

    @property
    def why(self) -> str:
        choice = self._choice()
        return "" if choice is None else choice.why

    def __str__(self) -> str:
        native = "; native" if self.backend == NATIVE else ""
        return f"{self.number:3}  {self.seconds:7.3f} s  {self.reason}{native}"


class Extractions(Sequence[ExtractionRecord]):
    """All extractions of a program, in their order; `str` gives a table."""

    def __init__(self, found: Iterable[ExtractionRecord]):
        self._found = tuple(found)

    @overload
    def __getitem__(self, index: int) -> ExtractionRecord: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ExtractionRecord]: ...
    def __getitem__(self, index: int | slice) -> ExtractionRecord | Sequence[ExtractionRecord]:
        return self._found[index]

    def __len__(self) -> int:
        return len(self._found)

    def __str__(self) -> str:
        total = sum(record.seconds for record in self)
        return "\n".join([*map(str, self), f"{len(self)} in {total:.3f} s"])

    def __repr__(self) -> str:
        return f"<{len(self)} extraction{'' if len(self) == 1 else 's'}>"


class ExtractionLog:
    """Notes the extractions of a program, of a method those for all objects, and tells where there are too many.

    Parameters
    ----------
    name : str
    loc : Loc
        The program's.
    action : {"warn", "error", "ignore"}
    """

    def __init__(self, name: str, loc: Loc, action: str):
        self.name, self.loc, self.action = name, loc, action
        self.records: list[ExtractionRecord] = []
        self._known: deque[_Looks] = deque(maxlen=KEPT)

    def note(
        self,
        extraction: Extraction,
        seconds: float,
        purpose: str = "",
        choice: Callable[[], Choice | None] = lambda: None,
    ) -> None:
        """Note an extraction; `purpose` says what it is for where that is no call, `choice` gives its back end.

        Raises
        ------
        CallError
            GP406, with `action` "error", where there are more than enough for one reason.
        """
        looks = _Looks(extraction.interface)
        found = min((list(looks.differences(other)) for other in reversed(self._known)), key=len, default=[])
        kind, parameter, _ = found[0] if found and not purpose else ("", "", "")
        said = "; ".join(text for _, _, text in found[:3]) or "the objects that it reads are others"
        needs = _needed(extraction, parameter) if kind == VALUE else ""
        reason = purpose or (f"{said}{needs}" if self._known else "first call")
        self._known.append(looks)
        self.records.append(ExtractionRecord(len(self.records) + 1, reason, parameter, kind, seconds, choice))
        self._tell(kind, parameter, extraction)

    def note_kept(self, seconds: float, choice: Choice) -> None:
        """Note machine code of another process, for which nothing was extracted in this one."""
        number = len(self.records) + 1
        self.records.append(ExtractionRecord(number, KEPT_BEFORE, "", "", seconds, lambda: choice))

    def _tell(self, kind: str, parameter: str, extraction: Extraction) -> None:
        same = [record for record in self.records if (record.kind, record.parameter) == (kind, parameter)]
        if not kind or self.action == "ignore" or len(same) <= MOST:
            return
        place = next((f.needed.loc for f in extraction.fixed if path_text(f.path) == parameter), self.loc)
        text = f"`{self.name}` has been extracted {len(same)} times because '{parameter}' was another one"
        if self.action == "error":
            raise CallError(Diagnostic("GP406", text, place, hint=WAYS_OUT[kind]))
        if len(same) == MOST + 1:
            said = f"{place}: {text}: {WAYS_OUT[kind]}; `program.extractions` lists them"
            warnings.warn_explicit(said, ExtractionWarning, place.file, place.line)


Difference = tuple[str, str, str]
"""The kind, the place as an expression, and what there was and is."""


class _Looks:
    """What an extraction was made for, as texts: nothing of the caller's is kept."""

    def __init__(self, interface: Interface):
        self.leaves = {path: (isinstance(leaf, StaticSpec), _text(leaf)) for path, leaf in _leaves(interface)}
        names = (guard.text.partition("@")[0] for guard in interface.guards)  # what follows tells objects apart
        self.captured = {name: _short(guard.value) for name, guard in zip(names, interface.guards, strict=True)}

    def differences(self, other: _Looks) -> Iterator[Difference]:
        for path in dict.fromkeys([*self.leaves, *other.leaves]):
            now, then = self.leaves.get(path), other.leaves.get(path)
            if now is None or then is None:
                name = path_text(path[:-1] or path)
                yield STRUCTURE, name, f"{name} has another structure"
            elif now != then:
                name = path_text(path)
                yield (VALUE if now[0] or then[0] else TYPE), name, f"{name} is {now[1]}, was {then[1]}"
        for name in (name for name in self.captured if name in other.captured):
            if self.captured[name] != other.captured[name]:
                yield CAPTURED, name, f"{name} is {self.captured[name]}, was {other.captured[name]}"


def _leaves(interface: Interface) -> Iterator[tuple[Path, ArgSpec]]:
    """The parts of the arguments and of the state."""
    for name, spec in interface.parameters:
        yield from spec_leaves(spec, (name,))
    for path, spec in interface.state.attributes():
        yield from spec_leaves(spec, path)


def _text(spec: ArgSpec) -> str:
    match spec:
        case StaticSpec(value=value):
            return _short(value)
        case TensorSpec(type=type_):
            return str(type_)
        case RowsSpec():
            return "a list of any length"
    return type(spec).__name__.removesuffix("Spec").lower()


def _short(value: Any) -> str:
    text = getattr(value, "__qualname__", None) or repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _needed(extraction: Extraction, parameter: str) -> str:
    """Which line needs the value of a parameter."""
    for fixed in extraction.fixed:
        if path_text(fixed.path) == parameter and not isinstance(fixed.path[-1], SizeStep):
            return f", which {fixed.needed.loc.where.rpartition(':')[0]} needs"
    return ""


__all__ = ["FOR_A_MODEL", "ExtractionLog", "ExtractionRecord", "Extractions"]
