"""Calls through a session beside plain ones and onnxruntime's own; streams over processes and Ray beside a loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from graph_program import Float32, Tensor, graph_program
from graph_program.samples import batch
from tests.benchmarks.measure import MISSING, Row, compared, interleaved

Vector = Float32[Tensor, "n"]
PLAIN, SESSION, RAW = "call", "session", "session.run"
LARGE = 1_000_000


@graph_program(backend="onnxruntime")
def scaled(x: Vector) -> Vector:
    return x * 2 + 1


@graph_program(backend="onnxruntime")
def several(x: Vector, y: Vector, k: float, n: int) -> Any:
    return x + y, x * np.float32(k), x.sum(), n + 1


class Cell:
    """A cell whose state goes from call to call."""

    def __init__(self, n: int):
        self.h = np.zeros(n, np.float32)
        self.weights = np.eye(n, dtype=np.float32) * np.float32(0.5)

    @graph_program(backend="onnxruntime")
    def step(self, x: Vector) -> Vector:
        self.h = np.tanh(self.weights @ self.h + x)
        return self.h


def rows(quick: bool) -> list[Row]:
    """Each kind of call in turn; then streams."""
    small, large = np.arange(16, dtype=np.float32), np.arange(LARGE, dtype=np.float32)
    rounds = 3 if quick else 25
    found = calls_of("16 elements", scaled, (small,), rounds, 1000)
    found += calls_of(f"{LARGE:,} elements", scaled, (large,), rounds, 5)
    found += calls_of("4 arguments and results", several, (small, small, 2.0, 3), rounds, 1000)
    found += calls_of("state of 16", Cell(16).step, (small,), rounds, 1000)
    return found + streams(quick)


def calls_of(subject: str, program: Any, args: tuple[Any, ...], rounds: int, repeat: int) -> list[Row]:
    """A plain call, one through a session, and a run of onnxruntime's own session on the same feed."""
    import onnxruntime

    program(*args)
    session = program.session()
    raw = onnxruntime.InferenceSession(program.model(args, include_errors=False).SerializeToString())
    wanted, feed = [i.name for i in raw.get_inputs()], {}
    holder = getattr(program, "__self__", None)
    named = dict(zip(program.python.__code__.co_varnames[holder is not None :], args, strict=False))
    for name in wanted:
        value = named[name] if name in named else getattr(holder, name.removeprefix("self."))
        feed[name] = np.asarray(value)
    work = {PLAIN: lambda: program(*args), SESSION: lambda: session(*args), RAW: lambda: raw.run(None, feed)}
    for call in work.values():
        for _ in range(3):
            call()
    return compared(f"sessions, {subject}", work, interleaved(work, rounds, repeat), "us")


def streams(quick: bool) -> list[Row]:
    """The coins in some pictures, with what it takes to start processes and workers, and in each further picture."""
    few, many = (4, 8) if quick else (50, 1000)
    pictures = [batch.drawn(seed) for seed in range(many)]
    expected = batch.in_a_loop(pictures)
    work: dict[str, Callable[[list[Any]], list[int]]] = {
        "a loop": batch.in_a_loop,
        "2 processes": lambda given: batch.in_processes(given, 2),
    }
    workers = batch.cluster() if find_spec("ray") is not None and not quick else 0
    if workers:
        work[f"Ray, {workers} workers"] = lambda given: batch.with_ray(given, workers)
    start: dict[str, float] = {}
    further: dict[str, float] = {}
    for name, run in work.items():
        seconds = []
        for count in (few, many):
            began = time.perf_counter()
            assert run(pictures[:count]) == expected[:count], f"{name} gives something else"
            seconds.append(time.perf_counter() - began)
        start[name], further[name] = seconds[0], max(seconds[1] - seconds[0], 0) / (many - few)
    missing = [] if workers else [Row("streams, each further picture", "Ray", MISSING)]
    found = compared(f"streams, {few} pictures", work, start, "s")
    return found + compared("streams, each further picture", work, further, "ms") + missing


__all__ = ["rows"]
