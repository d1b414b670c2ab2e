"""Detectors, decoders, trackers, filters and controllers as a person writes them for a device."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

RNG = np.random.default_rng(12)


# ---------------------------------------------------------------- detectors


@dataclass
class Detection:
    box: Any
    label: int
    score: float


class Detector:
    """Boxes above a threshold, the best of each class first, those that overlap it dropped."""

    def __init__(self, iou: float = 0.5):
        self.iou, self.frames, self.last_best = iou, 0, None

    def overlap(self, a: Any, b: Any) -> float:
        low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
        if np.any(high <= low):
            return 0.0
        inner = float(np.prod(high - low))
        total = float(np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]))
        return inner / (total - inner)

    def step(self, boxes: Any, scores: Any, threshold: float = 0.3) -> Any:
        self.frames += 1
        if len(boxes) != len(scores):
            raise ValueError(f"{len(boxes)} boxes but {len(scores)} scores")
        if not 0 <= threshold <= 1:
            raise ValueError(f"threshold {threshold}")
        found: list[Detection] = []
        for i in range(len(boxes)):
            label = int(np.argmax(scores[i]))
            score = float(scores[i, label])
            if score >= threshold:
                found.append(Detection(boxes[i], label, score))
        found.sort(key=lambda d: -d.score)
        kept: list[Detection] = []
        for d in found:
            if all(d.label != k.label or self.overlap(d.box, k.box) < self.iou for k in kept):
                kept.append(d)
        if not kept:
            return None
        self.last_best = kept[0].score
        return [(d.label, d.score, d.box) for d in kept]


def frame(count: int, classes: int = 3) -> tuple[Any, Any]:
    corners = RNG.integers(0, 5, (count, 2)) * 1.0
    return np.concatenate([corners, corners + RNG.integers(2, 4, (count, 2))], axis=1), RNG.random((count, classes))


# ---------------------------------------------------------------- decoders


class CTC:
    """A greedy decoder of a stream: what ended the last chunk is not said again."""

    def __init__(self, blank: int = 0):
        self.blank, self.last = blank, -1
        self.text: list[int] = []

    def step(self, logits: Any) -> Any:
        new = []
        for row in logits:
            best = int(row.argmax())
            if best != self.last and best != self.blank:
                new.append(best)
            self.last = best
        self.text += new
        return new, len(self.text)


@dataclass
class Beam:
    symbols: list[int]
    score: float
    done: bool = False


class BeamSearch:
    """The best few sequences under a table of transitions."""

    def __init__(self, table: Any, width: int = 2, end: int = 0):
        self.table, self.width, self.end = table, width, end
        self.expanded = 0

    def step(self, start: int, steps: int) -> Any:
        beams = [Beam([start], 0.0)]
        for _ in range(steps):
            new: list[Beam] = []
            for beam in beams:
                if beam.done:
                    new.append(beam)
                    continue
                self.expanded += 1
                scores = self.table[beam.symbols[-1]]
                for s in range(len(scores)):
                    new.append(Beam([*beam.symbols, s], beam.score + float(scores[s]), s == self.end))
            new.sort(key=lambda b: b.score, reverse=True)
            beams = new[: self.width]
            if all(b.done for b in beams):
                break
        return beams[0].symbols, beams[0].score, len(beams)


class Viterbi:
    """The likeliest states of a hidden Markov model; the last belief is kept."""

    def __init__(self, states: int = 3):
        rng = np.random.default_rng(3)
        self.move = np.log(rng.dirichlet(np.ones(states), states))
        self.emit = np.log(rng.dirichlet(np.ones(4), states))
        self.belief = np.full(states, -np.log(states))

    def step(self, seen: Any) -> Any:
        back = np.zeros((len(seen), len(self.belief)), np.int64)
        for t, symbol in enumerate(seen):
            scores = self.belief[:, None] + self.move
            back[t] = scores.argmax(axis=0)
            self.belief = scores.max(axis=0) + self.emit[:, symbol]
        path = [int(self.belief.argmax())]
        for t in reversed(range(len(seen))):
            path.append(int(back[t, path[-1]]))
        path.reverse()
        return path, self.belief.max()


class Huffman:
    """Bits to symbols by a tree in arrays; the place in the tree is kept between packets."""

    def __init__(self) -> None:
        self.left = np.array([1, -1, 3, -2, -3])
        self.right = np.array([2, -1, 4, -2, -3])
        self.symbol = np.array([-1, 7, -1, 8, 9])
        self.node, self.total = 0, 0

    def step(self, bits: Any) -> Any:
        out: list[int] = []
        for bit in bits:
            if bit not in (0, 1):
                raise ValueError(f"bit {bit} after {len(out)} symbols")
            self.node = int(self.right[self.node] if bit else self.left[self.node])
            if self.symbol[self.node] >= 0:
                out.append(int(self.symbol[self.node]))
                self.node = 0
        self.total += len(out)
        return np.array(out, dtype=np.uint8)


# ---------------------------------------------------------------- trackers and filters


@dataclass
class Track:
    number: int
    x: Any
    misses: int = 0
    hits: int = 1

    def near(self, point: Any, gate: float) -> bool:
        return float(np.linalg.norm(self.x - point)) < gate


class Tracker:
    """Tracks that are born where nothing is near, and die after two misses."""

    def __init__(self) -> None:
        self.tracks: list[Track] = []
        self.next, self.oldest = 0, None

    def step(self, points: Any, gate: float = 1.0) -> Any:
        used = np.zeros(len(points), dtype=bool)
        for track in self.tracks:
            track.misses += 1
            for k, point in enumerate(points):
                if not used[k] and track.near(point, gate):
                    used[k] = True
                    track.x = 0.5 * track.x + 0.5 * point
                    track.misses = 0
                    track.hits += 1
                    break
        self.tracks = [t for t in self.tracks if t.misses < 2]
        for point in points[~used]:
            self.tracks.append(Track(self.next, point.copy()))
            self.next += 1
        if self.tracks:
            self.oldest = min(t.number for t in self.tracks)
        return {"count": len(self.tracks), "oldest": self.oldest}


class Estimate(NamedTuple):
    mean: Any
    spread: float
    valid: bool


class Kalman:
    """Position and speed; a measurement that is NaN or far away is not used."""

    def __init__(self, dt: float = 0.1):
        self.F = np.array([[1.0, dt], [0.0, 1.0]])
        self.x, self.P = np.zeros(2), np.eye(2)
        self.rejected = 0

    def step(self, z: float, r: float = 0.5) -> Estimate:
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + 0.01 * np.eye(2)
        s = self.P[0, 0] + r
        y = z - self.x[0]
        if math.isnan(z) or y * y > 9 * s:
            self.rejected += 1
            if self.rejected >= 3:
                self.x[:], self.P, self.rejected = 0, np.eye(2), 0
            return Estimate(self.x.copy(), float(np.trace(self.P)), False)
        gain = self.P[:, 0] / s
        self.x += gain * y
        self.P -= np.outer(gain, self.P[0])
        self.rejected = 0
        return Estimate(self.x.copy(), float(np.trace(self.P)), True)


class Particles:
    """A particle filter with systematic resampling and its own generator."""

    def __init__(self, count: int = 8):
        self.x, self.w = np.linspace(-2, 2, count), np.ones(count) / count
        self.seed = 12345

    def noise(self) -> float:
        self.seed = (self.seed * 1103515245 + 12345) % 2**31
        return self.seed / 2**31 - 0.5

    def step(self, move: float, seen: float) -> Any:
        for i in range(len(self.x)):
            self.x[i] += move + 0.1 * self.noise()
        self.w *= np.exp(-0.5 * (self.x - seen) ** 2)
        total = self.w.sum()
        if not total > 1e-12:
            self.w[:] = 1 / len(self.w)
            return None
        self.w /= total
        mean = float(self.w @ self.x)
        if 1 / (self.w**2).sum() < len(self.w) / 2:
            places = (np.arange(len(self.w)) + self.noise() + 0.5) / len(self.w)
            self.x = self.x[np.minimum(np.searchsorted(np.cumsum(self.w), places), len(self.x) - 1)]
            self.w = np.full(len(self.x), 1 / len(self.x))
        return mean


class Complementary:
    """An attitude from a gyroscope and an accelerometer."""

    def __init__(self, alpha: float = 0.98):
        self.alpha, self.angle, self.started = alpha, np.zeros(2, np.float32), False

    def step(self, gyro: Any, accel: Any, dt: float = 0.01) -> Any:
        norm = np.sqrt((accel**2).sum())
        if norm < 1e-6:
            self.angle = self.angle + gyro * np.float32(dt)
            return self.angle, "gyro only"
        ax, ay, az = accel / norm
        tilt = np.array([np.arctan2(ay, az), np.arctan2(-ax, np.hypot(ay, az))], dtype=np.float32)
        if not self.started:
            self.angle, self.started = tilt, True
        else:
            a = np.float32(self.alpha)
            self.angle = a * (self.angle + gyro * np.float32(dt)) + (1 - a) * tilt
        return self.angle, "both"


# ---------------------------------------------------------------- controllers


@dataclass
class Gains:
    p: float = 1.0
    i: float = 0.1
    d: float = 0.05
    low: float = -1.0
    high: float = 1.0


class PID:
    """With a limit, and no integration while at it."""

    def __init__(self, gains: Gains):
        self.gains, self.sum, self.before = gains, 0.0, None
        self.saturated = [False, False]

    def step(self, error: float, dt: float = 0.1) -> float:
        if dt <= 0:
            raise ValueError(f"dt must be positive, got {dt:g}")
        slope = 0.0 if self.before is None else (error - self.before) / dt
        self.before = error
        g = self.gains
        wanted = g.p * error + g.i * self.sum + g.d * slope
        given = max(g.low, min(g.high, wanted))
        self.saturated = [wanted < g.low, wanted > g.high]
        if not any(self.saturated):
            self.sum += error * dt
        return given


class MPC:
    """The first of some inputs that bring a double integrator to a target, by projected gradient descent."""

    def __init__(self, horizon: int = 5):
        self.plan = np.zeros(horizon)
        self.iterations = 0

    def rollout(self, x: Any, u: Any) -> Any:
        out = []
        for k in range(len(u)):
            x = np.array([x[0] + 0.1 * x[1], x[1] + 0.1 * u[k]])
            out.append(x)
        return np.stack(out)

    def step(self, x: Any, target: float, limit: float = 1.0, tries: int = 20) -> float:
        self.plan = np.append(self.plan[1:], 0.0)
        n = len(self.plan)
        effect = 0.01 * np.tril(np.ones((n, n)), -1) @ np.tril(np.ones((n, n)))
        for _ in range(tries):
            self.iterations += 1
            error = self.rollout(x, self.plan)[:, 0] - target
            slope = effect.T @ error + 0.01 * self.plan
            if np.abs(slope).max() < 1e-4:
                break
            self.plan = np.clip(self.plan - 5.0 * slope, -limit, limit)
        return self.plan[0]


class Bang:
    """Heats or cools, but no more often than every few steps."""

    OFF, HEAT, COOL = 0, 1, 2

    def __init__(self, band: tuple[float, float] = (19.0, 22.0), rest: int = 2):
        self.band, self.rest = band, rest
        self.mode, self.waited, self.counts = Bang.OFF, 99, {"heat": 0, "cool": 0}

    def step(self, temperature: float) -> int:
        low, high = self.band
        self.waited += 1
        middle = (low + high) / 2
        if (self.mode == Bang.HEAT and temperature >= middle) or (self.mode == Bang.COOL and temperature <= middle):
            self.mode, self.waited = Bang.OFF, 0
        elif self.mode == Bang.OFF and self.waited > self.rest:
            if temperature < low:
                self.mode = Bang.HEAT
                self.counts["heat"] += 1
            elif temperature > high:
                self.mode = Bang.COOL
                self.counts["cool"] += 1
        return self.mode
