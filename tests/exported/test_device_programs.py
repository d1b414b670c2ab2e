"""Twenty programs for devices, exported once and stepped with other sizes, branches and errors than exported with.

Each row: the object, its method, the calls; the first call is the one that the file is exported with.
"""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from graph_program import graph_program
from tests.loading.agreement import Arguments, in_python, same, same_outcome
from tests.loading.device import Device, plain

RNG = np.random.default_rng(11)
NAN = float("nan")


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


# ---------------------------------------------------------------- state machines


SYNC, LENGTH, BODY, CHECK = range(4)


class BadChecksum(Exception):
    pass


class Parser:
    """Packets out of a stream of bytes: 0x7E, a length, the body, the sum of the body."""

    def __init__(self) -> None:
        self.state, self.left = SYNC, 0
        self.body: list[int] = []
        self.good, self.bad = 0, 0

    def finish(self, byte: int) -> list[int]:
        if sum(self.body) % 256 != byte:
            raise BadChecksum(f"{sum(self.body) % 256} is not {byte}")
        return list(self.body)

    def step(self, data: Any) -> Any:
        last: list[int] = []
        for value in data:
            byte = int(value)
            if self.state == SYNC:
                if byte == 0x7E:
                    self.state = LENGTH
            elif self.state == LENGTH:
                self.left = byte
                self.body.clear()
                self.state = BODY if byte > 0 else CHECK
            elif self.state == BODY:
                self.body.append(byte)
                self.left -= 1
                if self.left == 0:
                    self.state = CHECK
            else:
                self.state = SYNC
                try:
                    last = self.finish(byte)
                    self.good += 1
                except BadChecksum:
                    self.bad += 1
        return last, self.good, self.bad, self.state


@dataclass
class Button:
    level: bool = False
    count: int = 0
    held: int = 0


class Debouncer:
    """Buttons that change when they have been stable for a few samples; long presses are events."""

    def __init__(self, buttons: int = 3, stable: int = 2):
        self.buttons = [Button() for _ in range(buttons)]
        self.stable = stable

    def step(self, raw: Any) -> list[tuple[int, str]]:
        events = []
        for i, button in enumerate(self.buttons):
            if bool(raw[i]) == button.level:
                button.count = 0
            else:
                button.count += 1
                if button.count >= self.stable:
                    button.level, button.count, button.held = not button.level, 0, 0
                    events.append((i, "down" if button.level else "up"))
            if button.level:
                button.held += 1
                if button.held == 3:
                    events.append((i, "long"))
        return events


# ---------------------------------------------------------------- signals


class Ring:
    """The latest samples, the oldest first; a read of too many is an error."""

    def __init__(self, size: int = 4):
        self.data, self.head, self.full = np.zeros(size, np.float32), 0, False

    def push(self, sample: Any) -> None:
        self.data[self.head] = sample
        self.head = (self.head + 1) % len(self.data)
        self.full = self.full or self.head == 0

    def step(self, samples: Any, read: int = 2) -> Any:
        for s in samples:
            self.push(s)
        have = len(self.data) if self.full else self.head
        if read > have:
            raise IndexError(f"{read} of {have} samples")
        ordered = np.roll(self.data, -self.head) if self.full else self.data[: self.head]
        return ordered[len(ordered) - read :], float(ordered.mean())


class Spectrum:
    """Powers in bands over a sliding block, smoothed; a silent block gives no peak."""

    def __init__(self, bands: int = 4, smooth: float = 0.5):
        self.power, self.smooth, self.blocks = np.zeros(bands), smooth, 0

    def step(self, block: Any, rate: float = 8000.0) -> Any:
        if block.ndim != 1 or block.size < 2 * len(self.power):
            raise ValueError(f"a block of {block.shape}")
        window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(block.size) / block.size)
        spectrum = np.abs(np.fft.rfft(block * window)) ** 2
        edges = np.linspace(0, len(spectrum), len(self.power) + 1).astype(int)
        for b in range(len(self.power)):
            self.power[b] = self.smooth * self.power[b] + (1 - self.smooth) * spectrum[edges[b] : edges[b + 1]].sum()
        self.blocks += 1
        peak = int(spectrum.argmax())
        return self.power.copy(), (peak * rate / block.size if spectrum[peak] > 1e-9 else None)


