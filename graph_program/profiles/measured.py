"""Running a model with onnxruntime's profiler, and reading the events that this writes.

    {"cat": "Node", "name": "Add_y_kernel_time", "ts": 12891, "dur": 26, "args": {"op_name": "Add", ...}}

An event stands behind those that happened during it.  So what an `If` or `Loop` does itself is its time without that
of the events before it that did not begin before it did.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import onnx

from graph_program.backends.onnxruntime.session import Session
from graph_program.extract.diagnostics import Diagnostic, GraphProgramError, Loc
from graph_program.profiles.nodes import Nodes

LIMIT = 1_000_000
"""How many events onnxruntime's profiler keeps."""
READ = 300_000
"""How many are read at most, as far as that is a matter of the number of runs."""
SUFFIX = "_kernel_time"
OPERATOR, RUN, EXECUTION = "Node", "model_run", "SequentialExecutor::Execute"
EXECUTED = -1
"""In the place of a duration: a graph was executed, whose operations stand before."""
CONTAINERS = frozenset(["If", "Loop", "Scan"])

Adjust: TypeAlias = Callable[[Any], None]
"""Changes onnxruntime's `SessionOptions`."""


@dataclass
class Times:
    """What a node has taken in a run.

    Attributes
    ----------
    operator : str
    count : float
        How often it ran.
    inner : float
        How many events happened in it, those in them not counted.
    graphs : float
        How often it executed an inner graph.
    own : float
        Microseconds without those in which others ran inside of it.
    """

    operator: str
    count: float = 0
    inner: float = 0
    graphs: float = 0
    own: float = 0

    def add(self, duration: float, inner: Sequence[tuple[int, int]]) -> None:
        """One more time, with the events in it."""
        self.count += 1
        self.inner += len(inner)
        self.graphs += sum(length == EXECUTED for _, length in inner)
        self.own += duration - sum(length for _, length in inner if length != EXECUTED)


@dataclass
class Run:
    """A run with the profiler.

    Attributes
    ----------
    nodes : dict of str to Times
        By name.
    between : Times
        What was between the operations.
    events : int
        How many the profiler has noted.
    gaps : list of int
        Microseconds from the end of an operation to the start of the next.
    total : float
        Microseconds, as seen by the caller.
    """

    nodes: dict[str, Times] = field(default_factory=dict)
    between: Times = field(default_factory=lambda: Times(""))
    events: int = 0
    gaps: list[int] = field(default_factory=list)
    total: float = 0


@dataclass(frozen=True)
class Measurement:
    """Runs without and with the profiler; times in microseconds."""

    plain: tuple[float, ...]
    profiled: tuple[Run, ...]


@dataclass(frozen=True)
class Subject:
    """What is measured.

    Attributes
    ----------
    session : callable
        Makes a session of the model; takes what changes its options.
    run : callable
        Runs a session once and gives its outputs.
    loc : Loc
        Of the program.
    """

    session: Callable[[Adjust], Session]
    run: Callable[[Session], Sequence[Any]]
    loc: Loc


def measure(subject: Subject, nodes: Nodes, repeat: int, warmup: int) -> Measurement:
    """Run a model with and without the profiler, in turns, and learn the names of what runs.

    Raises
    ------
    GraphProgramError
        GP514 where a run has more events than the profiler keeps.
    """
    plain = subject.session(lambda options: None)
    for _ in range(max(1, warmup)):
        subject.run(plain)
    with tempfile.TemporaryDirectory(prefix="graph-program-") as folder:
        (first,) = _profiled(subject, plain, Path(folder) / "first", 1, 0)[1]
        fits = READ // max(1, first.events) - warmup
        runs = _profiled(subject, plain, Path(folder) / "all", max(1, min(repeat, fits)), warmup if fits > 0 else 0)
        if any(nodes.place(name) is None for run in runs[1] for name in run.nodes):
            nodes.add_optimized(_optimized(subject, Path(folder) / "optimized.onnx"))
    more = [_timed(subject, plain) for _ in range(repeat - len(runs[0]))]
    return Measurement((*runs[0], *more), tuple(runs[1]))


