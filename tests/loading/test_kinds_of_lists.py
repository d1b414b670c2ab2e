"""Lists of any length, through `load` on a device: given, written, and kept in the state."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import pytest

from graph_program import graph_program
from tests.loading.agreement import agree
from tests.loading.device import Device

F32 = np.float32


class Pair(NamedTuple):
    low: float
    high: int


@dataclass
class Point:
    x: np.ndarray[Any, Any]
    weight: float
    name: str = "p"


@dataclass
class Segment:
    start: Point
    scale: F32
    tags: tuple[int, bool]


@dataclass
class History:
    weight: float
    values: list[float]


class Color(Enum):
    RED = "r"
    BLUE = "b"


def point(i: float) -> Point:
    return Point(np.array([i, 1.0]), i * 0.7)


def segment(i: int) -> Segment:
    return Segment(point(i), F32(i), (i, i > 1))


# ---------------------------------------------------------------- given


@graph_program
def numbers(xs: list[float], k: float) -> Any:
    total = 0.0
    for x in xs:
        total += x
    return total, len(xs), [x * 2 for x in xs if x > k], max(xs)


@graph_program
def classes_of_numbers(xs: Any) -> Any:
    return [x * 2 for x in xs], xs[0] if xs else None


@graph_program
def flags(xs: Any) -> Any:
    return any(xs), xs.count(True), [not x for x in xs]


@graph_program
def complex_numbers(zs: Any) -> Any:
    return [z * 1j for z in zs], sum(zs)


@graph_program
def arrays(xs: Any) -> Any:
    total = 0.0
    for x in xs:
        total = total + x.sum()
    return total, len(xs), np.stack(xs) * 2


@graph_program
def tuples(xs: Any) -> Any:
    total = 0.0
    for a, (b, c) in xs:
        total += a * b if c else a
    return total, [b for _, (b, c) in xs if c]


@graph_program
def named_tuples(xs: Any) -> Any:
    return [p.low * p.high for p in xs], [Pair(p.high * 1.0, p.high) for p in xs]


@graph_program
def dicts(ds: Any) -> Any:
    return {k: sum(d[k] for d in ds) for k in ("a", 3)}, sorted([d["a"] for d in ds])


@graph_program
def objects(ps: Any) -> Any:
    total = np.zeros(2)
    for p in ps:
        total = total + p.x * p.weight
    return total, [p.weight for p in ps if p.weight > 1], len(ps)


@graph_program
def objects_in_objects(ss: Any, color: Any) -> Any:
    total = np.zeros(2)
    for s in ss:
        if s.tags[1]:
            total = total + s.start.x * s.scale
    return total, [s.tags[0] for s in ss], [s.start.weight for s in ss], color


@graph_program
def lists_of_lists(xs: Any) -> Any:
    return [sum(x) for x in xs], len(xs), [x[-1] for x in xs if len(x) > 1], max(len(x) for x in xs)


@graph_program
def lists_of_pairs(edges: Any) -> Any:
    return [sum(w * k for k, w in out) for out in edges]


@graph_program
def lists_of_arrays(groups: Any) -> Any:
    return [np.sum(np.stack(g)) for g in groups if len(g) > 0]


@graph_program
def lists_in_objects(hs: Any) -> Any:
    total = 0.0
    for h in hs:
        for value in h.values:
            total += value * h.weight
    return total, [len(h.values) for h in hs]


@graph_program
def in_other_structures(d: Any, t: Any, p: Any) -> Any:
    return sum(d["xs"]) + sum(t[0]), [x + p.scale for x in d["xs"]]


def history(i: int) -> History:
    return History(i * 0.5, [float(j) for j in range(i + 1)])


def of(make: Any, *lengths: int) -> list[Any]:
    return [([make(i) for i in range(n)],) for n in lengths]


GIVEN: dict[str, tuple[Any, list[Any]]] = {
    "numbers": (numbers, [([1.0, 5.0, -2.0], 0.0), ([4.0], 9.0), ([], 0.0), ([float("nan"), 1.0] * 20, 0.5)]),
    "int": (classes_of_numbers, of(int, 2, 0, 1, 30)),
    "bool": (flags, of(lambda i: i % 3 == 0, 2, 1, 0, 9)),
    "complex": (complex_numbers, of(lambda i: i - 2j * i, 2, 1, 5)),
    **{
        cls.__name__: (classes_of_numbers, of(cls, 2, 0, 1, 30)) for cls in (np.float32, np.int64, np.uint8, np.float16)
    },
    "arrays": (arrays, [([np.ones(3)] * 1,), *of(lambda i: np.arange(4.0) + i, 3, 1), *of(lambda i: np.ones(0), 2)]),
    "tuples": (tuples, of(lambda i: (float(i), (i, i % 2 == 0)), 2, 0, 1, 7)),
    "named tuples": (named_tuples, of(lambda i: Pair(i * 0.5, i), 2, 0, 1, 7)),
    "dicts": (dicts, of(lambda i: {"a": i * 0.5, 3: i}, 2, 0, 1, 7)),
    "objects": (objects, of(point, 2, 1, 20)),
    "objects in objects": (
        objects_in_objects,
        [(*args, Color.RED) for args in of(segment, 2, 1, 9)],
    ),
    "lists": (lists_of_lists, [([[1.0, 2.0], [], [3.0]],), ([[1.0]],), ([[i * 1.0] * i for i in range(9)],), ([[]],)]),
    "lists of pairs": (lists_of_pairs, [([[(1, 0.5), (2, 1.5)], []],), ([[(4, 2.0)], [(1, 1.0)] * 3, []],), ([],)]),
    "lists of arrays": (lists_of_arrays, [([[np.ones(2), np.zeros(2)], []],), ([[np.full(2, 3.0)]],)]),
    "lists in objects": (lists_in_objects, of(history, 3, 1, 6)),
    "in other structures": (
        in_other_structures,
        [
            ({"xs": [1.0]}, ([1, 2], "a"), Segment(point(1), F32(2), (1, True))),
            ({"xs": []}, ([], "a"), Segment(point(1), F32(2), (1, True))),
            ({"xs": [0.5] * 9}, ([7], "a"), Segment(point(1), F32(2), (1, True))),
        ],
    ),
}


@pytest.mark.parametrize("name", GIVEN)
def test_lists_that_are_read(name: str, device: Device) -> None:
    program, calls = GIVEN[name]
    agree(device, program, calls)


# ---------------------------------------------------------------- written


@graph_program
def appended(xs: Any, v: Any) -> Any:
    xs.append(v)
    xs[0] = v * 2
    return xs


@graph_program
def changed(xs: Any, i: Any) -> Any:
    last = xs.pop()
    xs.insert(i, last)
    xs.extend([1.5, 2.5])
    xs.sort()
    xs[1:2] = [7.0, 8.0]
    xs.reverse()
    del xs[0]
    return last


@graph_program
def on_some_paths(xs: Any, limit: Any) -> Any:
    if len(xs) > limit:
        xs.clear()
    else:
        xs += [float(len(xs))]


@graph_program
def tuples_written(xs: Any, k: Any) -> Any:
    xs.append((len(xs) * 1.0, k))
    xs[0] = (xs[0][0] + 1, xs[-1][1])
    return len(xs)


@graph_program
def arrays_written(xs: Any, k: Any) -> Any:
    for x in xs:
        x *= k
    return len(xs)


@graph_program
def objects_written(ps: Any, k: Any) -> Any:
    for p in ps:
        if p.weight > k:
            p.weight = p.weight - k
            p.x += 1.0
        else:
            p.x = p.x * 2
    ps.sort(key=lambda p: -p.weight)
    return ps[0].weight


@graph_program
def lists_in_objects_written(hs: Any, v: Any) -> Any:
    for h in hs:
        h.values.append(v)
        if len(h.values) > 3:
            h.values.pop(0)
            h.weight += 1.0
    return len(hs)


@graph_program
def objects_put_in(ps: Any, weight: Any) -> Any:
    ps.append(Point(np.zeros(2), weight))
    first = ps.pop(0)
    first.weight += 1.0
    ps[-1].x[0] = 5.0
    return first


@graph_program
def best(ps: Any) -> Any:
    return max(ps, key=lambda p: p.weight), [p for p in ps if p.weight > 1]


@graph_program
def failing(xs: Any, k: Any) -> Any:
    xs.append(k)
    if k < 0:
        raise ValueError(f"{k} after {len(xs)}")
    return xs[5]


def histories(n: int) -> list[History]:
    return [history(i) for i in range(n)]


def points(n: int) -> list[Point]:
    return [point(i) for i in range(n)]


WRITTEN: dict[str, tuple[Any, list[Any]]] = {
    "append": (appended, [([1.0], 2.0), ([], 3.0), ([1.0, 2.0, 3.0], 4.0)]),
    "pop, insert, sort, del": (changed, [([3.0, 1.0, 2.0], 0), ([4.0], 3), ([], 0), ([2.0] * 6, 2)]),
    "on some paths": (on_some_paths, [([1.0], 3), ([1.0] * 4, 3), ([], 0)]),
    "tuples": (tuples_written, [([(1.0, 2)], 3), ([], 5), ([(0.5, 1)] * 4, 7)]),
    "arrays in place": (arrays_written, [([np.ones(3), np.zeros(3)], 3.0), ([np.ones(2)] * 1 + [np.zeros(2)], 0.5)]),
    "objects": (objects_written, [(points(3), 0.5), (points(1), 2.0), (points(6), 1.0)]),
    "lists in objects": (lists_in_objects_written, [(histories(3), 2.0), (histories(1), 1.0), (histories(6), 4.0)]),
    "objects put in": (objects_put_in, [(points(3), 0.5), (points(1), 2.0), (points(6), 1.0)]),
    "objects given back": (best, [(points(3),), (points(1),), (points(6),)]),
    "errors": (failing, [([1.0], 2.0), ([1.0], -1.0), ([1.0] * 5, 0.5), ([], -3.0)]),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_lists_that_are_written(name: str, device: Device) -> None:
    program, calls = WRITTEN[name]
    agree(device, program, calls)
