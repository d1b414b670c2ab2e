"""Flags gone through, `reversed` of objects, and captured containers with methods of their own."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import Cases, check

Array = np.ndarray[Any, Any]
X = (np.array([1.0, 2.0]),)
Y = (np.array([2.0, 0.0]),)
cases = Cases()


class Way(enum.Flag):
    UP = enum.auto()
    DOWN = enum.auto()
    BOTH = UP | DOWN


class Access(enum.IntFlag):
    READ = 1
    WRITE = 2
    RUN = 4
    ALL = 7


class Own(enum.Flag):
    A = 1

    def __iter__(self) -> Any:
        return iter([9])


class Lengths(dict):  # type: ignore[type-arg]
    def __missing__(self, key: str) -> int:
        return len(key)


class Pairs(list):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        return iter(["p", "q"])


class Behind:
    def __init__(self, last: Any) -> None:
        self.last = last

    def __reversed__(self) -> Any:
        return iter([7, self.last])


class Shown(Behind):
    def __reversed__(self) -> Any:
        return [7, self.last]


class Forward:
    def __init__(self, last: Any) -> None:
        self.last = last

    def __iter__(self) -> Any:
        return iter([self.last])


class Indexed(Forward):
    def __len__(self) -> int:
        return 2

    def __getitem__(self, i: int) -> Any:
        return self.last


LENGTHS = Lengths(a=1)
PAIRS = Pairs([1, 2])


@cases(X, Y)
def flags(x: Array) -> Any:
    names = [way.name for way in Way.BOTH], list(Access.ALL), tuple(Access.RUN), [*Way.UP], list(Own.A), list(Way(0))
    values = sum(Access.ALL), len(Access.ALL), sorted(way.value for way in Way.BOTH)
    return names, values, list(zip(Way.BOTH, x, strict=True))


@cases(X, Y)
def flags_by_the_path(x: Array) -> Any:
    way = Way.UP if x[0] > 1 else Way.BOTH
    total = 0
    for one in way:
        total += one.value
    return total, [one.name for one in way], len(way), list(way), Way.UP in list(way), any(v is Way.DOWN for v in way)


@cases(X, Y)
def unpacked(x: Array) -> Any:
    up, down = Way.BOTH
    return up, down.value * x


@cases(X, Y)
def missing(x: Array) -> Any:
    key = "a" if x[0] > 1 else "abcd"
    return LENGTHS["abc"], LENGTHS[key], LENGTHS.get("abc"), "abc" in LENGTHS, LENGTHS["a"]


@cases(X, Y)
def own_order(x: Array) -> Any:
    first, _ = PAIRS
    return list(PAIRS), [f"{v}." for v in PAIRS], first, list(reversed(PAIRS)), [*PAIRS], len(PAIRS)


@cases(X, Y)
def backwards(x: Array) -> Any:
    chosen = Behind(x[0]) if x[0] > 1 else Shown(x[1])
    first = next(reversed(Behind(x[0])))
    return list(reversed(Behind(x[0]))), list(reversed(Shown(x[0]))), first, list(reversed(chosen))


@cases(X, (np.array([0.5]),))
def backwards_or_nothing(x: Array) -> Any:
    found = None
    for v in x:
        if v > 1:
            found = Behind(float(v))
    return list(reversed(found))  # type: ignore[call-overload]


@cases.each
def test_what_is_gone_through(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


def test_what_has_only_one_direction_is_refused() -> None:
    def run(x: Array) -> Any:
        return list(reversed(Forward(x[0])))  # type: ignore[call-overload]

    with pytest.raises(GraphProgramError, match=r"GP302.*'Forward' object is not reversible"):
        graph_program(run)(*X)


def test_what_is_read_from_behind_by_its_items_is_refused() -> None:
    def run(x: Array) -> Any:
        return list(reversed(Indexed(x[0])))

    with pytest.raises(GraphProgramError, match=r"GP315.*reversed\(\) by the __getitem__ of Indexed"):
        graph_program(run)(*X)
