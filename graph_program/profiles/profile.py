"""What a profile tells: times of operations, and of the lines that they come from."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from graph_program.profiles.nodes import NOWHERE, Frame, Nodes, Place, Stack

if TYPE_CHECKING:
    from graph_program.profiles.measured import Measurement
    from graph_program.profiles.overhead import Corrected

FORMAT = 1


@dataclass(frozen=True)
class Operation:
    """An operation of the model.

    Attributes
    ----------
    name : str
        Of the node, in the model that onnxruntime runs.
    operator : str
        As `MatMul`; onnxruntime has some of its own, such as `FusedMatMul`.
    stack : tuple of Frame
        The lines that lead to it, outermost first; empty where its place is not known.
    count : float
        How often it ran in one call.
    seconds : float
        How long it took in one call; of an `If` or `Loop`, without the operations inside.
    """

    name: str
    operator: str
    stack: Stack
    count: float
    seconds: float


@dataclass(frozen=True)
class Line:
    """A line of the source.

    Attributes
    ----------
    file : str
    line : int
    function : str
        The function that it is in.
    seconds : float
        What it took in one call, the functions that were inlined there included.
    share : float
        The same as a part of the whole call, from 0 to 1.
    own : float
        Seconds without the functions that were inlined there.
    inlined : tuple of Line
        The lines of those, in their order.
    """

    file: str
    line: int
    function: str
    seconds: float
    share: float
    own: float
    inlined: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Profile:
    """Where a program's time goes; `print` shows its source with the time of each line.

    Attributes
    ----------
    name : str
        Of the program, or of the file.
    operations : tuple of Operation
    between : float
        Seconds between operations: what onnxruntime does besides, in one call.
    runs : tuple of float
        Seconds of each run, measured without the profiler.
    outliers : tuple of int
        Which of them were left out, counted from 0.
    profiled : float
        Seconds of a typical run with the profiler, whose own time is not in the others.
    entry : Frame, optional
        Where the program begins.
    """

    name: str
    operations: tuple[Operation, ...]
    between: float
    runs: tuple[float, ...]
    outliers: tuple[int, ...]
    profiled: float
    entry: Frame | None = None

    @property
    def seconds(self) -> float:
        """What one call takes in onnxruntime: the median of the runs that are no outliers."""
        return self.between + sum(operation.seconds for operation in self.operations)

    @property
    def unattributed(self) -> float:
        """Seconds of operations whose line is not known."""
        return sum(operation.seconds for operation in self.operations if not operation.stack)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The lines that take time; with `between` and `unattributed`, they make up `seconds`."""
        return _lines([(o.stack, o.seconds) for o in self.operations if o.stack], self.seconds)

    def by_operator(self) -> str:
        """The operations as a table, what takes longest first."""
        from graph_program.profiles.listing import operators

        return operators(self)

    def json(self) -> str:
        """The profile as JSON: its attributes, lines with `inlined` ones in them, times in seconds."""
        return json.dumps(self._described(), indent=1)

    def speedscope(self) -> str:
        """The profile as a flame graph, in the format of https://www.speedscope.app."""
        from graph_program.profiles.speedscope import speedscope

        return speedscope(self)

    def __str__(self) -> str:
        from graph_program.profiles.listing import listing

        return listing(self)

    def _described(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "name": self.name,
            "seconds": self.seconds,
            "between": self.between,
            "unattributed": self.unattributed,
            "runs": self.runs,
            "outliers": self.outliers,
            "profiled": self.profiled,
            "lines": [_json_line(line) for line in self.lines],
            "operations": [
                {**vars(operation), "stack": [vars(frame) for frame in operation.stack]}
                for operation in self.operations
            ],
        }


def _json_line(line: Line) -> dict[str, Any]:
    return {**vars(line), "inlined": [_json_line(inner) for inner in line.inlined]}


def _lines(times: Sequence[tuple[Stack, float]], total: float) -> tuple[Line, ...]:
    """The lines at the start of stacks, with those that follow in them."""
    groups: dict[tuple[str, str, int], list[tuple[Stack, float]]] = {}
    for (first, *rest), seconds in times:
        groups.setdefault((first.file, first.function, first.line), []).append((tuple(rest), seconds))
    found = []
    for (file, function, line), inner in groups.items():
        seconds = sum(seconds for _, seconds in inner)
        own = sum(seconds for stack, seconds in inner if not stack)
        inlined = _lines([(stack, seconds) for stack, seconds in inner if stack], total)
        found.append(Line(file, line, function, seconds, seconds / total if total else 0.0, own, inlined))
    order = {(line.file, line.function): i for i, line in reversed(list(enumerate(found)))}
    return tuple(sorted(found, key=lambda line: (order[line.file, line.function], line.line)))


def profile_of(
    name: str,
    times: Corrected,
    measured: Measurement,
    nodes: Nodes,
    stack: Callable[[Place], Stack],
    entry: Frame | None = None,
) -> Profile:
    """The profile of what was measured; `stack` gives the lines for a place."""
    operations = tuple(
        Operation(node, one.operator, stack(nodes.place(node) or NOWHERE), one.count, one.own / 1e6)
        for node, one in times.nodes.items()
    )
    runs = tuple(time / 1e6 for time in measured.plain)
    return Profile(name, operations, times.between / 1e6, runs, times.outliers, times.profiled / 1e6, entry)


__all__ = ["Line", "Operation", "Profile", "profile_of"]
