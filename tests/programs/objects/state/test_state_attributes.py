"""Attributes of captured objects that a program writes, against plain Python, call after call."""

from __future__ import annotations

import enum
import functools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from tests.programs.stateful import check_calls

VECTORS = [(np.array([i * 0.7, 1.0 - i]),) for i in range(5)]
FLOATS = [(float(i),) for i in range(4)]


class Slots:
    __slots__ = ("late", "n", "x")

    def __init__(self) -> None:
        self.x, self.n = np.zeros(2), 0

    def step(self, z):
        self.n += 1
        self.x = self.x + z
        self.late = self.x * self.n
        return self.n


class Property:
    def __init__(self) -> None:
        self._v, self.sets = 1.0, 0

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, new):
        self._v = new * 2
        self.sets += 1

    def step(self, z):
        self.v = z
        self.v += 1
        return self.v


class Shadow:
    count = 10
    best: Any = None

    def step(self, z):
        self.count += 1
        if self.best is None or z > self.best:
            self.best = z
        return self.count


@dataclass
class Record:
    x: Any = field(default_factory=lambda: np.zeros(2))
    n: int = 0

    def step(self, z):
        self.x += z
        self.n += 1
        return self


class Shared:
    def __init__(self) -> None:
        self.a = np.zeros(2)
        self.b, self.c = self.a, [self.a]

    def step(self, z):
        self.a += z
        return self.b.sum() + self.c[0].sum()


class SharedAtFirst:
    def __init__(self) -> None:
        self.a = self.b = np.zeros(2)

    def step(self, z):
        self.a += z
        before = self.b * 1
        self.a = self.a * 2
        return before


class Settings:
    def __init__(self) -> None:
        self.gain, self.w = 1.0, np.ones(2)


class Nested:
    def __init__(self) -> None:
        self.settings, self.d = Settings(), {"a": {"b": 0}}

    def step(self, z):
        self.settings.gain = self.settings.gain * 0.5
        self.settings.w[0] += 1
        self.d["a"]["b"] += 1
        return self.settings.gain * z + self.settings.w


class Containers:
    def __init__(self) -> None:
        self.d, self.items, self.tail = {"k": 1.0}, [1, 2.0], np.zeros(3)

    def step(self, z):
        self.d["k"] = self.d["k"] * 2
        self.d["new"] = z
        self.items[0] += 1
        self.tail[:-1] = self.tail[1:]
        self.tail[-1] = z[0]


class Window:
    def __init__(self) -> None:
        self.rows: list[Any] = []

    def step(self, z):
        self.rows.append(z * 2)
        if len(self.rows) > 3:
            self.rows.pop(0)
        return sum(self.rows)


class Swap:
    def __init__(self) -> None:
        self.a, self.b = np.zeros(2), np.ones(2)

    def step(self, z):
        self.a, self.b = self.b, self.a
        self.a[0] += z[0]
        return self.b


class Conditional:
    def __init__(self) -> None:
        self.x = self.y = np.zeros(2)

    def step(self, z):
        if z[0] > 1:
            self.x = z * 1
        return self.y


class Keep:
    def __init__(self) -> None:
        self.last = None

    def step(self, z):
        old, self.last = self.last, z
        return old


class Loops:
    def __init__(self) -> None:
        self.x, self.n = np.zeros(2), 0

    def step(self, z):
        for i in range(3):
            self.n += 1
            self.x = self.x + z * i
        while self.x[0] > 10:
            self.x = self.x / 2
            self.n -= 1
        return self.n


class Raises:
    def __init__(self) -> None:
        self.n, self.x = 0, np.zeros(2)

    def step(self, z):
        if z[0] > 2:
            raise ValueError(f"too big: {z[0]}")
        self.n += 1
        self.x += z


class Mode(enum.Enum):
    IDLE = 1
    RUN = 2


class Machine:
    def __init__(self) -> None:
        self.mode, self.text = Mode.IDLE, "idle"

    def step(self, z):
        if self.mode is Mode.IDLE:
            self.mode, self.text = Mode.RUN, "run"
            return z
        self.mode, self.text = Mode.IDLE, "idle"
        return -z


class Base:
    def __init__(self) -> None:
        self.n = 0

    def step(self, z):
        self.n += 1
        return z * self.n


class Derived(Base):
    def __init__(self) -> None:
        super().__init__()
        self.m = 0

    def step(self, z):
        self.m += 2
        return super().step(z) + self.m


class NumberFirst:
    def __init__(self) -> None:
        self.total = 0

    def step(self, z):
        self.total = self.total + z
        return self.total


class Made:
    def step(self, z):
        if not hasattr(self, "x"):
            self.x = z * 0
        self.x = self.x + z
        return self.x


