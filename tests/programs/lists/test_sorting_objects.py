"""Sorting lists of computed length whose elements are objects, named tuples, and structures of them."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import Cases, check

cases = Cases()

SPEEDS: tuple[tuple[Any, ...], ...] = ((np.array([3.0, 1.0, 3.0, 2.0, 1.0]),), (np.zeros(0),), (np.ones(1),))


@dataclass(order=True)
class Track:
    speed: float
    ident: int = 0


@dataclass(order=True)
class Job:
    priority: int
    at: float
    name: str = field(compare=False, default="job")
    where: Any = (1.0, 2)


class Point(NamedTuple):
    x: float
    y: int


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Colour(enum.Enum):
    RED = 1
    BLUE = 2

    def __lt__(self, other: Any) -> Any:
        return self.value > other.value


class Plain(enum.Enum):
    ONE = 1
    TWO = 2


@dataclass(order=True)
class Alarm:
    at: float
    level: Level


class Downwards:
    def __init__(self, value: float, rank: int = 0) -> None:
        self.value, self.rank = value, rank

    def __lt__(self, other: Any) -> bool:
        return bool(self.value > other.value)


class OnlyGreater:
    def __init__(self, value: float) -> None:
        self.value = value

    def __gt__(self, other: Any) -> bool:
        return bool(self.value > other.value)


class Reversed(NamedTuple):
    x: float
    y: int

    def __lt__(self, other: Any) -> bool:
        return bool(self.y > other.y)


@cases(*SPEEDS)
def data_classes(s: Any) -> Any:
    tracks = [Track(float(v), i) for i, v in enumerate(s)]
    backwards = sorted(tracks, reverse=True)
    tracks.sort()
    return tracks, backwards, min(tracks, default=None)


@cases(*SPEEDS)
def fields_left_out_and_nested(s: Any) -> Any:
    jobs = [Job(int(v), float(-i), where=(float(v), i)) for i, v in enumerate(s)]
    pairs = [(Track(float(v), 0), Job(1, float(i))) for i, v in enumerate(s)]
    return sorted(jobs), sorted(pairs), [p[1].at for p in sorted(pairs, reverse=True)]


@cases(*SPEEDS)
def by_objects(s: Any) -> Any:
    tracks = [Track(float(v), i) for i, v in enumerate(s)]
    return sorted(tracks, key=lambda t: (t.ident % 2, t)), [t.ident for t in sorted(tracks, key=lambda t: t)]


@cases(*SPEEDS)
def named_tuples(s: Any) -> Any:
    points = [Point(float(v), -i) for i, v in enumerate(s)]
    points.sort(reverse=True)
    return points, sorted((v, (i, -v)) for i, v in enumerate(s)), sorted([[float(v), i] for i, v in enumerate(s)])


@cases(*SPEEDS)
def strings_and_what_is_the_same(s: Any) -> Any:
    labelled = [(float(v), "slow" if v < 2 else "fast") for v in s]
    rows = [["b" if i % 2 else "a", float(v), None] for i, v in enumerate(s)]
    return (
        sorted(labelled),
        sorted(labelled, key=lambda p: p[1]),
        sorted(rows),
        sorted([(v, None, Plain.ONE) for v in s]),
    )


@cases(*SPEEDS)
def members_of_number_classes(s: Any) -> Any:
    alarms = [Alarm(float(v), Level.HIGH if i % 2 else Level.LOW) for i, v in enumerate(s)]
    return sorted(alarms), sorted([Level.HIGH if v > 1 else Level.LOW for v in s])


@cases(*SPEEDS)
def own_order(s: Any) -> Any:
    things = [Downwards(float(v), i) for i, v in enumerate(s)]
    things.sort()
    again = sorted([(0, thing) for thing in things], reverse=True)
    return [(t.value, t.rank) for t in things], [t.rank for _, t in again]


@cases(*SPEEDS)
def own_order_from_the_other_side(s: Any) -> Any:
    return [t.value for t in sorted([OnlyGreater(float(v)) for v in s])]


@cases(*SPEEDS)
def own_order_of_named_tuples(s: Any) -> Any:
    return sorted([Reversed(float(v), i) for i, v in enumerate(s)])


@cases(*SPEEDS)
def own_order_of_members(s: Any) -> Any:
    return sorted([Colour.RED if v > 1 else Colour.BLUE for v in s]), sorted([(float(v), Colour.RED) for v in s])


@cases((np.array([3.0, 1.0, 2.0]),), (np.arange(40.0) % 7,))
def written_by_position(s: Any) -> Any:
    tracks = [Track(float(v), i) for i, v in enumerate(s)]
    tracks.sort()
    tracks[0].speed = 9.0
    order = [t.ident for t in tracks]
    tracks.sort()
    return tracks, order


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)


@dataclass(order=True)
class Marked:
    at: float
    kind: Plain


def marked(s: Any, t: Any) -> Any:
    return sorted([Marked(float(v), Plain.ONE if u > 1 else Plain.TWO) for u, v in zip(s, t, strict=True)])


def test_members_without_an_order_are_compared_where_nothing_in_front_decides() -> None:
    up, same = np.arange(3.0), np.ones(3)
    check(marked, (up, up), (up, same), (same, same), (np.zeros(0), np.zeros(0)))


def test_members_without_an_order_are_refused() -> None:
    def program(s: Any) -> Any:
        return sorted([Plain.ONE if v > 1 else Plain.TWO for v in s])

    with pytest.raises(GraphProgramError, match=r"GP443.* has no order") as caught:
        graph_program(program)(np.ones(2))
    assert isinstance(caught.value, TypeError)