class Runs:
    """Run-length coding; the run at the end of a packet goes on in the next."""

    def __init__(self) -> None:
        self.value, self.length = -1, 0

    def step(self, data: Any, flush: bool = False) -> Any:
        values: list[int] = []
        lengths: list[int] = []
        for v in data:
            if v == self.value and self.length < 255:
                self.length += 1
                continue
            if self.length > 0:
                values.append(self.value)
                lengths.append(self.length)
            self.value, self.length = int(v), 1
        if flush and self.length:
            values.append(self.value)
            lengths.append(self.length)
            self.value, self.length = -1, 0
        return values, lengths


@dataclass
class Fit:
    gain: float
    offset: float
    residual: float


class Calibration:
    """A straight line through points that were given; bad points are errors that leave the old line."""

    def __init__(self) -> None:
        self.fit = Fit(1.0, 0.0, 0.0)
        self.raw: list[float] = []
        self.true: list[float] = []

    def step(self, raw: float, true: float | None = None) -> float:
        if true is None:
            return self.fit.gain * raw + self.fit.offset
        self.raw.append(raw)
        self.true.append(true)
        if len(self.raw) < 2:
            raise LookupError("one point is not enough")
        x, y = np.array(self.raw), np.array(self.true)
        dx = x - x.mean()
        if (dx * dx).sum() == 0:
            raise ZeroDivisionError("all points are the same")
        gain = float((dx * y).sum() / (dx * dx).sum())
        offset = float(y.mean() - gain * x.mean())
        self.fit = Fit(gain, offset, float(np.abs(gain * x + offset - y).max()))
        return self.fit.residual


class Otsu:
    """The threshold of an image of bytes, and the box of what is brighter than a smoothed one."""

    def __init__(self) -> None:
        self.level, self.images = None, 0

    def step(self, image: Any) -> Any:
        self.images += 1
        counts = np.bincount(image.ravel(), minlength=256)
        total, weighted = counts.sum(), (counts * np.arange(256)).sum()
        best, level, below, sum_below = 0.0, 0, 0, 0
        for t in range(256):
            below += counts[t]
            if below == 0:
                continue
            above = total - below
            if above == 0:
                break
            sum_below += t * counts[t]
            between = below * above * (sum_below / below - (weighted - sum_below) / above) ** 2
            if between > best:
                best, level = between, t
        self.level = level if self.level is None else (self.level + level) // 2
        mask = image > self.level
        if not mask.any():
            return self.level, None
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        return self.level, (rows[0], columns[0], rows[-1], columns[-1])


class Quantizer:
    """int8 with a scale that follows the largest value."""

    def __init__(self) -> None:
        self.largest, self.clipped = np.float32(1e-3), 0

    def step(self, x: Any, decay: float = 0.9) -> Any:
        peak = np.abs(x).max() if x.size else np.float32(0)
        if not np.isfinite(peak):
            raise FloatingPointError("not finite")
        self.largest = np.maximum(np.float32(decay) * self.largest, peak)
        scale = self.largest / np.float32(127)
        q = np.round(x / scale)
        over = (q < -127) | (q > 127)
        self.clipped += int(over.sum())
        return np.clip(q, -127, 127).astype(np.int8), scale


# ---------------------------------------------------------------- the calls


def floats(*values: float) -> list[tuple[float]]:
    return [(float(v),) for v in values]


def arrays(*values: Any, dtype: Any = float) -> list[tuple[Any]]:
    return [(np.array(v, dtype=dtype),) for v in values]


TABLE = np.log(np.random.default_rng(2).dirichlet(np.ones(4), 4))
PACKETS = ([1, 0x7E, 2], [5, 6, 11, 9], [], [0x7E, 1, 4, 5], [0x7E, 0, 0, 0x7E, 3, 1], [1, 1, 3])
IMU = [([0, 0, 0], 0.01), ([0, 0, 1], 0.01), ([1, 0, 1], 0.1), ([0.0, -1, 0], 1.0), ([NAN, 0, 1], 0.1)]

