"""Objects that a captured object keeps in lists from call to call: trackers whose `step` is the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check
from tests.programs.stateful import check_calls


@dataclass
class Track:
    id: int
    x: Any
    age: int = 0
    misses: int = 0

    def predict(self, dt: float) -> None:
        self.x = self.x + dt * np.array([self.x[1], 0.0])
        self.age += 1

    def update(self, z: Any) -> None:
        self.x[0] += 0.5 * (z - self.x[0])
        self.misses = 0


class Tracker:
    def __init__(self, tracks: int = 0) -> None:
        self.tracks = [Track(i, np.array([float(i), 0.0])) for i in range(tracks)]
        self.next_id = tracks
        self.best: Any = None
        self.matched: list[int] = []

    def add(self, z: Any) -> Track:
        track = Track(self.next_id, np.array([z, 0.0]))
        self.tracks.append(track)
        self.next_id += 1
        return track


class Associating(Tracker):
    def step(self, z: Any, dt: float) -> Any:
        for t in self.tracks:
            t.predict(dt)
        used = np.zeros(len(z), dtype=bool)
        for t in self.tracks:
            if len(z) == 0:
                break
            d = np.abs(z - t.x[0])
            d[used] = np.inf
            j = int(np.argmin(d))
            if d[j] < 1.0:
                t.update(z[j])
                used[j] = True
            else:
                t.misses += 1
        for j in range(len(z)):
            if not used[j]:
                self.add(z[j])
        self.tracks = [t for t in self.tracks if t.misses < 2]
        return np.array([t.id for t in self.tracks]), np.array([t.x[0] for t in self.tracks])


class Ranking(Associating):
    def step(self, z: Any, dt: float) -> Any:
        found = super().step(z, dt)
        if self.tracks:
            self.best = max(self.tracks, key=lambda t: t.age)
        return found


class Choosing(Tracker):
    def step(self, z: Any, dt: float) -> Any:
        for t in self.tracks:
            t.predict(dt)
        for v in z:
            best, nearest = None, 1.0
            for t in self.tracks:
                if abs(t.x[0] - v) < nearest:
                    best, nearest = t, abs(t.x[0] - v)
            if best is None:
                self.add(v)
            else:
                best.update(v)
                self.matched.append(best.id)
        return len(self.tracks), [t.id for t in self.tracks]


class Dropping(Tracker):
    def step(self, z: Any, dt: float) -> Any:
        for i in range(len(self.tracks) - 1, -1, -1):
            if self.tracks[i].x[0] > dt * 50:
                del self.tracks[i]
        for v in z:
            self.add(v)
        self.tracks.sort(key=lambda t: -t.x[0])
        while len(self.tracks) > 4:
            self.tracks.pop()
        return self.tracks[0]


class Keeping(Tracker):
    def step(self, z: Any, dt: float) -> Any:
        for v in z:
            t = self.add(v)
            if self.best is None or v > self.best.x[0]:
                self.best = t
        self.best.misses += 1
        return self.best


class Nearest(Tracker):
    def step(self, z: Any, dt: float) -> Any:
        i = int(np.argmin([abs(t.x[0] - z[0]) for t in self.tracks]))
        self.tracks[i].misses += 1
        self.best = self.tracks[i]
        self.best.age += 1
        t = min(self.tracks, key=lambda t: abs(t.x[0] - 2 * z[0]))
        t.update(z[0])
        self.tracks[int(z[0]) % 3], self.tracks[0] = self.tracks[0], self.tracks[int(z[0]) % 3]
        return t, self.best.id


F = np.array([[1.0, 1.0], [0.0, 1.0]])
H = np.array([[1.0, 0.0]])


class Kalman:
    def __init__(self, z: float) -> None:
        self.x = np.array([z, 0.0])
        self.P = np.eye(2) * 10.0

    def predict(self) -> None:
        self.x = F @ self.x
        self.P = F @ self.P @ F.T + np.eye(2) * 0.01

    def update(self, z: float) -> None:
        gain = (self.P @ H.T)[:, 0] / ((H @ self.P @ H.T)[0, 0] + 1.0)
        self.x = self.x + gain * (z - (H @ self.x)[0])
        self.P = self.P - np.outer(gain, H @ self.P)


class Filtered:
    def __init__(self, id: int, z: float) -> None:
        self.id, self.kf, self.age, self.misses = id, Kalman(z), 0, 0
        self.history: list[float] = []

    def predict(self) -> float:
        self.kf.predict()
        self.age += 1
        self.history.append(self.kf.x[0])
        return self.kf.x[0]

    def update(self, z: float) -> None:
        self.kf.update(z)
        self.misses = 0
        self.history = []


class Sort:
    """Bewley et al., Simple online and realtime tracking, 2016, in one dimension, greedily."""

    def __init__(self) -> None:
        self.tracks: list[Filtered] = []
        self.next_id = 0

    def step(self, z: Any) -> Any:
        predicted = np.array([t.predict() for t in self.tracks])
        is_used, is_matched = np.zeros(len(z), dtype=bool), np.zeros(len(self.tracks), dtype=bool)
        if len(self.tracks) > 0 and len(z) > 0:
            cost = np.abs(predicted[:, None] - z[None, :])
            while True:
                k = int(np.argmin(cost))
                i, j = k // len(z), k % len(z)
                if cost[i, j] > 2.0:
                    break
                self.tracks[i].update(z[j])
                is_used[j] = is_matched[i] = True
                cost[i, :] = np.inf
                cost[:, j] = np.inf
        for i in range(len(self.tracks)):
            if not is_matched[i]:
                self.tracks[i].misses += 1
        for j in range(len(z)):
            if not is_used[j]:
                self.tracks.append(Filtered(self.next_id, z[j]))
                self.next_id += 1
        self.tracks = [t for t in self.tracks if t.misses < 2]
        return [(t.id, t.kf.x[0]) for t in self.tracks if t.age >= 1]


def test_sort() -> None:
    frames = ([0.1, 10.0], [0.4, 9.8], [1.1], [1.4, 9.0, 30.0], [], [30.1])
    check_calls(Sort, "step", *((np.array(z),) for z in frames))


CALLS = [(np.array(z), 0.1) for z in ([0.1, 5.0], [0.3, 5.2], [9.0], [0.2, 9.1, 4.0], [9.2])]


@pytest.mark.parametrize("cls", [Associating, Ranking, Choosing, Dropping, Keeping])
def test_a_tracker_keeps_its_tracks(cls: Any) -> None:
    check_calls(cls, "step", *CALLS)
    check_calls(lambda: cls(2), "step", *CALLS)


def test_one_of_the_captured_tracks_is_written() -> None:
    check_calls(lambda: Nearest(3), "step", *CALLS)


@dataclass
class Lazy:
    pos: float
    history: np.ndarray | None = None
    age: int = 0


def with_history_made_late(zs, n):
    found = []
    for z in zs:
        for t in found:
            if abs(t.pos - z) < 1:
                if t.history is None:
                    t.history = np.zeros(n)
                t.history[t.age % n] = z
                t.age += 1
                break
        else:
            found.append(Lazy(float(z)))
    return [(t.pos, t.age) for t in found]


def slots_filled_late(x, n):
    out = [None] * len(x)
    for i in range(len(x)):
        if x[i] > 0:
            out[i] = np.full(n, x[i])
    return [v is None or bool(v.sum() > 3) for v in out]


@pytest.mark.parametrize("function", [with_history_made_late, slots_filled_late])
def test_arrays_of_a_size_that_no_argument_has(function: Any) -> None:
    check(function, (np.array([1.0, 1.1, 5.0]), 3), (np.array([-1.0, 2.0]), 2), (np.zeros(0), 2))
