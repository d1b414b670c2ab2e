"""What a verification tells: for each runtime whether it gives what Python gives, and where not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from graph_program.verification.first_difference import Place

FORMAT = 1
VERDICTS = {
    "equal": "equal",
    "differs": "differs",
    "refused": "does not take it",
    "fails": "does not run it",
    "ends": "ends the process",
    "late": "takes too long",
    "absent": "not there",
}
"""What may come of a file in a runtime, as the table says it."""


@dataclass(frozen=True)
class Difference:
    """An output, or a part of the result, that is another one.

    Attributes
    ----------
    name, text : str
        What differs, as `result[2]`, and how, as `is 1.0 instead of 2.0`.
    expected : str
        Why the file itself says that a runtime of fewer bits may get it wrong; empty where it does not.
    """

    name: str
    text: str
    expected: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.text}" + (f" ({self.expected})" if self.expected else "")


@dataclass(frozen=True)
class Finding:
    """What one runtime makes of a file.

    Attributes
    ----------
    runtime, version : str
    verdict : str
        A key of `VERDICTS`.
    reason : str
        In the runtime's words, where it does not run the file.
    differences : tuple of Difference
    first : Place or None
        The first operation that goes wrong there.
    """

    runtime: str
    version: str
    verdict: str
    reason: str = ""
    differences: tuple[Difference, ...] = ()
    first: Place | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """What is to be said of it, beside the verdict."""
        told = [*([self.reason] if self.reason else []), *map(str, self.differences)]
        return (*told, *([f"first at {self.first}"] if self.first is not None else []))


@dataclass(frozen=True)
class Report:
    """What all runtimes make of a file.

    Attributes
    ----------
    name : str
        Of the program, or of the file.
    against : str
        What they are compared with.
    findings : tuple of Finding
    asked : tuple of str
        The runtimes that were asked for by name.
    """

    name: str
    against: str
    findings: tuple[Finding, ...]
    asked: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether each runtime that takes the file gives what is expected, and each that was asked for does take it."""
        wrong = [finding for finding in self.findings if finding.verdict != "equal"]
        return all(f.verdict in ("absent", "refused") and f.runtime not in self.asked for f in wrong)

    def json(self) -> str:
        """The same for machines."""
        found = {"format": FORMAT, "name": self.name, "against": self.against, "ok": self.ok}
        return json.dumps(found | {"runtimes": [asdict(finding) for finding in self.findings]}, indent=2)

    def __str__(self) -> str:
        rows = [row for finding in self.findings for row in _rows(finding)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
        return "\n".join([f"{self.name}, compared with {self.against}", *lines])


def _rows(finding: Finding) -> Sequence[tuple[str, str, str]]:
    name = f"{finding.runtime} {finding.version}".strip()
    first, *others = finding.lines or ("",)
    return [(name, VERDICTS[finding.verdict], first), *(("", "", line) for line in others)]


__all__ = ["Difference", "Finding", "Report"]
