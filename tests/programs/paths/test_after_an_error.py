"""What comes after an error does nothing: the graph goes on, with what loops that ended early have left."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import Cases, check

case = Cases()


class Pair:
    def __init__(self, v: float, k: int):
        self.v = v
        self.k = k


def counted(v: Any) -> int:
    global calls
    calls += 1
    return calls


calls = 0


def rounds(v: Any) -> None:
    for _ in range(int(v)):
        pass


@case((2, -2.0, 1, 1.0), (2, 1.5, 1, 1.0))
def element_behind_a_loop_that_ended(n: int, u: float, c: int, t: float) -> Any:
    kept = [1.0]
    for _ in range(4):
        kept.append(c)
        u += u / u
    last = kept[len(kept) - 1]
    fuel = 0
    while fuel < 6 and rounds(t):  # type: ignore[func-returns-value]
        fuel += 1
        n += 1
    rounds(last)
    return u, n


@case((np.ones(3), True, np.ones(3)), (np.ones(4), True, np.ones(4)), (np.ones(4), False, np.ones(2)))
def shapes_in_place(x: Any, c: bool, other: Any) -> Any:
    x -= x[:2] if c else other


@case.each()
def test_programs(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


def sorted_behind_an_error(x: Any, t: float) -> Any:
    import math

    total = 0.0
    for _ in x:
        if math.log(t) < -10.0:
            raise IndexError("too small")
        pairs = []
        for _ in range(4):
            pairs.append(Pair(-0.5, counted(np.sum(x))))
        pairs.sort(key=lambda p: p.v)
        for p in pairs:
            total += p.v
    return total


def test_a_host_loop_that_did_not_run() -> None:
    for t in (0.5, -1.0, 0.0, 1e-9):
        check(sorted_behind_an_error, (np.ones(3), t))


def test_an_error_of_a_round_before_the_last_one_is_told():
    """What comes behind the loop fails in vain: the list has no elements, as its rounds do not begin."""

    def lengths(x, n: int):
        rounds = 0
        while rounds < 3 and not n > 0:
            rounds += 1
            _ = 2 / n
            for k in range(4):
                _ = float(x[k + 1])
        found = []
        for _ in range(4):
            found.append(len(x))
        return found[len(found) - 1], rounds

    check(lengths, (np.zeros(5), 0), (np.zeros(5), -1), (np.zeros(4), -1), (np.zeros(4), 1))
