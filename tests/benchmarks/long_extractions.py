"""Programs of which the extraction takes long: searches, solvers, trackers, linear algebra."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from graph_program import graph_program
from tests.benchmarks import native_searches
from tests.benchmarks.measure import Row


def minimized(x, a, b):  # type: ignore[no-untyped-def]
    """Newton's method with a line search."""

    def f(v):  # type: ignore[no-untyped-def]
        return np.sum((a @ v - b) ** 2) + np.sum(v**4)

    for _ in range(50):
        slope = 2 * a.T @ (a @ x - b) + 4 * x**3
        if np.linalg.norm(slope) < 1e-8:
            break
        step = -np.linalg.solve(2 * a.T @ a + np.diag(12 * x**2) + 1e-9 * np.eye(len(x)), slope)
        length = 1.0
        while f(x + length * step) > f(x) + 1e-4 * length * (slope @ step) and length > 1e-10:
            length *= 0.5
        x = x + length * step
    return x


@dataclass
class Track:
    """What is followed, and how often it has not been seen."""

    place: Any
    speed: Any
    missed: int = 0


def tracked(frames, reach):  # type: ignore[no-untyped-def]
    """Points that are followed from frame to frame, each by the nearest point that nobody else has taken."""
    tracks = [Track(point, np.zeros(2)) for point in frames[0]]
    for points in frames[1:]:
        taken = np.zeros(len(points), bool)
        for track in tracks:
            expected = track.place + track.speed
            gaps = np.where(taken, np.inf, np.sqrt(((points - expected) ** 2).sum(axis=1)))
            nearest = int(np.argmin(gaps))
            if gaps[nearest] > reach:
                track.missed += 1
                continue
            taken[nearest] = True
            track.speed = 0.5 * track.speed + 0.5 * (points[nearest] - track.place)
            track.place, track.missed = points[nearest], 0
        for k in range(len(points)):
            if not taken[k]:
                tracks.append(Track(points[k], np.zeros(2)))
        tracks = [track for track in tracks if track.missed < 3]
    return [track.place for track in tracks]


def inverses(a):  # type: ignore[no-untyped-def]
    return np.linalg.inv(a), np.linalg.pinv(a)


def qr(a):  # type: ignore[no-untyped-def]
    return np.linalg.qr(a)


def svd(a):  # type: ignore[no-untyped-def]
    return np.linalg.svd(a)


def cases() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Programs with arguments."""
    a = np.eye(3) + 0.1
    frames = np.random.default_rng(0).random((4, 5, 2))
    return {
        "A* search": native_searches.cases()["A*"],
        "Newton with a line search": (minimized, (np.ones(3), a, np.arange(3.0))),
        "tracker with a list of objects": (tracked, (frames, 0.3)),
        "inv and pinv": (inverses, (a,)),
        "qr": (qr, (a,)),
        "svd": (svd, (a,)),
    }


def rows(quick: bool) -> list[Row]:
    """Processor time from a function to its model."""
    graph_program(qr).model((np.eye(2),))  # what is imported first is not theirs
    found = []
    for name, (function, args) in cases().items():
        seconds = []
        for _ in range(1 if quick else 3):
            start = time.process_time()
            graph_program(function).model(args)
            seconds.append(time.process_time() - start)
        found.append(Row("long extractions", name, f"{statistics.median(seconds):.2f} s"))
    return found
