"""Running a program with host steps without Python operators: segment by segment.

This is how programs with host code run where onnxruntime-extensions is not there, or where the environment variable
GRAPH_PROGRAM_HOST is `segments`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from graph_program.backends.host.captures import watched
from graph_program.backends.host.segment_driver import Driver
from graph_program.backends.host.steps import compile_steps
from graph_program.backends.host.tally import Tally
from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.ir.host import HOST
from graph_program.extract.ir.interface import Guard
from graph_program.extract.ir.residual import Const, Program
from graph_program.extract.slice.segments import Segment, Segments
from graph_program.extract.types.tensors.tensor_type import TensorType

VARIABLE = "GRAPH_PROGRAM_HOST"

Run = Callable[[dict[str, Any]], list[Any]]


def chosen() -> bool:
    """Whether programs with host code run segment by segment."""
    if os.environ.get(VARIABLE) == "segments":
        return True
    try:
        import onnxruntime_extensions  # noqa: F401
    except ImportError:
        return True
    return False


class SegmentExecution:
    """A program cut into segments; `run` is that of `CoExecution`, and gives all outputs.

    Parameters
    ----------
    program : Program
        The residual program.
    constants : mapping of str to ndarray
        Inputs that are the same at every call.
    start : callable
        What runs a segment's graph, a session.
    guards : sequence of Guard
        What the program has captured.
    tally : Tally, optional
        Counts how often each step runs.
    """

    def __init__(
        self,
        program: Program,
        constants: Mapping[str, Any],
        start: Callable[[GraphProgram], Run],
        guards: Sequence[Guard] = (),
        tally: Tally | None = None,
    ):
        self.segments = Segments(program)
        self._constants = constants
        manifest = {**described(self.segments), "segments": _Described(self.segments)}

        def session(number: int) -> Run:
            made = self.segments[number].program
            assert made is not None
            return start(made)

        steps = watched(compile_steps(program.host, tally), program.host, guards)
        self._driver = Driver(manifest, steps, session)

    def run(self, names: Sequence[str], feed: dict[str, Any], options: None) -> list[Any]:
        """One call."""
        given = feed.pop(HOST, ())
        return self._driver.run({**self._constants, **feed}, given)


class _Described:
    """The segments as the manifest has them, each when it is reached."""

    def __init__(self, segments: Segments):
        self._segments = segments

    def __getitem__(self, number: int) -> dict[str, Any]:
        return described_segment(self._segments[number], "")


def described(segments: Segments) -> dict[str, Any]:
    """What a driver has to know besides the segments; see docs/host-export.md."""
    steps = []
    for point in segments.points:
        stmt = point.stmt
        lifetimes = segments.steps[stmt.step].lifetimes
        reads = len(stmt.objects) - lifetimes.keeps
        steps.append(
            {
                "step": stmt.step,
                "objects": [_operand(v) for v in stmt.objects[:reads]],
                "sends": [_operand(v) for v in stmt.sends],
                "makes": list(stmt.results),
                "tells": list(stmt.receives),
                "groups": list(lifetimes.groups),
                "ends": list(lifetimes.ends),
                "over": list(lifetimes.over),
                "keeps": [_operand(v) for v in stmt.objects[reads:]],
            }
        )
    types = {name: described_type(type_) for name, type_ in segments.types.items()}
    return {"steps": steps, "results": [_operand(v) for v in segments.results], "types": types}


def described_segment(segment: Segment, model: str) -> dict[str, Any]:
    """A segment as the manifest has it; `model` is the name of its file."""
    return {
        "model": None if segment.program is None else model,
        "next": segment.next,
        "inputs": [list(pair) for pair in segment.inputs] if segment.program is not None else [],
        "outputs": list(segment.outputs),
    }


def described_type(type_: TensorType) -> list[Any]:
    """Element type and sizes; None for a size that only a run tells."""
    return [type_.dtype.name, [size.constant for size in type_.shape]]


def _operand(value: str | Const | Any) -> Any:
    if isinstance(value, str):
        return value
    array = np.asarray(value.value)
    return {"value": array.tolist(), "type": [array.dtype.name, list(array.shape)]}


__all__ = ["SegmentExecution", "chosen", "described", "described_segment", "described_type"]
