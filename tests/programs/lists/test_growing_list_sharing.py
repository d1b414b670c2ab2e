"""Lists of computed length share their arrays with others, as Python's do, or the write is refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check

Array = np.ndarray[Any, Any]
ROWS = np.arange(12.0).reshape(4, 3) - 5
NUMBERS = np.array([3.0, -1.0, 2.0, 5.0, -4.0])


def history_of_copies(x: Array) -> Any:
    history = []
    while x.sum() > 1:
        history.append(x.copy())
        x *= 0.5
    return history


def new_arrays(x: Array) -> Any:
    history = []
    while x.sum() > 1:
        history.append(x)
        x = x * 0.5
    return history


def copies_of_rows(x: Array) -> Any:
    rows = [row.copy() for row in x if row[0] > -10]
    x[0, 0] = 77
    return rows, x


def copy_of_an_element(x: Array) -> Any:
    rows = [row * 2 for row in x]
    first = rows[0].copy()
    first[0] = 5
    return rows, first


def counted_loop_is_unrolled(x: Array) -> Any:
    history = []
    for _ in range(3):
        x *= 0.5
        history.append(x)
    return history


def element_written_after_a_counted_loop(x: Array) -> Any:
    scaled = []
    for i in range(3):
        scaled.append(x * i)
    scaled[1][0] = 5.0
    return scaled


def list_that_is_no_longer_used(x: Array) -> Any:
    sums = []
    kept = [row * 2 for row in x]
    for row in kept:
        sums.append(float(row.sum()))
    y = x
    y[0, 0] = 5.0
    return sums


@pytest.mark.parametrize(
    "program",
    [
        history_of_copies,
        new_arrays,
        copies_of_rows,
        copy_of_an_element,
        counted_loop_is_unrolled,
        element_written_after_a_counted_loop,
        list_that_is_no_longer_used,
    ],
)
def test_like_python(program: Any) -> None:
    check(program, (np.abs(ROWS),))


def appended_then_written(x: Array) -> Any:
    history = []
    y = np.zeros(3)
    for row in x:
        history.append(y)
        y += row
    return history


def view_appended(x: Array) -> Any:
    rows = []
    for row in x:
        rows.append(row)
    x[0, 0] = 7
    return rows


def element_of_a_copy_written(x: Array) -> Any:
    rows = [row * 2 for row in x]
    others = rows[1:]
    others[0][0] = 1
    return rows


@pytest.mark.parametrize(
    "program",
    [appended_then_written, view_appended, element_of_a_copy_written],
)
def test_refused(program: Any) -> None:
    with pytest.raises(GraphProgramError) as caught:
        graph_program(program)(ROWS.copy())
    assert caught.value.code == "GP440"


class Reading(NamedTuple):
    number: int
    value: Array


@dataclass
class Track:
    points: list[Array] = field(default_factory=list)
    count: int = 0

    def add(self, point: Array) -> None:
        self.points.append(point)
        self.count += 1


@dataclass(frozen=True)
class Box:
    corner: Array
    score: float


def test_aggregates() -> None:
    def readings(x: Array) -> Any:
        found = []
        for i in range(x.shape[0]):
            found.append(Reading(i, x[i]))
        return found, [r.number for r in found]

    def track(x: Array) -> Any:
        result = Track()
        for row in x:
            if row[0] > 0:
                result.add(row * 2)
        return result.count, result.points, len(result.points)

    def boxes(x: Array) -> Any:
        found = []
        for row in x:
            if row[0] < 4:
                found.append(Box(row * 2, float(row[1])))
        return found, sum(b.score for b in found), max(found, key=lambda b: b.score).corner

    for program in (readings, track, boxes):
        check(program, (ROWS,))
