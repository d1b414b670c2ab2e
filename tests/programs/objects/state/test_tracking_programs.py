"""Trackers as they are written: managers of tracks, assignments, events, particles, copies."""

# ruff: noqa: B007
from __future__ import annotations

import copy
import heapq
from collections import deque
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
class Track:
    pos: float
    age: int = 0
    hits: int = 1


@dataclass
class Full:
    id: int
    x: float
    y: float
    vx: float = 0.0
    vy: float = 0.0
    label: str = "new"
    conf: float = 1.0
    trail: list = field(default_factory=list)
    match: object = None

    def predict(self, dt=1.0):
        self.x += self.vx * dt
        self.y += self.vy * dt

    def update(self, px, py):
        self.vx = 0.5 * (self.vx + px - self.x)
        self.vy = 0.5 * (self.vy + py - self.y)
        self.x, self.y = (px, py)
        self.trail.append((px, py))
        if len(self.trail) > 2:
            self.label = "confirmed"

    @property
    def speed(self):
        return (self.vx**2 + self.vy**2) ** 0.5

    def dist(self, px, py):
        return ((self.x - px) ** 2 + (self.y - py) ** 2) ** 0.5


class Manager:
    def __init__(self):
        self.tracks = []
        self.count = 0

    def new(self, px, py):
        self.count += 1
        t = Full(self.count, px, py)
        self.tracks.append(t)
        return t

    def step(self, pts):
        for t in self.tracks:
            t.predict()
        free = list(self.tracks)
        for p in pts:
            cand = None
            for t in free:
                if t.dist(p[0], p[1]) < 2.0 and (cand is None or t.dist(p[0], p[1]) < cand.dist(p[0], p[1])):
                    cand = t
            if cand is None:
                self.new(float(p[0]), float(p[1]))
            else:
                free.remove(cand)
                cand.update(float(p[0]), float(p[1]))
                cand.conf = min(1.0, cand.conf + 0.1)
        for t in free:
            t.conf -= 0.4
        self.tracks = [t for t in self.tracks if t.conf > 0]


G = np.random.default_rng(1).normal(size=(6, 3, 2)).cumsum(axis=0)


class Box_:
    def __init__(self, x0):
        self.x0 = x0


class Found:
    def __init__(self, box, score):
        self.box = box
        self.score = score
        self.owner = None


@dataclass
class Ev:
    time: float
    target: object
    kind: str = "move"

    def __lt__(self, o):
        return self.time < o.time


def make(x: Any) -> Any:
    return [Track(float(v)) for v in x]


def split(ts: Any, thr: Any) -> Any:
    return ([t for t in ts if t.pos > thr], [t for t in ts if not t.pos > thr])


def age_all(ts: Any, k: Any = 1) -> None:
    for t in ts:
        t.age += k


@case((G,), (G[:0],), (G[:1],), (G[:, :0],))
def managed(frames: Any) -> Any:
    m = Manager()
    for pts in frames:
        m.step(pts)
    return (m.tracks, m.count, [t.label for t in m.tracks], [t.speed for t in m.tracks])


@case(*NUMBERS)
def hungarian_like(x: Any) -> Any:
    ts = [Track(float(v)) for v in x]
    ds = [Found(Box_(float(v) + 0.1), 1.0) for v in x]
    pairs = []
    for i, t in enumerate(ts):
        for j, d in enumerate(ds):
            c = abs(t.pos - d.box.x0)
            if c < 1.0:
                pairs.append((c, i, j))
    pairs.sort()
    for c, i, j in pairs:
        t, d = (ts[i], ds[j])
        if t.age == 0 and d.owner is None:
            t.age = 1
            d.owner = t
            t.hits += 1
    return ([d.owner.hits if d.owner is not None else -1 for d in ds], [d.owner is ts[0] for d in ds], ts)


@case(*NUMBERS)
def event_queue(x: Any) -> Any:
    ts = [Track(float(v)) for v in x]
    q = []
    for t in ts:
        heapq.heappush(q, Ev(abs(t.pos), t))
    n = 0
    while q and n < 20:
        e = heapq.heappop(q)
        n += 1
        e.target.age += 1
        if e.target.age < 2:
            e.time += 1.0
            e.kind = "again"
            heapq.heappush(q, e)
    return (ts, n)


@case(*NUMBERS)
def resample_refs(x: Any) -> Any:
    ps = [Track(float(v)) for v in x]
    idx = [3 * i % max(len(ps), 1) for i in range(len(ps))]
    new = [ps[i] for i in idx]
    for p in new:
        p.hits += 1
    return (new, ps)


@case(*NUMBERS)
def resample_copy(x: Any) -> Any:
    ps = [Track(float(v)) for v in x]
    keep = [p for p in ps if p.pos > -1.5]
    for p in keep:
        p.age = 1
    new = [copy.copy(p) for p in keep]
    new2 = [copy.deepcopy(p) for p in keep]
    for p in new:
        p.hits += 1
    for p in new2:
        p.hits += 10
    return (new, new2, ps)


@case(*NUMBERS)
def early_return(x: Any) -> Any:
    ts = [Track(float(v)) for v in x]
    a = [t for t in ts if t.pos > 0]
    for t in a:
        t.age += 1
        if t.pos > 1.5:
            t.hits = -1
            return (ts, t)
    return (ts, None)


