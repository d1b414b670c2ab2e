"""`graph-program check`: every finding of every program of some files, without running any."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from graph_program.calls.calls import Calls
from graph_program.command_line.errors import CommandError
from graph_program.command_line.reports import REVEAL, Finding, Report, shown_place
from graph_program.command_line.user_files import Program, find, load_module, programs_of
from graph_program.extract.diagnostics import Diagnostic, GraphProgramError, ImplicitCopyWarning, Note
from graph_program.extract.stage.machine.options import Question
from graph_program.extract.stage.machine.recovery import Recovery
from graph_program.program import BoundProgram, GraphProgramFunction

if TYPE_CHECKING:
    from graph_program.extract.stage.program.infer import Inferred

OPEN = "GP502"
"""The refusal of an export whose types are not known; no fault of the program."""

COPY = "GP523"
"""The code of what crosses between graph and host without being asked for."""

EXPORT = "GP5"
"""How the codes start of what only an export minds."""


@dataclass
class Check:
    """A check of some files.

    Parameters
    ----------
    questions : sequence of (line, name)
        Lines whose assigned values are to be revealed; an empty name stands for all.
    """

    questions: Sequence[tuple[int, str]] = ()
    findings: dict[Any, Finding] = field(default_factory=dict)
    signatures: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    programs: int = 0

    def run(self, files: Iterable[str]) -> Report:
        """Check the programs of all files."""
        for file in files:
            try:
                with contextlib.redirect_stdout(sys.stderr):  # what a file prints is no part of the report
                    module = load_module(file)
            except CommandError as error:
                self.problems.append(str(error))
                continue
            self._module(module, file)
        order = sorted(self.findings.values(), key=_position)
        return Report(tuple(order), tuple(self.problems))

    def summary(self, report: Report) -> str:
        """The last line, for a person."""
        programs = "1 program" if self.programs == 1 else f"{self.programs} programs"
        errors = {0: "no errors", 1: "1 error"}.get(report.errors, f"{report.errors} errors")
        warnings = {0: "", 1: ", 1 warning"}.get(report.warnings, f", {report.warnings} warnings")
        return f"{programs} checked: {errors}{warnings}"

    def unanswered(self) -> list[str]:
        """The lines asked about on which nothing was found."""
        found = {(f.diagnostic.loc.line, f.fact.name) for f in self.findings.values() if f.fact is not None}
        lines = {line for line, _ in found}
        missing = [q for q in self.questions if not (q in found or (not q[1] and q[0] in lines))]
        return [f"nothing{f' called {name}' if name else ''} is assigned on line {line}" for line, name in missing]

    def _module(self, module: ModuleType, file: str) -> None:
        questions = tuple(Question(str(Path(file).resolve()), line, name) for line, name in self.questions)
        for name, program in programs_of(module).items():
            self.programs += 1
            for shown, checked in _forms(module, name, program):
                self._program(shown, checked, questions)

    def _program(self, name: str, program: Program, questions: tuple[Question, ...]) -> None:
        calls = program._ready()
        recovery = Recovery()
        try:
            notes = self._inferred(name, calls, recovery, questions)
            if notes is None:
                notes = self._extracted(name, program, calls, recovery, questions)
        except GraphProgramError as error:
            recovery.report(error)
            notes = recovery.notes
        for note in notes:
            if note.fact is not None:
                self._add(Finding("note", Diagnostic(REVEAL, note.text, note.loc), name, note.fact))
        for fault in recovery.findings:
            self._add(Finding("error", _placed(fault.diagnostic, calls), name))

    def _inferred(
        self, name: str, calls: Calls, recovery: Recovery, questions: tuple[Question, ...]
    ) -> Sequence[Note] | None:
        """What is noted on a program whose types are open, or at odds; None if it can be extracted."""
        if calls.annotated() is not None:
            return None
        inferred = calls.inferred(questions)
        for fault in (*inferred.findings, *inferred.refusals):
            recovery.report(fault)
        if not recovery.findings:
            if inferred.specs is not None or calls.last is not None:  # the file itself has called it
                return None
            self._open(name, calls, inferred)
            self._sign(name, calls, inferred.signature)
        return inferred.notes

    def _extracted(
        self, name: str, program: Program, calls: Calls, recovery: Recovery, questions: tuple[Question, ...]
    ) -> Sequence[Note]:
        """What is noted on a program of known types; where anything is wrong, all that is."""
        faults: Sequence[GraphProgramError]
        try:
            extraction = calls.examine(None, questions)
            faults = extraction.findings
            for diagnostic in extraction.unsaid:
                self._add(Finding("warning", diagnostic, name))
            for copy in extraction.crossings if program._options.copies == "warn" else ():
                if not copy.explicit:
                    self._add(Finding("warning", Diagnostic(COPY, copy.message, copy.loc), name))
            if not faults:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ImplicitCopyWarning)  # they are in the report
                    _emit(program)
                    self._sign(name, calls, program.signature)
                return extraction.notes
        except GraphProgramError as error:
            faults = (error,)
        for fault in faults:
            recovery.report(fault)
        with contextlib.suppress(GraphProgramError):  # the recovery has it
            calls.examine(recovery, questions)
        if not recovery.findings:  # only what is left of the program is refused: a copy
            for fault in faults:
                recovery.report(fault)
        return recovery.notes

    def _sign(self, name: str, calls: Calls, signature: str) -> None:
        self.signatures.append(f"{shown_place(calls.loc)}: {name}: {signature.partition(': ')[2]}")

    def _open(self, name: str, calls: Calls, inferred: Inferred) -> None:
        """Say that a program's types are not known, which is no fault of its own."""
        listed = ", ".join(map(repr, inferred.open))
        text = f"the types of {listed} are open, so that not all of it can be checked: {inferred.signature}"
        self._add(Finding("note", Diagnostic(OPEN, text, calls.loc), name))

    def _add(self, finding: Finding) -> None:
        self.findings.setdefault(finding.key, finding)


def _emit(program: Program) -> None:
    """Make the program's model, to see that its operations have the element types that they need."""
    try:
        program.model(freeze=False)
    except GraphProgramError as error:
        if not error.code.startswith(EXPORT):
            raise


def _placed(diagnostic: Diagnostic, calls: Calls) -> Diagnostic:
    """The diagnostic, at the program's own line where it has none."""
    return diagnostic if diagnostic.loc.line else replace(diagnostic, loc=calls.loc)


def _position(finding: Finding) -> tuple[str, int, int]:
    loc = finding.diagnostic.loc
    return (loc.file, loc.line, loc.column)


# ---------------------------------------------------------------- methods


def _forms(module: ModuleType, name: str, program: Program) -> Iterator[tuple[str, Program]]:
    """A program with what it needs to be checked: a method with the objects that the module has.

    Where there are none, the annotations of a dataclass say what `self` is.
    """
    path, _, method = name.rpartition(".")
    owner = find(module, path) if path else None
    if not isinstance(owner, type) or isinstance(program, BoundProgram) or isinstance(program._target, staticmethod):
        yield name, program
        return
    objects = [(key, value) for key, value in vars(module).items() if type(value) is owner]
    for key, value in objects:
        yield f"{key}.{method}", getattr(value, method)
    if not objects:
        yield name, _with_self(program, owner)


def _with_self(program: Program, owner: type) -> Program:
    """A method's program as a function whose first parameter is annotated with its class."""
    function: Program = GraphProgramFunction(program._target, program._options)
    calls = function._ready()
    if calls.parameters:
        calls.annotations = {calls.parameters[0]: owner, **calls.annotations}
    return function