WARM = {"detector": 1, "tracker": 1, "PID": 1, "packets": 2, "calibration": 2, "Otsu": 1}
"""So many calls are made before the export, where the state starts with None or an empty list."""
PROGRAMS: dict[str, tuple[Callable[[], Any], list[tuple[Any, ...]]]] = {
    "detector": (
        Detector,
        [frame(4), frame(9), frame(0), (*frame(3), 2.0), (*frame(6), 0.9), (frame(2)[0], frame(3)[1])],
    ),
    "CTC": (CTC, [(RNG.random((n, 4)),) for n in (5, 1, 0, 17)]),
    "beam search": (lambda: BeamSearch(TABLE), [(1, 3), (2, 0), (3, 6), (0, 1), (-1, 2), (9, 2)]),
    "Viterbi": (Viterbi, arrays([0, 1, 3], [2], [], [3, 3, 0, 1, 2], [4], dtype=int)),
    "Huffman": (Huffman, arrays([0, 1, 0], [1], [1, 0, 1, 1], [], [0, 2], [0], dtype=int)),
    "tracker": (
        Tracker,
        [
            (np.array(p, float).reshape(-1, 2), g)
            for p, g in (
                ([[0, 0], [3, 3]], 1.0),
                ([[0.5, 0]], 1.0),
                ([], 1.0),
                ([[0.6, 0], [9, 9], [9, 9.5]], 2.0),
                ([], 1.0),
                ([], 0.0),
                ([[NAN, 0]], 1.0),
            )
        ],
    ),
    "Kalman": (Kalman, floats(0.5, 0.6, NAN, 0.8, 99, -99, NAN, 0.1)),
    "particles": (Particles, [(0.1, 0.5), (0.0, 0.0), (0.1, 90.0), (-0.5, NAN), (0.0, 1.0)]),
    "complementary": (
        Complementary,
        [(np.array([0.1, -0.2], np.float32), np.array(a, np.float32), dt) for a, dt in IMU],
    ),
    "PID": (lambda: PID(Gains()), [(1.0,), (0.5, 0.2), (-3.0, 0.1), (0.1, 0.0), (NAN, 0.1), (0.2, -1.0)]),
    "MPC": (MPC, [(np.array([0.0, 0.0]), 1.0), (np.array([0.1, 0.5]), -1.0, 0.2, 3), (np.zeros(2), 0.0, 1.0, 0)]),
    "bang-bang": (Bang, floats(18, 19, 21, 17, 17, 17, 25, 25, 25, 25, NAN)),
    "packets": (Parser, arrays(*PACKETS, dtype=np.uint8)),
    "debouncer": (Debouncer, arrays([1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0], [0], dtype=int)),
    "ring": (
        Ring,
        [(np.array(s, np.float32), r) for s, r in (([1, 2], 2), ([], 0), ([3], 9), ([4, 5, 6], 4), ([], 5))],
    ),
    "spectrum": (Spectrum, [(np.sin(np.arange(n) * 0.7) * a,) for n, a in ((32, 1), (8, 2), (9, 1), (64, 0), (7, 1))]),
    "runs": (
        Runs,
        [
            (np.array(d, np.int64), f)
            for d, f in (
                ([1, 1, 2], False),
                ([2, 2], False),
                ([], True),
                ([], True),
                ([5] * 300, True),
                ([-1, -1, 0], False),
            )
        ],
    ),
    "calibration": (Calibration, [(1.0, 2.0), (2.0, 4.5), (3.0, 5.0), (NAN, 1.0)]),
    "Otsu": (
        Otsu,
        [
            (RNG.integers(0, h, s).astype(np.uint8),)
            for h, s in ((256, (6, 7)), (9, (3, 3)), (1, (2, 2)), (255, (1, 9)))
        ],
    ),
    "quantizer": (Quantizer, arrays([1, -2, 0.5], [], [1.0], [NAN], [100, 1e-9], dtype=np.float32)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_stepped(name: str, device: Device) -> None:
    """The same results, errors and state as Python's, step by step, where graph_program is not installed."""
    make, calls = PROGRAMS[name]
    one = make()
    program = graph_program(one.step)
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        for args in copy.deepcopy(calls[: WARM.get(name, 0)]):
            with suppress(LookupError):
                program(*args)
        model = program.model(calls[0])
        for outcome, args in zip(device.run(model.SerializeToString(), calls), copy.deepcopy(calls), strict=True):
            before = copy.deepcopy(one)
            same_outcome(outcome, in_python(one.step, Arguments(args)))
            one = before if outcome.error else one  # a file keeps the state that it had
            state, wanted = outcome.state["self"][2], plain(one)[2]
            same(state, {name: wanted[name] for name in state})
