"""Loops that add to elements wherever they are, with an index for each axis; and loops that do something else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import Float64, Int64, Tensor, UInt8, graph_program
from tests.programs.plain import Cases
from tests.transform.test_vectorize import compared, loops_in

Indices = Int64[Tensor, "n"]
Vector = Float64[Tensor, "n"]
Image = UInt8[Tensor, "h w"]

flat = Cases()
"""Programs whose loops become array operations, with arguments."""
loops = Cases()
"""Near misses."""


def pairs(*tables: tuple[list[int], list[int]]) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    return tuple((np.array(a, int), np.array(b, int)) for a, b in tables)


INSIDE = pairs(([0, 2, 0, 0], [1, 3, 1, 0]), ([-1, 2, -3], [-4, 0, 3]), ([], []), ([1] * 5, [2] * 5))
OUTSIDE = pairs(([0, 2, 5], [1, 9, 0]), ([0, 5, 2], [1, 0, 9]), ([0, 5, 2], [1, 9, 9]), ([-4, 0], [0, 4]), ([0], [-5]))
IMAGES = tuple((np.arange(n, dtype=np.uint8).reshape(h, -1) % 5,) for n, h in ((12, 3), (4, 1), (6, 6)))
NO_IMAGES = ((np.zeros((0, 3), np.uint8),), (np.zeros((3, 0), np.uint8),))


@flat(*INSIDE, *OUTSIDE)
def two_indices(a: Indices, b: Indices) -> Any:
    h = np.zeros((3, 4), dtype=np.int64)
    for i in range(len(a)):
        h[a[i], b[i]] += 1
    return h


@flat(*((*pair, n) for pair in (*INSIDE, *OUTSIDE) for n in (0, 3, 6)))
def of_unknown_size(a: Indices, b: Indices, n: int) -> Any:
    h = np.ones((n, 4))
    for i in range(len(a)):
        h[a[i], b[i]] += i * 0.5
    return h


@flat(*INSIDE, *OUTSIDE)
def of_some_rounds(a: Indices, b: Indices) -> Any:
    h = np.zeros((3, 4, 3))
    for i in range(len(a)):
        if b[i] != 9:
            h[a[i], b[i], a[i]] -= b[i]
    return h


@flat(*IMAGES, *NO_IMAGES)
def pairs_of_neighbours(x: Image) -> Any:
    h = np.zeros((256, 256), dtype=np.int64)
    for i in range(x.shape[0]):
        for j in range(1, x.shape[1]):
            h[x[i, j - 1], x[i, j]] += 1
    return h


@flat(*IMAGES, *NO_IMAGES)
def from_the_end(x: Image) -> Any:
    h = np.zeros((5, 5))
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            h[-1 - x[i, 0], x[i, j]] += 0.25
    return h


@flat(*INSIDE, *OUTSIDE)
def written_at_two_indices(a: Indices, b: Indices) -> Any:
    h = np.zeros((3, 4))
    for i in range(len(a)):
        h[a[i], b[i]] = i
    return h


@flat(*IMAGES, *NO_IMAGES)
def a_row_that_may_not_be_there(x: Image) -> Any:
    h = np.zeros((x.shape[0], x.shape[1]))
    for j in range(x.shape[1] if x.shape[0] else 0):
        h[0, j] = j
    return h


@loops(*INSIDE, *OUTSIDE)
def what_the_caller_sees(a: Indices, b: Indices) -> Any:
    h = np.zeros((3, 4))
    try:
        for i in range(len(a)):
            h[a[i], b[i]] += 2
    except IndexError:
        return h, True
    return h, False


@loops(*INSIDE)
def read_elsewhere(a: Indices, b: Indices) -> Any:
    h = np.zeros((3, 4))
    s = np.float64(0.0)
    for i in range(len(a)):
        h[a[i], b[i]] += 1
        s += h[0, 0]
    return h, s


@loops(*INSIDE)
def read_at_another_place(a: Indices, b: Indices) -> Any:
    h = np.zeros((3, 3))
    for i in range(len(a)):
        h[a[i], b[i] % 3] = h[b[i] % 3, a[i]] + 1
    return h


@loops(*INSIDE)
def multiplied(a: Indices, b: Indices) -> Any:
    h = np.ones((3, 4))
    for i in range(len(a)):
        h[a[i], b[i]] *= 2
    return h


@loops(*INSIDE)
def of_what_is_there(a: Indices, b: Indices) -> Any:
    h = np.ones((3, 4))
    for i in range(len(a)):
        h[a[i], b[i]] += h[a[i], b[i]]
    return h


@flat.each
def test_what_is_added_at_once(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert loops_in(compared(fn, inputs)) == 0
    became = [line for line in graph_program(fn).explain("optimized").splitlines() if line.startswith("# test")]
    assert became and all(line.endswith(" is array operations") for line in became)


@loops.each
def test_loops_that_stay(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert loops_in(compared(fn, inputs)) == 1
