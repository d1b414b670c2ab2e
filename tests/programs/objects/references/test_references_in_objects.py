"""Objects that are references and have arrays, lists, other objects and methods in them."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.programs.plain import Cases, check

X = np.array([1.5, -2.0, 0.5, -1.0, 1.6])
NUMBERS = tuple((x,) for x in (X, X[:0], -X, X[:1], np.zeros(3)))
F = np.array([[1.0, 5.0], [1.2, 9.0], [1.3, 5.2], [7.0, 7.4]])
FRAMES = tuple((f,) for f in (F, F[:0], F[:1], np.zeros((3, 2)), -F))
case = Cases()


@dataclass
class KF:
    x: Any
    P: Any
    id: int
    misses: int = 0
    history: list[float] = field(default_factory=list)


class Obj:
    def __init__(self, v: Any, name: str = "a"):
        self.v = v
        self.name = name
        self.next: Any = None
        self.state = "new"

    def bump(self, k: float) -> Obj:
        self.v += k
        return self

    @property
    def double(self) -> Any:
        return self.v * 2


class S(enum.Enum):
    NEW = 1
    OLD = 2


@dataclass
class ST:
    v: float
    s: S = S.NEW
    last: Any = None


@case(*FRAMES)
def kalman(frames: Any) -> Any:
    F_ = np.array([[1.0, 1.0], [0.0, 1.0]])
    tracks = []
    nid = 0
    for row in frames:
        for t in tracks:
            t.x = F_ @ t.x
            t.P = F_ @ t.P @ F_.T + 0.01 * np.eye(2)
        for d in row:
            best = None
            bd = 2.0
            for t in tracks:
                e = abs(t.x[0] - d)
                if e < bd:
                    bd = e
                    best = t
            if best is None:
                nid += 1
                tracks.append(KF(np.array([d, 0.0]), np.eye(2), nid))
            else:
                y = d - best.x[0]
                S = best.P[0, 0] + 0.1
                K = best.P[:, 0] / S
                best.x = best.x + K * y
                best.P = best.P - np.outer(K, best.P[0])
                best.misses = 0
                best.history.append(float(y))
        for t in tracks:
            t.misses += 1
        tracks = [t for t in tracks if t.misses < 3]
    return [(t.id, t.x, t.P) for t in tracks], [t.history for t in tracks]


@case(*FRAMES)
def kalman_inplace(frames: Any) -> Any:
    tracks = []
    for row in frames:
        for t in tracks:
            t.x[0] += t.x[1]
            t.P += np.eye(2)
        for d in row:
            best = None
            bd = 2.0
            for t in tracks:
                e = abs(t.x[0] - d)
                if e < bd:
                    bd = e
                    best = t
            if best is None:
                tracks.append(KF(np.array([d, 0.0]), np.eye(2), len(tracks)))
            else:
                best.x[0] = 0.5 * (best.x[0] + d)
                best.x[1] += 0.1
                best.P *= 0.5
                best.misses = -1
        for t in tracks:
            t.misses += 1
        tracks = [t for t in tracks if t.misses < 2]
    return tracks


@case(*NUMBERS)
def plain_class(x: Any) -> Any:
    a = [Obj(v) for v in x]
    b = [o for o in a if o.v > 0]
    for o in b:
        o.bump(1.0).state = "pos"
        o.next = b[0]
    for o in a:
        if o.next is not None:
            o.next.v += 0.5
    return [o.double for o in a], [o.state for o in a], [o.next is b[0] if o.next is not None else None for o in a]


@case(*NUMBERS)
def enum_state(x: Any) -> Any:
    a = [ST(float(v)) for v in x]
    b = [t for t in a if t.v > 0]
    for t in b:
        t.s = S.OLD
        t.last = t.v * 2
    n = 0
    for t in a:
        if t.s is S.OLD:
            n += 1
    return n, [t.s for t in a], [t.last for t in a]


@dataclass(order=True)
class Pri:
    cost: float
    n: int = 0


@case(*NUMBERS)
def ordered(x: Any) -> Any:
    ps = [Pri(float(v)) for v in x]
    s = sorted(p for p in ps if p.cost > -1.5)
    for i, p in enumerate(s):
        p.n = i
    if s:
        s[0].cost = 99.0
    best = max(ps) if ps else None
    return ps, best, [p < s[0] for p in ps] if s else []


@case.each
def test_the_same_as_in_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
