"""One program: exported for its first arguments, called on a device with those and others, compared with Python."""

from __future__ import annotations

import builtins
import copy
import threading
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from graph_program import GraphProgramError
from graph_program.backends.onnx.host import DOMAIN as HOST
from tests.exported.few_lines import TooLong, few_lines
from tests.exported.others import others
from tests.loading.agreement import Program, in_python
from tests.loading.device import Arguments, Device, DeviceError, Outcome
from tests.programs.plain import differs

BFLOAT16 = 16
"""The number of the element type in ONNX."""
PATIENCE = 60.0
"""Seconds for all calls of a model on the device."""
NOT_TAKEN = ("CallError", "UnsupportedError")
"""What a model raises for arguments that it says are not of the kind that it was exported for."""


@dataclass
class Report:
    """What came of one program.

    Attributes
    ----------
    verdict : str
        `equal`, `different`, `does not load`, `not compared`, or the code of the refusal to export.
    compared, not_taken : int
        Calls that were compared, and calls whose arguments the model does not take.
    differences : list of str
        Where a call on the device is neither Python's nor that of the program in process.
    deviations : list of str
        Where the program in process differs from Python in the same way.
    """

    verdict: str
    compared: int = 0
    not_taken: int = 0
    differences: list[str] = field(default_factory=list)
    deviations: list[str] = field(default_factory=list)


@cache
def device() -> Device:
    """The device of this process."""
    return Device()


def tried(program: Program, inputs: Sequence[tuple[Any, ...]]) -> Report:
    """Export a program for the first arguments, and compare calls with all and with variations of them."""
    try:
        with warnings.catch_warnings(action="ignore"):
            model = program.model(copy.deepcopy(inputs[0]))
    except GraphProgramError as refusal:
        return Report(refusal.code)
    if any(i.type.tensor_type.elem_type == BFLOAT16 for i in (*model.graph.input, *model.graph.output)):
        return Report("bfloat16")  # onnxruntime does not exchange it with NumPy
    if any(opset.domain == HOST for opset in model.opset_import):
        return Report("GP512")  # as `export` says
    calls = [("as given", args) for args in inputs]
    calls += [variation for args in inputs[:2] for variation in others(args)]
    expected = [(name, args, _in_python(program, args)) for name, args in calls]
    calls_made = [(name, args, wanted) for name, args, wanted in expected if wanted is not None]
    if not calls_made:
        return Report("not compared")
    try:
        found = _on_device(model.SerializeToString(), [args for _, args, _ in calls_made])
    except DeviceError as error:
        return Report("does not load", differences=[str(error)[-2000:]])
    return _judged(program, found, calls_made)


def _judged(
    program: Program, found: Sequence[Outcome], wanted: Sequence[tuple[str, tuple[Any, ...], Outcome]]
) -> Report:
    report = Report("equal")
    for got, (name, args, outcome) in zip(found, wanted, strict=True):
        if got.error is not None and got.error.name in NOT_TAKEN:
            report.not_taken += 1
            continue
        report.compared += 1
        if not _differ(outcome, got):
            continue
        text = f"{name} {args!r}: {_text(outcome)} in Python, {_text(got)} on the device"
        here = _in_process(program, args)
        if _differ(here, got) and not _words_of_a_class(here, got):
            report.verdict = "different"
            report.differences.append(f"{text}, {_text(here)} in process")
        else:
            report.deviations.append(text)
    return report


def _words_of_a_class(wanted: Outcome, got: Outcome) -> bool:
    """Whether outcomes differ only in the text of an exception of the user's or of a limit, whose class makes it.

    A file has no class to ask, unless it is given one.
    """
    error, other = wanted.error, got.error
    own = error is not None and not hasattr(builtins, error.name)
    if error is None or other is None:
        return False
    limit = "GraphProgramError" in error.classes and other.name in error.classes and other.text in error.text
    return limit or (own and error.name == other.name)


def _in_process(program: Program, args: tuple[Any, ...]) -> Outcome:
    """What the program does where Python is."""
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        return in_python(program, Arguments(copy.deepcopy(args)))


def _differ(wanted: Outcome, got: Outcome) -> bool:
    """Whether results, arguments or exceptions differ; what is written before an exception is not in a file."""
    if wanted.error is not None or got.error is not None:
        error, other = wanted.error, got.error
        return error is None or other is None or (error.name, error.text) != (other.name, other.text)
    return differs((wanted.result, wanted.args), (got.result, got.args))


def _text(outcome: Outcome) -> str:
    return f"{outcome.error.name}: {outcome.error.text}" if outcome.error else f"{outcome.result!r}, {outcome.args!r}"


def _in_python(program: Program, args: tuple[Any, ...]) -> Outcome | None:
    """What Python does; None where that takes too long."""
    try:
        with few_lines(), np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            outcome = in_python(program.python, Arguments(copy.deepcopy(args)))
    except TooLong:
        return None
    ended_by_python = outcome.error is not None and outcome.error.name in ("RecursionError", "MemoryError")
    return None if ended_by_python else outcome  # a loop in the graph, which may have no end there


def _on_device(model: bytes, calls: Sequence[tuple[Any, ...]]) -> list[Outcome]:
    """Call on the device, with a process that does not come back ended."""
    timer = threading.Timer(PATIENCE, lambda: device().stop())
    timer.start()
    try:
        return device().run(model, copy.deepcopy(list(calls)))
    finally:
        timer.cancel()


class Tally:
    """The figures of many reports."""

    def __init__(self) -> None:
        self.verdicts: Counter[str] = Counter()
        self.compared = self.not_taken = self.deviating = 0

    def add(self, report: Report) -> None:
        self.verdicts[report.verdict] += 1
        self.compared += report.compared
        self.not_taken += report.not_taken
        self.deviating += len(report.deviations)

    def __str__(self) -> str:
        exported = sum(self.verdicts[v] for v in ("equal", "different", "does not load"))
        refused = sorted((v, n) for v, n in self.verdicts.items() if v.startswith(("GP", "bf")))
        lines = [
            f"programs exported            {exported:6}",
            f"  equal in every call        {self.verdicts['equal']:6}",
            f"  different in some call     {self.verdicts['different']:6}",
            f"  not loaded, or aborted     {self.verdicts['does not load']:6}",
            f"calls compared               {self.compared:6}",
            f"  not as in Python, but as in process {self.deviating:4}",
            f"calls the model refuses      {self.not_taken:6}",
            f"programs not exported        {sum(n for _, n in refused):6}",
            *(f"  {code:26} {count:6}" for code, count in refused),
        ]
        return "\n".join(lines)


__all__ = ["Report", "Tally", "device", "tried"]