def _timed(subject: Subject, session: Session) -> float:
    began = time.perf_counter_ns()
    subject.run(session)
    return (time.perf_counter_ns() - began) / 1000


def _profiled(subject: Subject, plain: Session, file: Path, repeat: int, warmup: int) -> tuple[list[float], list[Run]]:
    """The times of runs without the profiler, and runs with it, one after the other."""

    def adjust(options: Any) -> None:
        options.enable_profiling = True
        options.profile_file_prefix = str(file)

    session = subject.session(adjust)
    for _ in range(warmup):
        subject.run(session)
    without, totals = [], []
    for _ in range(repeat):
        without.append(_timed(subject, plain))
        totals.append(_timed(subject, session))
    written = session.bare.end_profiling()
    try:
        runs = list(_runs(_events(written, subject.loc)))[warmup:]
    finally:
        Path(written).unlink(missing_ok=True)
    for run, total in zip(runs, totals, strict=True):
        run.total = total
        run.between.own += total
    return without, runs


def _optimized(subject: Subject, file: Path) -> onnx.ModelProto:
    """The model as onnxruntime runs it."""

    def adjust(options: Any) -> None:
        options.optimized_model_filepath = str(file)

    subject.session(adjust)
    return onnx.load(file, load_external_data=False) if file.is_file() else onnx.ModelProto()


# ---------------------------------------------------------------- events


def _events(file: str, loc: Loc) -> Iterator[dict[str, Any]]:
    """The events of a file, which has one on each line."""
    number = 0
    with open(file, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            text = line.strip().rstrip(",")
            if text.startswith("{"):
                number += 1
                yield json.loads(text)
    if number >= LIMIT:
        raise GraphProgramError(
            Diagnostic(
                "GP514",
                f"a run of `{loc.function}` has more operations than onnxruntime's profiler keeps ({LIMIT:,})",
                loc,
                hint="profile it on smaller arguments, or with fewer rounds of its loops",
            )
        )


def _runs(events: Iterable[dict[str, Any]]) -> Iterator[Run]:
    """The runs that events tell of, in their order."""
    run, around = Run(), _Around()
    for event in events:
        name, start, duration = event["name"], event["ts"], event["dur"]
        if name == RUN:
            run.between.add(0, around.ended(start))
            yield run
            run, around = Run(), _Around()
        elif name == EXECUTION:
            run.events += 1
            run.gaps += around.execution(start)
        elif event["cat"] == OPERATOR and name.endswith(SUFFIX):
            run.events += 1
            operator = event["args"].get("op_name", "")
            inner = around.ended(start) if operator in CONTAINERS else []
            around.events.append((start, duration))
            name = name.removesuffix(SUFFIX)
            run.nodes.setdefault(name, Times(operator)).add(duration, inner)


class _Around:
    """Events of which it is not yet known what they happened in."""

    def __init__(self) -> None:
        self.events: list[tuple[int, int]] = []
        """Start and duration, in the order in which they ended."""

    def ended(self, start: int) -> list[tuple[int, int]]:
        """Those that happened in an event that began at `start`; they are forgotten."""
        first = self._first(start)
        found = self.events[first:]
        del self.events[first:]
        return found

    def execution(self, start: int) -> list[int]:
        """Note that a graph was executed, for which there is an event, too; the times between its operations."""
        found = self.events[self._first(start) :]
        self.events.append((start, EXECUTED))
        return [after[0] - before[0] - before[1] for before, after in pairwise(found) if before[1] != EXECUTED]

    def _first(self, start: int) -> int:
        first = len(self.events)
        while first and self.events[first - 1][0] >= start:
            first -= 1
        return first


__all__ = ["Measurement", "Run", "Subject", "Times", "measure"]
