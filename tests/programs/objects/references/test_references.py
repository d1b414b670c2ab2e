"""Objects in lists of computed length are references: filtered, chosen, kept in several places, then written."""

from __future__ import annotations

import dataclasses
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
class Group:
    members: list[Any]
    total: float = 0.0


@dataclass
class Cluster:
    center: float
    members: list[Any] = field(default_factory=list)


@case(*FRAMES)
def tracker_ids(frames: Any) -> Any:
    tracks = []
    next_id = 0
    finished = []
    for row in frames:
        for d in row:
            best = None
            bd = 1.0
            for t in tracks:
                if abs(t.pos - d) < bd:
                    bd = abs(t.pos - d)
                    best = t
            if best is None:
                t = Track(float(d), hits=next_id)
                next_id += 1
                tracks.append(t)
            else:
                best.pos = 0.5 * (best.pos + d)
                best.hits += 1
                best.age = 0
        alive = []
        for t in tracks:
            t.age += 1
            if t.age < 3:
                alive.append(t)
            else:
                finished.append(t)
        tracks = alive
    return tracks, finished, next_id


@case(*NUMBERS)
def two_lists_return(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    b = [t for t in a if t.pos > 0]
    for t in b:
        t.age += 2
    return a, b


@case(*NUMBERS)
def dict_of(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    d = {"pos": [t for t in a if t.pos > 0], "neg": [t for t in a if t.pos <= 0]}
    for t in d["neg"]:
        t.hits = 9
    return [t.hits for t in a], {k: len(v) for k, v in d.items()}


@case(*NUMBERS)
def sort_after_filter(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    b = sorted([t for t in a if t.pos > -1.5], key=lambda t: t.pos)
    for i, t in enumerate(b):
        t.hits = i
    if b:
        b[0].age = 100
    return [(t.pos, t.hits, t.age) for t in a]


@case(*NUMBERS)
def swap_pop(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    if len(a) > 1:
        a[0], a[-1] = a[-1], a[0]
    b = list(a)
    if a:
        t = a.pop()
        t.age = 7
        a.insert(0, t)
        t.hits += 1
    return [t.pos for t in a], [(t.age, t.hits) for t in b]


@case(*NUMBERS)
def is_tests(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    best = None
    for t in a:
        if best is None or t.pos > best.pos:
            best = t
    n = 0
    for t in a:
        if t is best:
            n += 1
        if t is not best:
            t.hits = 0
    return n, [t.hits for t in a], best in a, best is None


@case(*NUMBERS)
def remove_index(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    b = list(a)
    for t in b:
        if t.pos < 0 and t in a:
            a.remove(t)
            t.age = -1
    return [t.pos for t in a], [t.age for t in b]


@case(*NUMBERS)
def particles(x: Any) -> Any:
    ps = [Track(float(v)) for v in x]
    for k in range(3):
        for p in ps:
            p.pos += 0.1 * k
        new = []
        for i in range(len(ps)):
            j = (i * 7 + k) % len(ps)
            new.append(Track(ps[j].pos, ps[j].age + 1, ps[j].hits))
        ps = new
    return ps


@case(*NUMBERS)
def events(x: Any) -> Any:
    log = []
    tracks = [Track(float(v)) for v in x]
    for i, t in enumerate(tracks):
        if t.pos > 0:
            log.append(("up", i, t))
        else:
            log.append(("down", i, t))
    for kind, i, t in log:
        t.age += i if kind == "up" else -i
    return [t.age for t in tracks], [(k, i) for k, i, _ in log], log


@case(*NUMBERS)
def merge_lists(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    b = [t for t in a if t.pos > 0] + [t for t in a if t.pos > 1]
    for t in b:
        t.hits += 1
    b.extend(a)
    b.reverse()
    for t in b[1:]:
        t.age += 1
    return [(t.hits, t.age) for t in a], len(b)


@case((1.0,), (-1.0,), (0.0,))
def static_three(x: Any) -> Any:
    tracks = [Track(1.0), Track(-1.0), Track(2.0)]
    act = [t for t in tracks if t.pos * x > 0]
    for t in act:
        t.age += 1
    u, _, w = tracks
    w.age += 1
    u.hits = 5
    return [t.age for t in tracks], [t.hits for t in act], u is tracks[0], tracks


@case(*NUMBERS)
def nested_groups(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    groups = [[t for t in a if t.pos > 0], [t for t in a if t.pos <= 0]]
    for g in groups:
        for t in g:
            t.age += len(g)
    return [t.age for t in a], groups


@case(*NUMBERS)
def objs_with_lists(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    gs = [Group([]), Group([])]
    for t in a:
        (gs[0] if t.pos > 0 else gs[1]).members.append(t)
    for g in gs:
        for t in g.members:
            t.age = 4
            g.total += t.pos
    return [t.age for t in a], [g.total for g in gs], gs


@case(*NUMBERS)
def clusters(x: Any) -> Any:
    cs = []
    items = [Track(float(v)) for v in x]
    for t in items:
        best = None
        for c in cs:
            if abs(c.center - t.pos) < 1.0:
                best = c
        if best is None:
            cs.append(Cluster(t.pos, [t]))
        else:
            best.members.append(t)
            best.center = 0.5 * (best.center + t.pos)
    cs = [c for c in cs if len(c.members) > 0]
    for c in cs:
        for t in c.members:
            t.hits = len(c.members)
    return [t.hits for t in items], [c.center for c in cs], cs


@case(*NUMBERS)
def fstrings(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    b = [t for t in a if t.pos > 0]
    for t in b:
        t.age += 1
    if len(b) == 0:
        return "none"
    return f"{b[0]} of {len(a)}"


@case(*NUMBERS)
def equality(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    b = [t for t in a if t.pos > 0]
    for t in b:
        t.age = 1
    c = Track(0.5, 1)
    return (
        a == b,
        a == list(a),
        c in a,
        a.count(c),
        (a.index(c) if c in a else -1),
        [t == c for t in a],
        [t is c for t in a],
    )


@case(*NUMBERS)
def zipped(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    b = [t for t in a if t.pos > 0]
    for i, (t, u) in enumerate(zip(a, reversed(b), strict=False)):
        t.hits += u.hits
        u.age += i
    m = max((t.hits for t in a), default=0)
    return [(t.hits, t.age) for t in a], m


@case(*NUMBERS)
def while_queue(x: Any) -> Any:
    q = [Track(float(v)) for v in x]
    done = []
    keep = list(q)
    while q:
        t = q.pop(0)
        t.age += 1
        if t.age < 2 and t.pos > 0:
            q.append(t)
        else:
            done.append(t)
    return [t.age for t in keep], [t.pos for t in done]


@case(*NUMBERS)
def raises(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    b = [t for t in a if t.pos > 0]
    b[1].age = 3
    return [t.age for t in a]


@case(*NUMBERS)
def none_attr(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    b = [t for t in a if t.pos > 0]
    best = None
    for t in b:
        if t.pos > 1:
            best = t
    best.age = 3
    return [t.age for t in a]


@case(*NUMBERS)
def tuples(x: Any) -> Any:
    pairs = [(Track(float(v)), i) for i, v in enumerate(x)]
    good = [p for p in pairs if p[0].pos > 0]
    for t, i in good:
        t.age = i
    return [(t.age, i) for t, i in pairs]


@case(*NUMBERS)
def replaced_copies(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    b = [dataclasses.replace(t, age=5) for t in a if t.pos > 0]
    c = [t for t in a if t.pos > 0]
    for t in b:
        t.hits += 10
    for t in c:
        t.hits += 1
    return a, b


@case(*NUMBERS)
def best_of_what_is_made(x: Any) -> Any:
    best, everything = None, []
    for v in x:
        t = Track(float(v))
        everything.append(t)
        if best is None or t.pos > best.pos:
            best = t
    if best is not None:
        best.hits = 100
    return [t.hits for t in everything], best


@case(*NUMBERS)
def element_read_in_a_branch(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    p = Track(0.5)
    q = a[0] if len(a) > 0 else p
    q.hits += 1
    if len(a) > 0:
        a[0].hits += 5
    return a, p, q


@case.each
def test_the_same_as_in_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
