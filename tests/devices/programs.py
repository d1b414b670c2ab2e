"""Programs as they run on devices: with fixed sizes, some with state; each with the arguments of its example."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graph_program import GraphProgramFunction, graph_program

RNG = np.random.default_rng(5)


@dataclass(frozen=True)
class DeviceProgram:
    """A program, how it is exported, and what it is called with.

    Attributes
    ----------
    title : str
        What it is, in the table of the docs.
    make : callable
        Gives the program, for a method of a new object.
    arguments : tuple
    rounding : float
        How far results may differ, relative to the largest; 0 where they are the same bits.
    dims : dict
    """

    title: str
    make: Callable[[], GraphProgramFunction[..., Any]]
    arguments: tuple[Any, ...]
    rounding: float = 0.0
    dims: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


class Controller:
    """A filter of the last samples, and a PID controller of what it gives."""

    def __init__(self) -> None:
        self.window = np.zeros(8)
        self.integral, self.last = 0.0, 0.0

    def step(self, seen: float, target: float, dt: float) -> float:
        if dt <= 0:
            raise ValueError(f"a step of {dt} seconds")
        for i in range(7):
            self.window[i] = self.window[i + 1]
        self.window[7] = seen
        error = target - float(np.sum(self.window)) / 8
        self.integral = min(max(self.integral + error * dt, -10.0), 10.0)
        slope = (error - self.last) / dt
        self.last = error
        return 2.0 * error + 0.5 * self.integral + 0.1 * slope


class Kalman:
    """Place and speed in a plane, of places that are measured."""

    def __init__(self) -> None:
        self.state = np.zeros(4)
        self.spread = np.eye(4) * 10
        self.motion = np.eye(4) + np.eye(4, k=2) * 0.1
        self.seen = np.eye(2, 4)

    def step(self, measured: Any) -> Any:
        state = self.motion @ self.state
        spread = self.motion @ self.spread @ self.motion.T + np.eye(4) * 0.01
        residual = measured - self.seen @ state
        total = self.seen @ spread @ self.seen.T + np.eye(2) * 0.5
        gain = spread @ self.seen.T @ np.linalg.inv(total)
        self.state = state + gain @ residual
        self.spread = (np.eye(4) - gain @ self.seen) @ spread
        return self.state[:2].copy()


class Packets:
    """Packets out of bytes: 0x7E, a length, the body, the sum of the body."""

    def __init__(self) -> None:
        self.state, self.left, self.total, self.good, self.bad = 0, 0, 0, 0, 0

    def step(self, data: Any) -> Any:
        for i in range(len(data)):
            byte = int(data[i])
            if self.state == 0:
                if byte == 0x7E:
                    self.state = 1
            elif self.state == 1:
                self.left, self.total = byte, 0
                self.state = 2 if byte > 0 else 3
            elif self.state == 2:
                self.total += byte
                self.left -= 1
                if self.left == 0:
                    self.state = 3
            else:
                self.state = 0
                if self.total % 256 == byte:
                    self.good += 1
                else:
                    self.bad += 1
        return self.good, self.bad


def suppressed(boxes, scores, limit):
    """Which boxes stay of those that overlap, the best first."""
    count = len(scores)
    order = np.argsort(-scores, kind="stable")
    kept = np.zeros(count, dtype=np.bool_)
    for place in range(count):
        i = order[place]
        keep = True
        for before in range(place):
            j = order[before]
            if kept[j]:
                width = min(boxes[i, 2], boxes[j, 2]) - max(boxes[i, 0], boxes[j, 0])
                height = min(boxes[i, 3], boxes[j, 3]) - max(boxes[i, 1], boxes[j, 1])
                both = max(width, 0.0) * max(height, 0.0)
                own = (boxes[i, 2] - boxes[i, 0]) * (boxes[i, 3] - boxes[i, 1])
                other = (boxes[j, 2] - boxes[j, 0]) * (boxes[j, 3] - boxes[j, 1])
                if both > limit * (own + other - both):
                    keep = False
        kept[i] = keep
    return kept


def checksum(data):
    """CRC-32, bit by bit."""
    crc = 0xFFFFFFFF
    for i in range(len(data)):
        crc = crc ^ int(data[i])
        for _ in range(8):
            crc = (crc >> 1) ^ 0xEDB88320 if crc & 1 else crc >> 1
    return crc ^ 0xFFFFFFFF


def quantized(x):
    """int8 with a scale."""
    scale = np.abs(x).max() / np.float32(127)
    return np.clip(np.round(x / scale), -127, 127).astype(np.int8), scale


def waves(x):
    """Functions of C's library."""
    return np.exp(-x * x) + np.tanh(x) * np.sin(3 * x), float(np.log1p(np.abs(x)).sum())


def divided(a, b):
    """Python's division of whole numbers; b = 0 is an error."""
    total = 0
    for i in range(len(a)):
        total = total * 31 + a[i] // b + a[i] % b
    return total, a // b


def refused(a, b):
    """A division by zero, behind some that are none."""
    total = 0
    for i in range(len(a)):
        total += int(a[i]) // (b - i)
    return total


BOXES = np.sort(RNG.random((12, 2, 2)), axis=1).reshape(12, 4)
PACKET = np.array([1, 0x7E, 2, 5, 6, 11, 0x7E, 1, 4, 5, 9], dtype=np.uint8)
WHOLE = np.array([7, -7, 12, -1, 2**40], dtype=np.int64)

PROGRAMS: dict[str, DeviceProgram] = {
    "controller": DeviceProgram(
        "PID controller behind a filter", lambda: graph_program(Controller().step), (0.3, 1.0, 0.01), 1e-14
    ),
    "kalman": DeviceProgram(
        "Kalman filter, 4 states", lambda: graph_program(Kalman().step), (np.array([1.0, 0.5]),), 1e-12
    ),
    "packets": DeviceProgram(
        "packets out of bytes", lambda: graph_program(Packets().step), (PACKET,), dims={"data_0": 11}
    ),
    "suppressed": DeviceProgram(
        "suppression of 12 boxes",
        lambda: graph_program(suppressed),
        (BOXES, RNG.random(12), 0.3),
        dims={"boxes_0": 12, "scores_0": 12},
    ),
    "checksum": DeviceProgram("CRC-32", lambda: graph_program(checksum), (PACKET,), dims={"data_0": 11}),
    "quantized": DeviceProgram(
        "int8 of float32", lambda: graph_program(quantized), (RNG.random(16).astype(np.float32),), dims={"x_0": 16}
    ),
    "waves": DeviceProgram(
        "exp, tanh, sin, log1p", lambda: graph_program(waves), (np.linspace(-2, 2, 9),), 1e-14, dims={"x_0": 9}
    ),
    "divided": DeviceProgram("division of whole numbers", lambda: graph_program(divided), (WHOLE, -5), dims={"a_0": 5}),
    "refused": DeviceProgram("a division by zero", lambda: graph_program(refused), (WHOLE, 2), dims={"a_0": 5}),
}
