"""One random program about shapes, held against plain Python at every assignment of sizes."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graph_program import GraphProgramError, graph_program
from graph_program.backends.host.runnable import Runnable
from graph_program.extract.arguments.argument_specs import specs_from_call
from graph_program.extract.control import residual_to_graph
from graph_program.extract.diagnostics import (
    DTypeError,
    ProgramIndexError,
    ProgramNameError,
    ProgramValueError,
    ShapeError,
)
from graph_program.extract.ir.interface import CapturedInput
from graph_program.extract.ir.paths import follow
from graph_program.extract.stage.program.evaluate import evaluate_program
from graph_program.extract.transform import optimize
from graph_program.extract.types.notation.evaluated_annotations import function_annotations
from tests.fuzz import facts
from tests.fuzz.compare import Outcome, call, difference, differing, load
from tests.fuzz.shape_programs import ShapeProgram

PYTHON_ERRORS = (ShapeError, DTypeError, ProgramValueError, ProgramIndexError, ProgramNameError)
"""Refusals that say: Python would fail here."""


@dataclass
class Report:
    """What was seen, over any number of programs; each finding says which program it is of."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[tuple[str, str]] = field(default_factory=list)
    """(kind, text)."""

    def found(self, kind: str, text: str) -> None:
        self.counts[kind] += 1
        self.findings.append((kind, text))


@contextmanager
def counting_replays(seen: list[str]) -> Iterator[None]:
    """Note each time that onnxruntime itself fails."""
    original = Runnable.replay

    def replay(self: Runnable, error: Exception | None, feed: Any, given: tuple[Any, ...] = ()) -> Any:
        if error is not None:  # a check of the program's own asks for NumPy's text
            seen.append(str(error).split("\n")[0])
        return original(self, error, feed, given)

    Runnable.replay = replay  # type: ignore[method-assign]
    try:
        yield
    finally:
        Runnable.replay = original  # type: ignore[method-assign]


def check_program(program: ShapeProgram, report: Report) -> None:
    """Run a program everywhere and add what is seen to the report."""
    fn = load(program.source)
    wanted = [call(fn, args) for args in program.calls]
    report.counts["programs"] += 1
    compiled = graph_program(fn)
    refused = None
    for args, want in zip(program.calls, wanted, strict=True):
        reached: list[str] = []
        with counting_replays(reached):
            got = call(compiled, args)
        report.counts["calls"] += 1
        if reached:
            report.found("reached onnxruntime", f"{_shapes(args)}: {reached[0]}")
        if isinstance(got.error, GraphProgramError):
            refused = got.error
            break
        _compare(want, got, args, report)
        check_types(fn, args, report)
    if refused is not None:
        _refusal(refused, wanted, report)
    else:
        report.counts["accepted"] += 1


def _compare(want: Outcome, got: Outcome, args: tuple[Any, ...], report: Report) -> None:
    if isinstance(got.error, OverflowError) and "int64" in str(got.error):
        return
    found = difference(want, got)
    if found is None:
        return
    if want.error is not None:
        kind = "no error" if got.error is None else "another error"
    elif got.error is not None:
        kind = "error though it runs"
    else:
        kind = "class of a merge" if _merged_numbers(want.value, got.value) else "differs from Python"
    report.found(kind, f"{_shapes(args)}: {found}")


def _merged_numbers(want: Any, got: Any) -> bool:
    """Whether results differ only where Python has a number and the program NumPy's array of it.

    A number that some paths make NumPy's, or some rounds of a loop, is NumPy's throughout.
    """
    if isinstance(want, tuple) and isinstance(got, tuple) and len(want) == len(got):
        return all(_merged_numbers(w, g) for w, g in zip(want, got, strict=True))
    if isinstance(want, int | float | np.generic) and isinstance(got, np.generic | np.ndarray):
        return bool(np.all(got == want))
    if isinstance(want, np.ndarray) and want.ndim == 0 and isinstance(got, np.generic):
        return want.dtype == got.dtype and bool(got == want)
    return differing(want, got, "") is None


def _refusal(refused: GraphProgramError, wanted: list[Outcome], report: Report) -> None:
    runs = [w for w in wanted if w.error is None]
    if refused.code[:3] in ("GP6", "GP9"):
        report.found("broken model", str(refused).split("\n")[0])
        return
    if not isinstance(refused, PYTHON_ERRORS) or refused.code not in PYTHON_CODES:
        report.counts["refused as unsupported"] += 1
        report.counts[f"  {refused.code}"] += 1
    elif runs:
        report.found("refused though it runs", str(refused))
    else:
        report.counts["refused, and Python fails"] += 1


PYTHON_CODES = frozenset({"GP301", "GP302", "GP303", "GP304"})


def check_types(fn: Callable[..., Any], args: tuple[Any, ...], report: Report) -> None:
    """Check every intermediate value, of the graph as it was made and as it was optimised."""
    named = dict(zip(inspect.signature(fn).parameters, args, strict=True))
    annotations = function_annotations(fn)
    specs = specs_from_call([(name, value, annotations.get(name)) for name, value in named.items()])
    staged = evaluate_program(fn, dict(zip(named, specs, strict=True)), values=named)
    arrays = [
        i.array if isinstance(i, CapturedInput) else np.asarray(follow(named[str(i.path[0])], i.path))
        for i in staged.interface.inputs
    ]
    made = residual_to_graph(staged.program)
    for name, graph in (("graph", made), ("optimized", None)):
        graph = graph or optimize(made)
        seen = facts.record(graph, arrays)
        report.counts["values checked"] += seen.checked
        for text in seen.findings[:1]:
            report.found("wrong type", f"{_shapes(args)}, {name}: {text}")
    known, dims = facts.known_dims(optimize(made).graph)
    report.counts["dims"] += dims
    report.counts["dims known"] += known


def _shapes(args: tuple[Any, ...]) -> str:
    return "(" + ", ".join(str(list(a.shape)) if isinstance(a, np.ndarray) else repr(a) for a in args) + ")"
