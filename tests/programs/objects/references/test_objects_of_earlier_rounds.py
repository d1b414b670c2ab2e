"""Objects that one round of a loop makes and the next one reads and writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.programs.plain import check

SIGNALS = [(np.array([3.0, -1.0, 2.0, 5.0]),), (np.array([1.0]),), (np.array([]),)]


@dataclass
class Point:
    x: float
    v: float


def test_none_at_first() -> None:
    def program(x: Any) -> Any:
        last, total = None, 0.0
        for v in x:
            if last is not None:
                last.x += 1
                total += float(last.x)
            last = Point(float(v), 0.0)
            other = last
            other.v += 2
        return total, None if last is None else last.v

    check(program, *SIGNALS)


def test_set_in_the_first_round() -> None:
    def program(x: Any) -> Any:
        total = 0.0
        for i in range(len(x)):
            if i > 0:
                p.x += 10.0
                total += p.x
            p = Point(float(x[i]), 0.0)  # noqa: F841
        return total

    check(program, *SIGNALS)


def test_two_rounds_back() -> None:
    def program(x: Any) -> Any:
        before, last, total = None, None, 0.0
        for v in x:
            if before is not None:
                total += before.x
                total += before.v
            before, last = last, Point(float(v), 1.0)
        return total

    check(program, *SIGNALS)


def test_lists_and_dicts() -> None:
    def program(x: Any) -> Any:
        window, total = None, 0.0
        for v in x:
            if window is not None:
                window["sizes"][0] += float(v)
                total += window["sizes"][0] + window["count"]
            window = {"sizes": [float(v), 0.0], "count": 1}
        return total

    check(program, *SIGNALS)


def test_a_list_that_a_round_grows() -> None:
    def program(x: Any, n: int) -> Any:
        last, total = None, 0
        for _ in range(n):
            if last is not None:
                last.append(1.0)
                total += len(last)
            last = [float(v) for v in x if v > 0]
        return total

    check(program, *((x, n) for (x,) in SIGNALS for n in (0, 1, 3)))
