"""State machines and signal processing as a person writes them for a device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

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
