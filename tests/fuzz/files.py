"""One random program as an exported file: on a device, for the arguments that it was exported with and for others."""

from __future__ import annotations

from graph_program import graph_program
from tests.exported.harness import tried
from tests.fuzz.check import Checked, Verdict, argument_makers
from tests.fuzz.compare import load
from tests.fuzz.families.state import NAME
from tests.fuzz.generator import Program

STATE = f"{NAME}."
COMPARED = ("equal", "not compared")


def check_file(program: Program) -> Checked:
    """Export a program for its first arguments and compare calls of the file with Python's.

    A program with state of its own is left out: its file begins with what it was when it was exported.
    """
    fn = load(program.source)
    if STATE in program.source.split("def arguments_0")[0]:
        return Checked(Verdict.REFUSED, "it has state of its own", "state")
    report = tried(graph_program(fn, threads=1, backend="onnxruntime"), [make()[0] for make in argument_makers(fn)])
    if report.differences:
        return Checked(Verdict.DIFFERENT, report.differences[0])
    if report.verdict not in COMPARED:
        return Checked(Verdict.REFUSED, "not exported", report.verdict)
    return Checked(Verdict.DOCUMENTED if report.deviations else Verdict.SAME)


__all__ = ["check_file"]
