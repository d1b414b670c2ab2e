"""A program is the same model each time, and each column of a list of objects is an output of its own."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from graph_program import graph_program
from tests.loading.agreement import agree
from tests.loading.device import Device

ROOT = Path(__file__).parents[2]


@dataclass
class Track:
    ident: int
    box: np.ndarray
    misses: int = 0
    hits: int = 1


@dataclass
class Tracker:
    tracks: list[Track] = field(default_factory=list)
    next_id: int = 1


def step(tracker: Tracker, boxes):
    used = np.zeros(len(boxes), bool)
    for t in tracker.tracks:
        best = -1
        for i, box in enumerate(boxes):
            if used[i]:
                continue
            if abs(t.box[0] - box[0]) < 0.5:
                best = i
        if best >= 0:
            t.box = 0.5 * t.box + 0.5 * boxes[best]
            t.hits += 1
            used[best] = True
        else:
            t.misses += 1
    tracker.tracks = [t for t in tracker.tracks if t.misses <= 2]
    for i in range(len(boxes)):
        if not used[i]:
            tracker.tracks.append(Track(tracker.next_id, boxes[i].copy()))
            tracker.next_id += 1
    return len(tracker.tracks)


def tracker() -> Tracker:
    return Tracker([Track(7, np.zeros(2)), Track(8, np.ones(2))], 9)


def test_a_program_is_the_same_model_each_time(device: Device) -> None:
    call = (tracker(), np.ones((1, 2)))
    models = {graph_program(step).model(call).SerializeToString(deterministic=True) for _ in range(8)}
    assert len(models) == 1
    empty = (Tracker(), np.zeros((0, 2)))
    agree(device, graph_program(step), [call, empty, (tracker(), np.array([[3.0, 1.0], [0.25, 1.0]]))])


def report(x, groups):
    found = [v for v in x if v > 0]
    load = [0] * (max(groups) + 1) if all(g >= 0 for g in groups) else []
    for g in groups:
        load[g] += 1
    total = sum(v * v for v in x) + sum(found)
    first = next((v for v in x if v > 1), -1.0)
    return found, load, total, first, any(v < 0 for v in x), max(x)


def digest() -> str:
    """Of the models of two programs."""
    calls = ((report, (np.arange(3.0), [0, 1, 0])), (step, (tracker(), np.ones((1, 2)))))
    models = [graph_program(fn).model(args).SerializeToString(deterministic=True) for fn, args in calls]
    return hashlib.sha256(b"".join(models)).hexdigest()


def test_a_model_does_not_depend_on_what_was_extracted_before() -> None:
    digests = {digest() for _ in range(3)}
    command = [sys.executable, "-c", "from tests.loading.test_same_model import digest; print(digest())"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert digests == {found.stdout.strip()}
