"""The pass that writes once behind a branch, and what only turns from round to round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import Bool, Float64, Int64, Tensor, graph_program
from tests.programs.plain import Cases
from tests.transform.sessions import compared
from tests.transform.test_vectorize import loops_in

Vector = Float64[Tensor, "n"]
Places = Int64[Tensor, "n"]

flat = Cases()
"""Programs without a loop where the pass is on, and with one where it is not."""
near = Cases()
"""Near misses, whose loop stays."""
turning = Cases()
"""Programs without a loop, of what rounds turn into its opposite."""

VECTORS = tuple((np.array(x, float),) for x in ([1, -2, 0, 3.5, -1], [0.5], [-0.0, np.nan, 2], []))
PLACES = tuple((x, np.arange(len(x)) * 3 % 4, np.arange(len(x)) * 5 % 4) for (x,) in VECTORS)


@flat(*VECTORS)
def of_two(x: Vector) -> Any:
    count = np.zeros(2, np.int64)
    for v in x:
        if v > 0:
            count[1] += 1
        else:
            count[0] += 1
    return count


@flat(*VECTORS)
def of_three(x: Vector) -> Any:
    count = np.zeros(3, np.int64)
    for v in x:
        if v > 1:
            count[2] += 1
        elif v < -1:
            count[0] += 2
        else:
            count[1] += 1
    return count


@flat(*PLACES)
def votes(x: Vector, a: Places, b: Places) -> Any:
    count = np.zeros(4, np.int64)
    for k in range(len(x)):
        if x[k] > 0:
            count[a[k]] += 1
        else:
            count[b[k]] += 1
    return count


@flat(*VECTORS)
def to_both_ends(x: Vector) -> Any:
    low, high = 0, len(x) - 1
    out = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] < 0:
            out[low] = x[i]
            low += 1
        else:
            out[high] = x[i]
            high -= 1
    return out, low


@flat(*PLACES)
def in_rows(x: Vector, a: Places, b: Places) -> Any:
    found = np.zeros((2, 4), np.int64)
    for k in range(len(x)):
        if x[k] > 1:
            found[1, a[k]] += b[k]
        else:
            found[0, b[k]] -= a[k]
    return found


@near(*VECTORS)
def reads_the_other(x: Vector) -> Any:
    y = np.zeros(2)
    for v in x:
        if v > 0:
            y[1] = y[0] + v
        else:
            y[0] = y[1] - v
    return y


@near(*PLACES)
def sums_and_sets(x: Vector, a: Places, b: Places) -> Any:
    y = np.zeros(4)
    for k in range(len(x)):
        if x[k] > 0:
            y[a[k]] += x[k]
        else:
            y[b[k]] = x[k]
    return y


@turning(*VECTORS)
def toggled(x: Vector) -> Any:
    on, seen = False, np.zeros(len(x), bool)
    for i in range(len(x)):
        if x[i] > 0:
            on = not on
        seen[i] = on
    return seen, on


@turning(*VECTORS)
def parity(x: Vector) -> Any:
    odd = True
    for v in x:
        odd ^= bool(v > 0)
    return odd


@turning(*VECTORS)
def alternating(x: Vector) -> Any:
    sign, total = 1.0, np.float64(0.0)
    for v in x:
        total += sign * v
        sign = -sign
    return total, sign


@turning(*((x, np.array([[0, 0], [2, 0.5], [1, 2.0]])) for (x,) in VECTORS))
def inside(x: Vector, corners: Float64[Tensor, "3 2"]) -> Any:
    found = np.zeros(len(x), bool)
    for k in range(len(x)):
        odd, j = False, len(corners) - 1
        for i in range(len(corners)):
            if (corners[i, 1] > x[k]) != (corners[j, 1] > x[k]):
                slope = (corners[j, 0] - corners[i, 0]) / (corners[j, 1] - corners[i, 1])
                if slope * (x[k] - corners[i, 1]) + corners[i, 0] > 0.5:
                    odd = not odd
            j = i
        found[k] = odd
    return found


@turning(*((x, np.arange(4) % 2 == 0) for (x,) in VECTORS))
def nearest_that_is_free(x: Vector, taken: Bool[Tensor, "4"]) -> Any:
    found = np.zeros(len(x), np.int64)
    for i in range(len(x)):
        best, place = 2.5, -1
        for j in range(4):
            if not taken[j] and abs(x[i] - j) < best:
                best, place = abs(x[i] - j), j
        found[i] = place
    return found


@flat.each
def test_array_operations(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert loops_in(compared(fn, inputs)) == 0
    assert loops_in(graph_program(fn, without=["one_write"]).model()) > 0


@near.each
def test_what_reads_what_it_writes_stays(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert loops_in(compared(fn, inputs)) == 1


@turning.each
def test_what_turns_is_counted(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert loops_in(compared(fn, inputs)) == 0
