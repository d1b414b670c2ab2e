"""Models in onnxruntime, straight from memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

import onnx_ir as ir
import onnxruntime

from graph_program.backends.onnxruntime.session import RUN_ERRORS, Session, reason

Feed = Mapping[str, Any]
PATIENCE = 0.5
"""Seconds for measuring how long a run takes, besides the first two runs."""
RUNS = 100
FINE = 1e-6


class Running:
    """A model that can be run with more inputs than it has, on one thread: threads of two would wait for each other."""

    def __init__(self, model: ir.Model, adjust: Callable[[Any], None] | None = None):
        self.session = Session(ir.to_proto(model).SerializeToString(), threads=1, adjust=adjust)
        self.inputs = {str(value.name): value.dtype for value in model.graph.inputs}
        self.outputs = [str(value.name) for value in model.graph.outputs]

    def run(self, names: Sequence[str], feed: Feed) -> list[Any]:
        return list(self.session.run(list(names), self._given(feed), None))

    def all_of(self, feed: Feed) -> dict[str, Any]:
        """The outputs by name."""
        return dict(zip(self.outputs, self.run(self.outputs, feed), strict=True))

    def failure(self, feed: Feed, most: float) -> str:
        """Why a run gives nothing within so many seconds, after which it is ended; empty where it does.

        A loop that waits for a number has no end where numbers of fewer bits do not come to it.
        """
        options, given = onnxruntime.RunOptions(), self._given(feed)
        timer = threading.Timer(most, setattr, (options, "terminate", True))
        timer.start()
        try:
            self.session.bare.run(self.outputs, given, options)
        except RUN_ERRORS as error:
            if not options.terminate:
                return f"onnxruntime fails: {reason(error)}"
            return f"it was ended after {most:.3g} s: a loop that waits for a number may not come to it in fewer bits"
        finally:
            timer.cancel()
        return ""

    def _given(self, feed: Feed) -> dict[str, Any]:
        return {name: _as(self.inputs[name], array) for name, array in feed.items() if name in self.inputs}


def _as(dtype: ir.DataType | None, array: Any) -> Any:
    """An array as an input in fewer bits has it."""
    wanted = None if dtype is None else dtype.numpy()
    return array.astype(wanted) if array.dtype.kind == "f" and wanted is not None and wanted.kind == "f" else array


def session_of(model: ir.Model) -> Running:
    """A model that is ready to run."""
    return Running(model)


def as_written(model: ir.Model) -> Running:
    """A model whose operations are done one by one."""

    def plain(options: Any) -> None:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL

    return Running(model, plain)


def seconds_side_by_side(sessions: Sequence[Running], feed: Feed) -> list[float]:
    """The median seconds of a run of each, measured in turns: of processor time, where that clock is fine enough, which
    other processes do not change."""
    clock = time.thread_time if time.get_clock_info("thread_time").resolution <= FINE else time.perf_counter
    for session in sessions:
        session.all_of(feed)
    taken: list[list[float]] = [[] for _ in sessions]
    began = time.perf_counter()
    while not taken[0] or (time.perf_counter() - began < PATIENCE and len(taken[0]) < RUNS):
        for session, times in zip(sessions, taken, strict=True):
            start = clock()
            session.all_of(feed)
            times.append(clock() - start)
    return [median(times) for times in taken]


__all__ = ["Feed", "Running", "as_written", "seconds_side_by_side", "session_of"]
