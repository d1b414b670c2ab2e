"""Programs as they run on devices: written without regard to export, stepped where graph_program is not installed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import pytest

from graph_program import graph_program
from samples.tracker import Tracker
from tests.loading.agreement import agree
from tests.loading.device import Device

RNG = np.random.default_rng(5)


class Kalman:
    """A constant-velocity filter."""

    def __init__(self) -> None:
        self.x, self.P = np.zeros(4), np.eye(4) * 10.0
        self.F = np.eye(4) + np.eye(4, k=2)
        self.H = np.eye(2, 4)
        self.misses = 0

    @graph_program
    def step(self, z: Any, r: float = 0.1) -> Any:
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + 0.01 * np.eye(4)
        if np.isnan(z).any():
            self.misses += 1
            if self.misses > 2:
                raise RuntimeError(f"lost after {self.misses} misses")
            return self.x[:2], False
        S = self.H @ self.P @ self.H.T + r * np.eye(2)
        K = np.linalg.solve(S, self.H @ self.P).T
        self.x = self.x + K @ (z - self.H @ self.x)
        self.P = (np.eye(4) - K @ self.H) @ self.P
        self.misses = 0
        return self.x[:2], True


class Mode(Enum):
    IDLE = 0
    HEAT = 1


@dataclass
class Gains:
    p: float
    i: float
    limit: float = 10.0


class Thermostat:
    """A PI controller with a hysteresis."""

    def __init__(self, gains: Gains):
        self.gains, self.total, self.heating = gains, 0.0, False

    @graph_program
    def control(self, temperature: float, target: float) -> Any:
        error = target - temperature
        self.total = min(max(self.total + error, -self.gains.limit), self.gains.limit)
        if error > 1:
            self.heating = True
        elif error < -1:
            self.heating = False
        power = self.gains.p * error + self.gains.i * self.total if self.heating else 0.0
        return {"power": power, "mode": Mode.HEAT if self.heating else Mode.IDLE, "text": f"{temperature:.1f}"}


class Box(NamedTuple):
    corner: Any
    size: Any
    score: float


@graph_program
def suppressed(boxes: Any, scores: Any, threshold: float = 0.5) -> Any:
    """Non-maximum suppression over any number of boxes `[n, 4]`."""
    order = np.argsort(-scores, kind="stable")
    kept: list[Any] = []
    alive = np.ones(len(scores), bool)
    for i in order:
        if not alive[i]:
            continue
        kept.append(Box(boxes[i, :2], boxes[i, 2:] - boxes[i, :2], float(scores[i])))
        low = np.maximum(boxes[:, :2], boxes[i, :2])
        high = np.minimum(boxes[:, 2:], boxes[i, 2:])
        inner = np.prod(np.maximum(high - low, 0), axis=1)
        area = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
        alive &= inner / (area + area[i] - inner) <= threshold
    return kept, len(kept)


@graph_program
def decoded(logits: Any, blank: int = 0) -> Any:
    """A greedy CTC decoder: symbols without repeats and blanks, and where they were."""
    best = logits.argmax(axis=1)
    symbols, places, last = [], [], -1
    for t in range(len(best)):
        if best[t] != last and best[t] != blank:
            symbols.append(int(best[t]))
            places.append(t)
        last = best[t]
    return symbols, places, "".join(["ok"]) if symbols else None


class Smoother:
    """A ring of the latest samples, and their median."""

    def __init__(self, size: int):
        self.ring, self.count = np.zeros(size), 0

    @graph_program
    def push(self, sample: float) -> Any:
        self.ring[self.count % len(self.ring)] = sample
        self.count += 1
        return np.median(self.ring[: min(self.count, len(self.ring))])


@dataclass
class Blob:
    center: Any
    age: int = 0
    seen: int = 1


class Blobs:
    """Blobs that are born where nothing is near, and die when they are not seen."""

    def __init__(self) -> None:
        self.blobs = [Blob(np.zeros(2))]
        self.born = 1

    @graph_program
    def update(self, points: Any, radius: float) -> Any:
        for blob in self.blobs:
            blob.age += 1
        for k in range(len(points)):
            best, distance = -1, radius
            for i in range(len(self.blobs)):
                d = float(np.sqrt(((self.blobs[i].center - points[k]) ** 2).sum()))
                if d < distance:
                    best, distance = i, d
            if best >= 0:
                self.blobs[best].center = 0.5 * (self.blobs[best].center + points[k])
                self.blobs[best].age = 0
                self.blobs[best].seen += 1
            else:
                self.blobs.append(Blob(points[k].copy()))
                self.born += 1
        self.blobs = [blob for blob in self.blobs if blob.age < 3]
        return [(blob.center, blob.seen) for blob in self.blobs], self.born


def points(count: int) -> Any:
    return RNG.integers(0, 4, (count, 2)) * 2.0


def boxes(count: int) -> tuple[Any, Any]:
    corners = RNG.integers(0, 6, (count, 2)).astype(np.float32)
    sizes = RNG.integers(2, 5, (count, 2)).astype(np.float32)
    return np.concatenate([corners, corners + sizes], axis=1), RNG.random(count).astype(np.float32)


NAN = np.full(2, np.nan)
CASES: dict[str, tuple[Any, list[Any]]] = {
    "Kalman filter": (Kalman().step, [(np.ones(2) * i, 0.1 * (i + 1)) for i in range(5)] + [(NAN,), (NAN,), (NAN,)]),
    "thermostat": (
        Thermostat(Gains(2.0, 0.1)).control,
        [(float(t), 20.0) for t in (25, 15, 18, 19.5, 20.5, 22, 30, 5)],
    ),
    "suppression": (suppressed, [boxes(5), boxes(1), (*boxes(12), 0.1), boxes(0)]),
    "decoder": (decoded, [(RNG.random((n, 4)),) for n in (6, 1, 20, 0)]),
    "smoother": (Smoother(4).push, [(float(x),) for x in RNG.normal(size=9)]),
    "tracker of the samples": (
        Tracker().step,
        [(z,) for z in (np.ones(2), NAN, np.ones(2) * 2, NAN, NAN, NAN, NAN, np.ones(2))],
    ),
    "blobs": (Blobs().update, [(points(n), 1.5) for n in (2, 3, 0, 1, 0, 5, 2)]),
}


@pytest.mark.parametrize("name", CASES)
def test_stepped(name: str, device: Device) -> None:
    program, calls = CASES[name]
    agree(device, program, calls)
