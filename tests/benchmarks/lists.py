"""Objects that keep lists from call to call: how often their `step` is extracted, and what a call takes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np

from graph_program import graph_program
from graph_program.calls import calls
from tests.benchmarks.measure import Row, three_digits


class Track:
    """A target with a constant velocity."""

    def __init__(self, z: Any, number: int) -> None:
        self.x = np.array([z[0], z[1], 0.0, 0.0])
        self.number = number
        self.misses = 0

    def predict(self) -> None:
        self.x = self.x + np.array([self.x[2], self.x[3], 0.0, 0.0])

    def update(self, z: Any) -> None:
        d = z - self.x[:2]
        self.x = self.x + np.array([0.5 * d[0], 0.5 * d[1], 0.2 * d[0], 0.2 * d[1]])
        self.misses = 0


class Tracker:
    """Its tracks are born where nothing is near, and die when nothing was seen of them for three frames."""

    def __init__(self) -> None:
        self.tracks: list[Track] = []
        self.count = 0

    def plain(self, zs: Any) -> Any:
        for t in self.tracks:
            t.predict()
            t.misses += 1
        for z in zs:
            best, least = None, 9.0
            for t in self.tracks:
                d = np.sum((t.x[:2] - z) ** 2)
                if d < least:
                    best, least = t, d
            if best is None:
                self.tracks.append(Track(z, self.count))
                self.count += 1
            else:
                best.update(z)
        self.tracks = [t for t in self.tracks if t.misses < 3]
        return len(self.tracks)

    step = graph_program(plain)


class Log:
    """A mean of all that has come so far."""

    def __init__(self) -> None:
        self.log: list[float] = []

    def plain(self, x: float) -> Any:
        self.log.append(x)
        return sum(self.log) / len(self.log)

    step = graph_program(plain)


def frames(count: int) -> list[Any]:
    """Detections of targets that come and go; the number of tracks differs from frame to frame."""
    rng = np.random.default_rng(0)
    targets: list[Any] = []
    found = []
    for _ in range(count):
        targets = [t + np.array([0.3, 0.1]) for t in targets if rng.random() > 0.05]
        targets += [rng.uniform(-40, 40, 2)] if rng.random() < 0.3 else []
        seen = [t + rng.normal(size=2) * 0.1 for t in targets if rng.random() > 0.1]
        found.append(np.array(seen).reshape(-1, 2))
    return found


def rows(quick: bool) -> list[Row]:
    """Extractions and the slowest call; the ratio is that of a median call to plain Python."""
    count = 10 if quick else 300
    values = [float(i % 7) for i in range(count)]
    table = []
    for name, make, given in (("tracker", Tracker, frames(count)), ("log", Log, values)):
        plain = _timed(make().plain, given)[1]
        for turn in ("first", "second"):
            extractions, seconds = _timed(make().step, given)
            slowest = f"{extractions} extractions, slowest call {three_digits(max(seconds) * 1e3)} ms"
            ratio = statistics.median(seconds) / statistics.median(plain)
            table.append(Row("lists", f"{turn} {name}, {count} calls", slowest, three_digits(ratio)))
    return table


def _timed(step: Callable[[Any], Any], given: list[Any]) -> tuple[int, list[float]]:
    """How often something was extracted, and the seconds of each call."""
    seconds = []
    with mock.patch.object(calls, "extract", side_effect=calls.extract) as extract:
        for value in given:
            start = time.perf_counter()
            step(value)
            seconds.append(time.perf_counter() - start)
    return extract.call_count, seconds
