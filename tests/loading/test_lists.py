"""Lists of any length, through `load` on a device: arguments and state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program, load
from graph_program.onnx_program.told import CallError
from tests.loading.agreement import agree
from tests.loading.device import Device, plain


@dataclass
class Track:
    x: Any
    hits: int = 0


def tracks(count: int) -> list[Track]:
    return [Track(np.full(2, float(i)), i) for i in range(count)]


@graph_program
def total(xs: Any, points: Any, k: Any) -> Any:
    found = 0.0
    for x, (_, value) in zip(xs, points, strict=True):
        found = found + x * value["w"].sum() * k
    return found, len(xs), xs[-1]


@graph_program
def updated(tracks: Any, log: Any, k: int) -> Any:
    best = tracks[0]
    for t in tracks:
        t.hits += k
        t.x[0] += 1
        if t.hits > best.hits:
            best = t
    log.append(k)
    return best, [t for t in tracks if t.hits > 3], tracks


class Pool:
    def __init__(self, count: int):
        self.tracks, self.log, self.limit = tracks(count), [0.5], 30

    @graph_program
    def step(self, x: Any, k: int) -> Any:
        for t in self.tracks:
            t.hits += k
            t.x += 1
        self.tracks = [t for t in self.tracks if t.hits < self.limit]
        if k < 20:
            self.tracks.append(Track(x * k, k))
        self.log.append(float(x[0]))
        if k == 13:
            raise ValueError(f"{len(self.tracks)} tracks")
        return len(self.tracks)


def points(count: int) -> list[Any]:
    return [("p", {"w": np.arange(3.0) + i}) for i in range(count)]


def test_arguments(device: Device) -> None:
    agree(device, total, [([1.0, 2.0], points(2), 2.0), ([3.0], points(1), -1.0), ([1.0] * 5, points(5), 0.5)])


def test_objects_that_are_written(device: Device) -> None:
    calls = [(tracks(n), [1] * n, k) for n, k in ((3, 3), (1, 1), (5, 2))]
    for outcome in agree(device, updated, calls):
        best, _, same = outcome.result
        assert same is outcome.args[0] and any(best is t for t in same)
    held = tracks(2)
    first, array = held[0], held[0].x
    load(updated.model(calls[0]).SerializeToString(), classes=[Track])(held, [1], 2)
    assert held[0] is first and first.hits == 2 and first.x is array and array[0] == 1.0


def test_state(device: Device) -> None:
    pool, x = Pool(2), np.array([1.0, -1.0])
    ks = [2, 5, 13, 25, 40, 40, 3]
    outcomes = device.run(pool.step.model((x, 2)).SerializeToString(), [(x, k) for k in ks])
    for outcome, k in zip(outcomes, ks, strict=True):
        if k == 13:
            assert outcome.error is not None and outcome.error.text == "5 tracks"
            continue
        assert outcome.result == pool.step.python(x, k)
        state = outcome.state["self"][2]
        np.testing.assert_equal(state["tracks"], plain(pool.tracks))
        assert state["log"] == pool.log


def test_empty_lists(device: Device) -> None:
    @graph_program
    def doubled(xs: Any, rows: Any) -> Any:
        return [x * 2 for x in xs], [r + 1 for r in rows]

    agree(device, doubled, [([1, 2], [np.ones(2)]), ([], list(np.zeros((3, 2)))), ([], []), ([5], [])])


def test_elements_that_do_not_fit() -> None:
    program = load(updated.model((tracks(2), [1], 2)).SerializeToString(), classes=[Track])
    for bad, words in (
        ([Track(np.ones(2), 1.5)], r"GP401.*tracks\[0\]\.hits: expected int, got a Python float"),
        (
            [Track(np.ones(2), 1), Track(np.ones(3), 1)],
            r"GP403.*tracks\[1\]\.x: .*=2 \(from tracks\[0\]\.x\), got \(3,\)",
        ),
        ([Track(np.ones(2), 1)] * 2, "elements that have nothing in common, got one of them twice: a .*Track"),
        ((1, 2), "GP402.*tracks: expected a list, got a Python tuple"),
    ):
        with pytest.raises(CallError, match=words):
            program(bad, [1], 2)


def test_one_object_in_two_lists() -> None:
    @graph_program
    def moved(ps: Any, qs: Any) -> Any:
        for p in ps:
            p.hits += 1
        return qs[0].hits

    program = load(moved.model((tracks(2), tracks(3))).SerializeToString(), classes=[Track])
    assert program(tracks(2), tracks(2)) == 0
    one = tracks(2)
    with pytest.raises(CallError) as wanted:
        program(one, tracks(1) + one[1:])
    with pytest.raises(TypeError) as found:
        moved(one, tracks(1) + one[1:])
    assert str(found.value).split(": ", 1)[1] == str(wanted.value).split(": ", 1)[1]