class MadeOnSomePaths:
    def step(self, z):
        if z[0] > 1:
            self.seen = z * 2
        return hasattr(self, "seen")


class ReadOnSomePaths:
    def step(self, z):
        if z[0] > 1 and z[0] < 2:
            self.seen = z * 2
        if z[0] > 1 or z[0] == 0:
            return self.seen[0]
        return z[1]


class Cached:
    def __init__(self) -> None:
        self.n = 2.0

    @functools.cached_property
    def k(self):
        return self.n * 3

    def step(self, z):
        self.n += 1
        return z * self.k


class Track:
    def __init__(self, x: Any) -> None:
        self.x, self.age = x, 0

    def update(self, z):
        self.x = 0.5 * self.x + 0.5 * z
        self.age += 1


class One:
    def __init__(self) -> None:
        self.track: Any = None

    def step(self, z):
        if self.track is None:
            self.track = Track(z)
        else:
            self.track.update(z)
        return self.track.x


class Several:
    def __init__(self) -> None:
        self.tracks = [Track(np.zeros(2)), Track(np.ones(2))]

    def step(self, z):
        for track in self.tracks:
            track.update(z)
        return [track.age for track in self.tracks]


class Spawning:
    def __init__(self) -> None:
        self.tracks: list[Any] = []

    def step(self, z):
        for track in self.tracks:
            track.update(z)
        if len(self.tracks) < 2:
            self.tracks.append(Track(z))
        return len(self.tracks)


class Replacing:
    """A nested object that is written and later replaced."""

    def __init__(self) -> None:
        self.track = Track(np.zeros(2))

    def step(self, z):
        self.track.update(z)
        self.track = Track(self.track.x * 2)
        return self.track


class Integers:
    def __init__(self) -> None:
        self.ids, self.k, self.f = np.arange(3), np.int64(3), np.float32(2)

    def step(self, z):
        self.ids = self.ids + 1
        self.k = self.k + 1
        self.f = self.f * 2
        return self.ids


VECTOR_CLASSES = [
    Slots,
    Record,
    Shared,
    SharedAtFirst,
    Nested,
    Containers,
    Window,
    Swap,
    Conditional,
    Keep,
    Loops,
    Raises,
    NumberFirst,
    Made,
    MadeOnSomePaths,
    ReadOnSomePaths,
    One,
    Several,
    Spawning,
    Replacing,
]
FLOAT_CLASSES = [Property, Shadow, Machine, Derived, Cached, Integers]


@pytest.mark.parametrize("cls", VECTOR_CLASSES)
def test_arrays(cls: type) -> None:
    check_calls(cls, "step", *VECTORS)


@pytest.mark.parametrize("cls", FLOAT_CLASSES)
def test_numbers(cls: type) -> None:
    check_calls(cls, "step", *FLOATS)


class Restarting:
    """Replaced on some paths, then written in place."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        self.x, self.t = np.zeros(2), 0

    def step(self, z):
        if self.t == 3:
            self.restart()
        self.t += 1
        self.x += z
        return self.x * 1


class Pair:
    """Objects that refer to one another."""

    def __init__(self) -> None:
        self.a, self.b = Track(1.0), Track(2.0)
        self.a.other, self.b.other = self.b, self.a

    def step(self, z):
        self.a.x += self.a.other.x * z
        self.b.x += self.b.other.x * z
        return self.a.x


class Pacing:
    def __init__(self) -> None:
        self.pace, self.n = "idle", 0

    def step(self, z):
        if self.pace == "idle":
            if z > 0:
                self.pace = "run"
        elif self.pace == "run" and z > 1:
            self.pace = "idle"
            self.n += 1
        return self.n


class Network:
    def __init__(self) -> None:
        self.weights = {"w": np.full((2, 3), 0.1), "v": np.full((3, 1), 0.2)}
        self.gradients: dict[str, Any] = {}
        self.kept: Any = None

    def forward(self, x):
        h = np.tanh(x @ self.weights["w"])
        self.kept = (x, h)
        return h @ self.weights["v"]

    def step(self, z):
        error = self.forward(np.reshape(z, (1, 2)).copy()) - 1.0
        x, h = self.kept
        self.gradients["v"] = h.T @ error
        self.gradients["w"] = x.T @ ((error @ self.weights["v"].T) * (1 - h**2))
        for name, gradient in self.gradients.items():
            self.weights[name] -= 0.1 * gradient
        return error[0, 0]


@pytest.mark.parametrize("cls", [Restarting])
def test_paths(cls: type) -> None:
    check_calls(cls, "step", *VECTORS)


@pytest.mark.parametrize("cls", [Pair, Pacing])
def test_structures(cls: type) -> None:
    check_calls(cls, "step", *FLOATS, *FLOATS)


def test_a_network_that_learns() -> None:
    check_calls(Network, "step", *VECTORS)
