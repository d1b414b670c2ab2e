"""Objects of the caller, and in the state of a captured object, that the program puts in lists and writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graph_program import graph_program
from tests.programs.plain import Cases, check, differs

case = Cases()


@dataclass
class Track:
    pos: float
    age: int = 0
    hits: int = 1


@dataclass
class Part:
    x: Any
    n: int = 0
    tag: str = "a"


def tracks(*positions: float) -> list[Track]:
    return [Track(float(p)) for p in positions]


def parts(count: int) -> list[Part]:
    return [Part(np.arange(2.0) + i, i) for i in range(count)]


LISTS = ((tracks(1, -1, 2),), (tracks(),), (tracks(-1),), (tracks(1, 2, 3, 4),))


@case(*LISTS)
def filtered(items: Any) -> Any:
    active = [t for t in items if t.pos > 0]
    for t in active:
        t.age += 1
    return active


@case(*LISTS)
def changed(items: Any) -> Any:
    best = None
    for t in items:
        t.age += 1
        if best is None or t.pos > best.pos:
            best = t
    if best is not None:
        best.hits += 1
    keep = [t for t in items if t.pos > 0]
    keep.append(Track(9.0))
    for t in keep:
        t.hits += 2
    items.clear()
    items.extend(keep)
    return best


@case((tracks(1, -1, 2), np.array([1.2, 5.0])), ([], np.array([1.2, 5.0, 1.3])), (tracks(3), np.zeros(0)))
def associated(items: Any, detections: Any) -> Any:
    for d in detections:
        best, distance = None, 1.0
        for t in items:
            if abs(t.pos - d) < distance:
                best, distance = t, abs(t.pos - d)
        if best is None:
            items.append(Track(float(d)))
        else:
            best.pos = 0.5 * (best.pos + d)
            best.hits += 1
            best.age = 0
    for t in items:
        t.age += 1
    return [t for t in items if t.hits > 1]


@case((parts(3),), (parts(0),), (parts(1),))
def with_arrays(items: Any) -> Any:
    good = [o for o in items if o.n > 0]
    for o in good:
        o.n += 10
        o.x = o.x * 2
        o.tag = "b"
    return good


@case.each
def test_the_same_as_in_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)


def test_results_are_the_callers_own_objects() -> None:
    given = parts(3)
    arrays = [p.x for p in given]
    found = graph_program(with_arrays)(given)
    assert len(found) == 2
    assert all(p is given[i + 1] for i, p in enumerate(found))
    assert [p.x is x for p, x in zip(given, arrays, strict=True)] == [True, False, False]


def two_lists(x: Any) -> Any:
    a = [Track(float(v)) for v in x]
    b = [t for t in a if t.pos > 0]
    for t in b:
        t.age += 2
    return a, b, {"first": a[0], "pairs": [(t, 1) for t in b]}


def test_one_object_is_one_in_results() -> None:
    a, b, rest = graph_program(two_lists)(np.array([1.0, -1.0, 2.0]))
    assert b[0] is a[0] is rest["first"] is rest["pairs"][0][0]
    assert b[1] is a[2] is rest["pairs"][1][0]
    assert a[1] is not a[0]


class Tracker:
    def __init__(self) -> None:
        self.tracks: list[Track] = []
        self.lost: list[Track] = []
        self.made = 0

    def step(self, detections: Any) -> Any:
        for d in detections:
            best, distance = None, 1.0
            for t in self.tracks:
                if abs(t.pos - d) < distance:
                    best, distance = t, abs(t.pos - d)
            if best is None:
                self.tracks.append(Track(float(d)))
                self.made += 1
            else:
                best.pos = 0.5 * (best.pos + d)
                best.hits += 1
                best.age = 0
        for t in self.tracks:
            t.age += 1
        self.lost += [t for t in self.tracks if t.age >= 3]
        self.tracks = [t for t in self.tracks if t.age < 3]
        return [t for t in self.tracks if t.hits > 1]


def test_objects_in_state_keep_who_they_are() -> None:
    plain, traced = Tracker(), Tracker()
    step = graph_program(traced.step)
    for row in ([1.0, 5.0], [1.1], [], [5.1, 1.2], [3.0], []):
        before = list(traced.tracks)
        assert not differs(plain.step(np.array(row)), step(np.array(row)))
        assert not differs(vars(plain), vars(traced))
        assert all(any(t is now for now in traced.tracks + traced.lost) for t in before)
