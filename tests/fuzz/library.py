"""The classes and functions that random programs use, as source text; a program gets those it names."""

from __future__ import annotations

import re

from tests.fuzz.host_library import HOST_IMPORTS, HOST_TEXTS

IMPORTS = """\
import math
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple

import numpy as np
"""

TEXTS = """
@dataclass
class Pair:
    u: float
    v: int

    def total(self):
        return self.u + self.v

    def moved(self, by):
        self.v += by
        return self

    def __add__(self, other):
        return Pair(self.u + other.u, self.v - other.v)


@dataclass(frozen=True)
class Fixed:
    a: float
    b: int = 1

    @property
    def double(self):
        return 2 * self.a

    def grown(self):
        return replace(self, b=self.b + 1)

    @classmethod
    def of(cls, n):
        return cls(n * 0.5, n)


class Point(NamedTuple):
    x: float
    y: float


@dataclass
class Body:
    position: np.ndarray
    mass: float = 1.0

    def energy(self):
        return self.mass * np.sum(self.position)

    def copied(self):
        return Body(self.position.copy(), self.mass)


@dataclass
class Track:
    body: Body
    steps: int = 0


class Tracker:
    def __init__(self, count, total, values, items):
        self.count = count
        self.total = total
        self.values = values
        self.items = items

    def add(self, value):
        self.count += 1
        self.total += value
        return self.total

    @property
    def mean(self):
        return self.total / max(self.count, 1)

    def shift(self, value):
        self.values[1:] = self.values[:-1]
        self.values[0] = value


class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


def mode_of(n):
    if n > 2:
        return "run"
    return "stop" if n < 0 else "idle"


def color_of(n, otherwise):
    match n:
        case 0:
            return Color.RED
        case 1 | 2:
            return Color.GREEN
    return otherwise


class Failure(ValueError):
    pass


class WorseFailure(Failure):
    pass


def helper(a, b=2):
    if a > b:
        return a - b
    for k in range(3):
        a = a + k
        if a > 5:
            break
    return a


def clipped(v, low, high):
    return np.minimum(np.maximum(v, low), high)


def early(v, n):
    if n > 2:
        return v
    for row in v:
        if n < 0:
            return v * 2
        n -= 1
    return -v


def gcd(a, b):
    return a if b == 0 else gcd(b, a % b)


def sum_down(n, total):
    if n <= 0:
        return total
    return sum_down(n - 1, total + n)


def kind_of(n):
    match n % 5:
        case 0:
            return 10
        case 1 | 2:
            return 20
        case m if m > 3:
            return m
    return -1


def sign_of(a):
    if a > 0:
        return 1.0
    elif a < 0:
        return -1.0
    return 0.0


def apply(function, *args):
    return function(*args)


def twice(function, v):
    return function(function(v))


def biggest(v):
    best = v[0]
    for e in v:
        if e > best:
            best = e
    return best


def spread(v):
    return np.min(v), np.max(v)


def is_small(e):
    return -1.0 < float(e) < 1.0


def first_negative(v):
    for i in range(len(v)):
        if v[i] < 0:
            return i
    return None


def bump(v, by):
    v += by


def set_first(v, value):
    v[0] = value
    return v


def scale_rows(m, by):
    for row in m:
        row *= by


def reverse_in_place(v):
    v[:] = v[::-1]
"""

NAME = re.compile(r"(?:def|class) (\w+)|^(\w+) =", re.MULTILINE)
ALL_TEXTS = [text for texts in (TEXTS, HOST_TEXTS) for text in texts.strip().split("\n\n\n")]
DEFINITIONS = {next(filter(None, NAME.search(text).groups())): text for text in ALL_TEXTS}  # type: ignore[union-attr]


def header(text: str) -> str:
    """Imports, and the definitions that a text needs, in order."""
    needed: set[str] = set()
    waiting = [text]
    while waiting:
        for word in re.findall(r"\w+", waiting.pop()):
            if word in DEFINITIONS and word not in needed:
                needed.add(word)
                waiting.append(DEFINITIONS[word])
    imports = [IMPORTS, HOST_IMPORTS] if "LOG" in needed else [IMPORTS]
    return "\n\n".join([*imports, *(f"{text}\n" for name, text in DEFINITIONS.items() if name in needed)])
