"""Lists of tuples, dicts, arrays and objects as arguments and in the state: one signature for all lengths."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import CallError, graph_program
from tests.programs.given_lists import check, counted, outcome
from tests.programs.plain import differs
from tests.programs.stateful import check_calls, picture


@dataclass
class Point:
    x: np.ndarray[Any, Any]
    weight: float
    name: str = "p"


def points(count: int) -> list[Point]:
    return [Point(np.array([i, 1.0]), i * 0.7) for i in range(count)]


def arrays(count: int) -> list[Any]:
    return [np.arange(3.0) + i for i in range(count)]


def pairs(xs: Any) -> Any:
    total = 0.0
    for a, b in xs:
        total += a * b
    return total, [b for a, b in xs if a > 1], len(xs)


def test_tuples() -> None:
    check(pairs, ([(1.0, 2), (3.0, 4)],), ([],), ([(5.0, 6)],))


def test_dicts() -> None:
    def program(ds: Any) -> Any:
        return {k: sum(d[k] for d in ds) for k in ("a", "b")}, sorted([d["a"] for d in ds])

    check(program, ([{"a": 1.0, "b": 2}, {"a": 0.5, "b": 4}],), ([{"a": 1.5, "b": 2}],))


def test_other_keys_are_another_signature() -> None:
    def program(ds: Any) -> Any:
        return sum(d["a"] for d in ds)

    check(program, ([{"a": 1.0}],), ([{"b": 2.0, "a": 1.0}],), ([{"a": 3.0}] * 1,), extractions=2)


def center(ps: Any) -> Any:
    total = np.zeros(2)
    for p in ps:
        total = total + p.x * p.weight
    return total, [p.weight for p in ps if p.weight > 1], len(ps)


def test_objects_that_are_read() -> None:
    check(center, (points(2),), (points(1),), (points(20),))


def test_arrays_of_one_shape() -> None:
    def program(xs: Any) -> Any:
        return np.stack(xs).sum(axis=0), len(xs), np.concatenate(xs), max(x.sum() for x in xs)

    check(program, (arrays(2),), (arrays(1),), (arrays(7),), ([np.ones(5), np.zeros(5)],))


def test_arrays_of_several_shapes_are_static() -> None:
    def program(xs: Any) -> Any:
        return np.concatenate(xs)

    check(program, ([np.ones(2), np.ones(3)],), ([np.ones(2), np.ones(3), np.ones(1)],), extractions=2)


def test_arrays_that_are_given_back_are_the_callers() -> None:
    def program(xs: Any) -> Any:
        return xs[0], xs

    check(program, (arrays(2),), (arrays(1),), (arrays(2),), extractions=2)


def test_arrays_that_are_written() -> None:
    def program(xs: Any) -> Any:
        for x in xs:
            x *= 2
        xs[0][1] = 7
        return len(xs)

    check(program, (arrays(2),), (arrays(1),), extractions=2)


def test_objects_that_are_given_back_are_the_callers() -> None:
    def kept(ps: Any) -> Any:
        return [p for p in ps if p.weight > 1]

    def best(ps: Any) -> Any:
        return max(ps, key=lambda p: p.weight)

    for program in kept, best:
        check(program, (points(2),), (points(3),), (points(4),))


def test_objects_that_are_written() -> None:
    def program(ps: Any, k: Any) -> Any:
        for p in ps:
            if p.weight > k:
                p.weight = p.weight - k
                p.x += 1.0
            else:
                p.x = p.x * 2
        ps.sort(key=lambda p: -p.weight)
        return ps[0].weight

    check(program, (points(3), 0.5), (points(1), 2.0), (points(6), 1.0))


def test_objects_that_are_put_in_and_taken_out() -> None:
    def program(ps: Any, weight: Any) -> Any:
        ps.append(Point(np.zeros(2), weight))
        first = ps.pop(0)
        first.weight += 1.0
        ps[-1].x[0] = 5.0
        return first

    check(program, (points(3), 0.5), (points(1), 2.0), (points(6), 1.0))


class Track:
    def __init__(self, z: Any, number: int) -> None:
        self.x = np.array([z[0], z[1], 0.0, 0.0])
        self.number = number
        self.age = 0
        self.misses = 0

    def predict(self) -> None:
        self.x = self.x + np.array([self.x[2], self.x[3], 0.0, 0.0]) * 0.1
        self.age += 1

    def update(self, z: Any) -> None:
        d = z - self.x[:2]
        self.x[:2] += 0.5 * d
        self.x[2:] += d * 0.2
        self.misses = 0


class Tracker:
    def __init__(self) -> None:
        self.tracks: list[Track] = []
        self.count = 0

    def step(self, zs: Any) -> Any:
        for t in self.tracks:
            t.predict()
            t.misses += 1
        for z in zs:
            best, least = None, 4.0
            for t in self.tracks:
                d = np.sum((t.x[:2] - z) ** 2)
                if d < least:
                    best, least = t, d
            if best is None:
                self.tracks.append(Track(z, self.count))
                self.count += 1
            else:
                best.update(z)
        self.tracks = [t for t in self.tracks if t.misses < 3]
        return [t.number for t in self.tracks], len(self.tracks)


def frames(count: int) -> list[tuple[Any]]:
    rng = np.random.default_rng(0)
    found = [(rng.normal(size=(int(rng.integers(0, 4)), 2)) * 4,) for _ in range(count)]
    return [*found, *((np.zeros((0, 2)),) for _ in range(4)), *found[:3]]


def test_a_tracker_whose_tracks_are_born_and_die() -> None:
    with counted() as names:
        check_calls(Tracker, "step", *frames(20))
    assert len(names) == 1


def test_one_object_in_two_places() -> None:
    def program(ps: Any, p: Any) -> Any:
        for q in ps:
            q.weight += 1.0
            q.x += 1.0
        return p.weight

    def both(ps: Any, qs: Any) -> Any:
        for q in ps:
            q.weight += 1.0
        return qs[0].weight

    ps = points(3)
    for function, args in (
        (program, (ps, ps[1])),
        (both, (ps, ps[::-1])),
        (both, ([ps[0], ps[0]], points(2))),
        (program, (points(2), Point(np.zeros(2), 1.0))),
    ):
        for _ in range(2):
            new = copy.deepcopy(args)
            expected = outcome(function, copy.deepcopy(args))
            try:
                found = picture([graph_program(function)(*new), new])
            except CallError as error:
                assert error.code == "GP405"
            else:
                assert not differs(expected, found)


def test_arrays_that_share_memory() -> None:
    def program(ps: Any, x: Any) -> Any:
        x[0] = 5.0
        for p in ps:
            p.x += 1.0

    shared = np.zeros((3, 2))
    ps = [Point(row, 1.0) for row in shared]
    function = graph_program(program)
    function(ps, np.ones(2))
    assert shared.tolist() == [[1.0, 1.0]] * 3
    for args in ((ps, shared[1]), ([Point(shared[0], 1.0), Point(shared.ravel()[1:3], 1.0)], np.ones(2))):
        with pytest.raises(CallError, match="share memory"):
            function(*args)
