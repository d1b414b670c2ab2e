"""A program is the same model each time, and each column of a list of objects is an output of its own."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from graph_program import graph_program
from tests.loading.agreement import agree
from tests.loading.device import Device


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