@case(*NUMBERS)
def while_cond(x: Any) -> Any:
    ts = [Track(float(v)) for v in x]
    live = [t for t in ts if t.pos != 0]
    k = 0
    while len(live) > 1 and k < 10:
        k += 1
        for t in live:
            t.pos *= 0.5
        worst = min(live, key=lambda t: t.pos)
        worst.age = k
        live = [t for t in live if t is not worst]
    return (ts, live, k)


@case(*NUMBERS)
def global_helper(x: Any) -> Any:
    ts = make(x)
    a, b = split(ts, 0.0)
    age_all(a)
    age_all(a + b, 2)
    return ts


@case(*NUMBERS)
def recursive(x: Any) -> Any:
    ts = make(x)
    a = [t for t in ts if t.pos > 0]

    def walk(i):
        if i >= len(a):
            return 0
        a[i].age = i
        return walk(i + 1)

    walk(0)
    return ts


@case(*FRAMES)
def grid_cells(frames: Any) -> Any:
    cells = [[None for _ in range(2)] for _ in range(3)]
    ts = []
    for i in range(len(frames)):
        t = Track(float(frames[i, 0]))
        ts.append(t)
        cells[i % 3][i % 2] = t
    live = [t for t in ts if t.pos > 1.1]
    for t in live:
        t.hits += 1
    n = 0
    for row in cells:
        for c in row:
            if c is not None:
                n += c.hits
    return (n, cells)


@case(*NUMBERS)
def kwargs_tuple(x: Any) -> Any:
    ts = [Track(pos=float(v), hits=i) for i, v in enumerate(x)]
    by = {True: [], False: []}
    for t in ts:
        by[bool(t.pos > 0)].append(t)
    for t in by[True]:
        t.age = 1
    for t in by[False]:
        t.age = 2
    return (ts, len(by[True]))


@case(*NUMBERS)
def try_except(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    b = [t for t in a if t.pos > 0]
    n = 0
    for t in a:
        try:
            if t.pos < 0:
                raise ValueError("neg")
            t.hits += 1
            if t.pos > 1:
                b[100].age = 1
        except ValueError:
            t.age = -1
        except IndexError:
            n += 1
            t.age = 50
    return (a, b, n)


@case(*NUMBERS)
def comprehension_nested(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    pairs = [(s, t) for s in a for t in a if s.pos < t.pos]
    for s, t in pairs:
        s.hits += 1
        t.age += 1
    return (a, len(pairs))


@case(*NUMBERS)
def tuple_swap(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    lo, hi = (None, None)
    for t in a:
        if lo is None or t.pos < lo.pos:
            lo = t
        if hi is None or t.pos > hi.pos:
            hi = t
    if lo is not None and hi is not None:
        lo, hi = (hi, lo)
        lo.age, hi.age = (1, 2)
        lo.pos, hi.pos = (hi.pos, lo.pos)
    return (a, lo is hi, lo, hi)


@case(*NUMBERS)
def dict_state(x: Any) -> Any:
    st = {"best": None, "all": []}
    for v in x:
        t = Track(float(v))
        st["all"].append(t)
        if st["best"] is None or t.pos > st["best"].pos:
            st["best"] = t
    if st["best"] is not None:
        st["best"].hits = 100
    return (st, [t.hits for t in st["all"]])


@case(*NUMBERS)
def slices(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    b = a[::2]
    for t in b:
        t.age = 1
    a[1:2] = b
    a += b
    del a[0:1]
    for t in a:
        t.hits += 1
    c = a * 2
    for t in c:
        t.pos += 1
    return (a, b, len(c))


@case(*NUMBERS)
def history_of_objs(x: Any) -> Any:
    hist = []
    cur = Track(0.0)
    for v in x:
        if v > 0:
            cur = Track(float(v))
        cur.hits += 1
        hist.append(cur)
    return (hist, [h is cur for h in hist])


@case((5,), (0,), (1,))
def range_made(n: Any) -> Any:
    ps = [Track(0.5 * i) for i in range(n)]
    for step in range(3):
        live = [p for p in ps if p.pos < 1.6]
        for p in live:
            p.pos += 0.3
            p.age += 1
        dead = [p for p in ps if p not in live]
        for p in dead:
            p.hits = 0
    return (ps, dead)


@case(*NUMBERS)
def queue_deque(x: Any) -> Any:
    q = deque()
    a = [Track(float(v)) for v in x]
    for t in a:
        q.append(t)
    while q:
        t = q.popleft()
        t.age += 1
        if t.age < 3 and t.pos > 0:
            q.append(t)
    return a


@case(*FRAMES)
def static_tracks(frames: Any) -> Any:
    tracks = [Track(1.0), Track(5.0)]
    for row in frames:
        for d in row:
            best = min(tracks, key=lambda t: abs(t.pos - d))
            if abs(best.pos - d) < 2:
                best.pos = 0.5 * (best.pos + d)
                best.hits += 1
        active = [t for t in tracks if t.hits > 1]
        for t in active:
            t.age += 1
    return tracks


@case.each
def test_the_same_as_in_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
