"""One program as machine code: called with the arguments of a test and others, compared with Python."""

from __future__ import annotations

import contextlib
import copy
import io
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from graph_program import GraphProgramError, graph_program
from tests.exported.few_lines import TooLong, few_lines
from tests.exported.others import others
from tests.programs.plain import differs, outcome

HOST, NO_FORM, COMPILER = "GP516", "GP601", "GP603"
"""The program has host code; an operation has no form in C; the compiler does not take the file."""


@dataclass
class Report:
    """What came of one program.

    Attributes
    ----------
    verdict : str
        `equal`, `different`, `not compared`, or the code of the refusal.
    compared : int
        Calls.
    differences : list of str
        Where a call is not as in Python, or the program is refused.
    deviations : list of str
        Where it is not, but as in onnxruntime.
    """

    verdict: str
    compared: int = 0
    differences: list[str] = field(default_factory=list)
    deviations: list[str] = field(default_factory=list)


def tried(function: Callable[..., Any], program: Any, inputs: Sequence[tuple[Any, ...]], varied: bool) -> Report:
    """Compare a program as machine code with Python.

    Parameters
    ----------
    function : callable
    program : GraphProgramFunction
        The same in onnxruntime.
    inputs : sequence of tuple
        Arguments of calls.
    varied : bool
        Whether calls are also made with variations of these.
    """
    native = graph_program(function, backend="native")
    calls = [("as given", args) for args in inputs]
    if varied:
        calls += [variation for args in inputs[:2] for variation in others(args)]
    report = Report("equal")
    for name, args in calls:
        if not _compare(function, program, native, name, args, report):
            break
    if not report.compared and report.verdict == "equal":
        report.verdict = "not compared"
    return report


def _compare(function: Any, program: Any, native: Any, name: str, args: tuple[Any, ...], report: Report) -> bool:
    """Make one call in Python and as machine code; whether others make sense."""
    try:
        with few_lines():
            expected = _shown(function, args)
    except TooLong:
        return True
    if _ended_by_python(expected[0]):  # a loop in the graph, which may have no end there
        return True
    found = _shown(native, args)
    code = _code(found[0])
    if code in (HOST, NO_FORM, COMPILER):
        report.verdict = code
        report.differences += [found[0][1]] if code != HOST else []
        return False
    report.compared += 1
    if differs(expected, found) and not _same_refusal(expected[0], found[0]):
        text = f"{name} {args!r}: {expected!r} in Python, {found!r} as machine code"
        here = _shown(program, args)
        if differs(here, found):
            report.verdict = "different"
            report.differences.append(f"{text}, {here!r} in onnxruntime")
        else:
            report.deviations.append(text)
    return True


def _ended_by_python(expected: tuple[Any, ...]) -> bool:
    return isinstance(expected[0], type) and issubclass(expected[0], RecursionError | MemoryError)


def _shown(function: Any, args: tuple[Any, ...]) -> tuple[tuple[Any, ...], str]:
    """The outcome of a call, and what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings(action="ignore"):
        return outcome(function, copy.deepcopy(args)), printed.getvalue()


def _code(found: tuple[Any, ...]) -> str:
    """The code of our error that a call has raised."""
    is_ours = isinstance(found[0], type) and issubclass(found[0], GraphProgramError)
    return next((code for code in (HOST, NO_FORM, COMPILER) if f"error[{code}]" in found[1]), "") if is_ours else ""


def _same_refusal(expected: tuple[Any, ...], found: tuple[Any, ...]) -> bool:
    """Whether a program is refused for arguments with which Python raises."""
    if not (isinstance(found[0], type) and issubclass(found[0], GraphProgramError)):
        return False
    return isinstance(expected[0], type) and issubclass(found[0], expected[0]) and str(expected[1]) in found[1]


class Tally:
    """The figures of many reports."""

    def __init__(self) -> None:
        self.verdicts: Counter[str] = Counter()
        self.compared = self.deviating = 0

    def add(self, report: Report) -> None:
        self.verdicts[report.verdict] += 1
        self.compared += report.compared
        self.deviating += len(report.deviations)

    def __str__(self) -> str:
        rows = {
            "programs compiled": self.verdicts["equal"] + self.verdicts["different"],
            "  equal in every call": self.verdicts["equal"],
            "  different in some call": self.verdicts["different"],
            "calls compared": self.compared,
            "  not as in Python, but as in onnxruntime": self.deviating,
            "programs with host code": self.verdicts[HOST],
            "programs without a form in C": self.verdicts[NO_FORM],
            "programs the compiler does not take": self.verdicts[COMPILER],
            "programs without a call to compare": self.verdicts["not compared"],
        }
        return "\n".join(f"{name:42}{number:6}" for name, number in rows.items())


__all__ = ["COMPILER", "NO_FORM", "Report", "Tally", "tried"]
