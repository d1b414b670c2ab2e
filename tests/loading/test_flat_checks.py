"""Checks that are no branches: what is computed behind a failed one must not fail, nor go on for ever."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float64, Int64, Tensor, UInt8, graph_program
from tests.loading.agreement import agree
from tests.loading.device import Device
from tests.programs.plain import check

A = np.array


def operators(graph: onnx.GraphProto) -> Iterator[str]:
    for node in graph.node:
        yield node.op_type
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from operators(attribute.g)


def branches(function: Callable[..., Any], *args: Any) -> int:
    """How many `If` the model of a program has."""
    return list(operators(graph_program(function).model(args).graph)).count("If")


def histogram(image: UInt8[Tensor, "h w"], bins: Int64[Tensor, "16"]):
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            bins[image[i, j]] += 1
    return bins


def clipped(x: Float64[Tensor, "n"], low: float, high: float):
    if low >= high:
        raise ValueError(f"{low} is not below {high}")
    total = 0.0
    for k in range(x.shape[0]):
        if np.isnan(x[k]):
            raise ArithmeticError("nan at", k)
        total += min(max(float(x[k]), low), high)
    return total / 2


def halvings(n: int):
    if n <= 0:
        raise ValueError(n)
    count = 0
    while n != 1:
        n = n // 2
        count += 1
    return count


def looked_up(table: Float64[Tensor, "8"], codes: Int64[Tensor, "n"], k: int):
    code = codes[0]
    if code == 7:
        raise KeyError("seven")
    first = table[code]
    second = table[int(first)]
    return first + second, k // (code - 1), table[k] * 2


def first_positive(x: Float64[Tensor, "n m"]):
    places = np.zeros(x.shape[0], np.int64)
    for i in range(x.shape[0]):
        places[i] = np.argmax(x[i] > 0)
    return places


def first_positive_of_each(x: Float64[Tensor, "k n m"], stop: int):
    total, row = 0, 0
    while row != stop:
        for part in x:
            total += int(np.argmax(part[row] > 0))
        row += 1
    return total


def until_negative(x: Float64[Tensor, "n"], y: Float64[Tensor, "m"]):
    total = 0.0
    for value in x:
        if value < 0:
            raise ValueError("negative", value)
        if len(y) == 0:
            raise TypeError("y")
        total += float(value)
    return total


FLAT = [
    (first_positive, *[(np.ones(sizes),) for sizes in ((2, 3), (0, 0), (0, 3), (3, 0), (1, 1))]),
    (until_negative, (A([1.0]), A([2.0])), (A([-1.0]), A([])), (A([1.0, -1.0]), A([])), (A([]), A([]))),
    (histogram, (np.zeros((2, 3), np.uint8), np.zeros(16, int)), (A([[1, 15, 16, 2]], np.uint8), np.ones(16, int))),
    (halvings, (9,), (1,), (0,), (-5,)),
]


@pytest.mark.parametrize("case", FLAT, ids=lambda case: case[0].__name__)
def test_without_branches(device: Device, case: tuple[Any, ...]) -> None:
    function, *calls = case
    loops = function is first_positive  # its loop is an operation that fails where there is nothing
    assert branches(function, *calls[0]) == loops
    agree(device, graph_program(function), calls)


def test_checks_that_do_not_change_stand_before_loops(device: Device) -> None:
    x = np.array([[[-1.0, 2.0], [3.0, 4.0]]] * 3)
    sizes = ((0, 2, 0), (3, 2, 0), (3, 0, 0), (3, 0, 2), (1, 1, 1), (0, 0, 0))
    calls = [(np.zeros(size), stop) for size in sizes for stop in (0, 1)]
    agree(device, graph_program(first_positive_of_each), [(x, 2), (x, 0), (x, 3), *calls])


def test_a_check_of_rounds_stands_before_their_loop(device: Device) -> None:
    """One branch for the check before the loop and one for that of all rounds; the loop itself is array operations."""
    calls = [(A([1.0, 5.0]), 0.0, 2.0), (A([1.0, np.nan, 2.0]), 0.0, 2.0), (A([1.0]), 2.0, 2.0), (A([]), -1.0, 2.0)]
    assert branches(clipped, *calls[0]) == 2
    agree(device, graph_program(clipped), calls)


def test_the_first_error_is_told(device: Device) -> None:
    table = A([0.0, 1.0, 2.0, 3.0, 9.0, -9.0, 6.0, 7.0])
    codes = [A([k]) for k in (2, 7, 4, 5, 1, 8, -8, -9)]
    calls = [(table, code, 3) for code in [*codes, A([], int)]] + [(table, A([1]), 99), (table, A([3]), 99)]
    agree(device, graph_program(looked_up), calls)


# ---------------------------------------------------------------- what must stay behind a branch


def cut(x: Float64[Tensor, "n"], y: Float64[Tensor, "m"], k: int):
    if k > len(x):
        raise ValueError("k")
    a, b = x[:k], y[:k]
    if len(b) != len(a):
        raise ValueError("y")
    return a + b, a @ b


def checked_sizes(x: Float64[Tensor, "n"], y: Float64[Tensor, "m"]):
    if x.shape[0] != y.shape[0]:
        raise ValueError(x.shape[0], y.shape[0])
    return (x + y).sum(), np.concatenate((x[None], y[None]))


def picked(x: Float64[Tensor, "n"], k: int):
    if k < 0:
        raise ValueError("k is negative")
    return x[k] + x.max()


def made(n: int, x: Float64[Tensor, "m"]):
    if n < 0:
        raise ValueError("n")
    y = np.zeros(n)
    if n != len(x):
        raise IndexError("m")
    for k in range(n):
        y[k] = x[k] * 2
    return y + x


def rows(x: Float64[Tensor, "n 3"], first: int):
    found = []
    for row in x[first:]:
        if row[0] < 0:
            raise ValueError("negative")
        if row[1] > 1:
            found.append(row)
    stacked = np.array(found) if len(found) > 0 else np.zeros((1, 3))
    return stacked[0] + stacked[-1]


def stacked(x: Float64[Tensor, "n"], y: Float64[Tensor, "m"]):
    return np.stack([x, y])


def of_three(x: Float64[Tensor, "n"], k: int):
    if len(x) != 3:
        raise ValueError("three")
    sums = np.cumsum(x)
    if not np.all(x > 0) or sums[-1] > 10:
        raise ArithmeticError("not positive")
    return sums[k % 3], x.max()


@dataclass
class Track:
    pos: float
    age: int = 0


def oldest(x: Float64[Tensor, "n"]):
    tracks = [Track(float(v)) for v in x]
    best = None
    for track in tracks:
        if track.pos > 1:
            best = track
    best.age = 3
    return [track.age for track in tracks]


def first_of_stack(x: Float64[Tensor, "n"]):
    found = tuple(x * v for v in x if v > 0)
    return np.stack(found), found[0]


ONES = np.ones(3)
BRANCHES = [
    (oldest, (A([1.0, 2.0, 3.0]),), (ONES,), (A([]),)),
    (first_of_stack, (ONES,), (-ONES,), (A([]),)),
    (stacked, (ONES, ONES), (ONES, np.ones(2)), (A([]), ONES), (A([]), A([]))),
    (of_three, (ONES, 1), (A([]), 1), (np.ones(1), 5), (-ONES, 0), (ONES * 9, 2)),
    (cut, (ONES, ONES, 2), (ONES, np.ones(5), 4), (np.ones(6), ONES, 5), (ONES, ONES, -1), (ONES, A([]), 0)),
    (checked_sizes, (ONES, ONES), (ONES, np.ones(2)), (A([]), A([])), (np.ones(1), ONES)),
    (picked, (ONES, 1), (ONES, -1), (ONES, 3), (A([]), 0), (A([]), -2), (A([np.nan, 1.0]), 1)),
    (made, (3, ONES), (-1, ONES), (2, ONES), (0, A([]))),
    (
        rows,
        (np.ones((2, 3)) * 2, 0),
        (-np.ones((2, 3)), 1),
        (np.ones((2, 3)), 0),
        (np.ones((0, 3)), 0),
        (ONES[None], 9),
    ),
]


@pytest.mark.parametrize("case", BRANCHES, ids=lambda case: case[0].__name__)
def test_sizes_that_a_check_has_told(device: Device, case: tuple[Any, ...]) -> None:
    function, *calls = case
    agree(device, graph_program(function), calls)
    check(function, *calls)


def test_work_that_is_chosen_stays_behind_its_branch() -> None:
    def chosen(x: Float64[Tensor, "n n"], exact: bool):
        y = x
        if exact:
            y = x @ x @ x
        return y

    assert branches(chosen, np.eye(3), True) == 1
