"""What loops carry of errors that a flag says nobody reads: with and without `error_arguments`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import Float64, Int32, Int64, Tensor, graph_program
from tests.passes import without
from tests.programs.plain import Cases, check

ROWS = tuple(np.random.default_rng(n).integers(0, 4, n).astype(np.int32) for n in (0, 1, 2, 7, 12))
VECTORS = (np.array([1.0, -2, 0.5, 4]), np.array([0.25]), np.zeros(0))

carried_no_more = Cases()
"""Programs of which an inner loop is array operations, as it carries no errors; with arguments."""
carried = Cases()
"""Near misses: an error of an inner loop, or of a round before, is read."""


@carried_no_more(*((n, x) for x in ROWS for n in (len(x), max(len(x) - 1, 0))), (4, ROWS[2]))
def a_triangle(n: int, x: Int32[Tensor, "m"]) -> Any:
    """Nothing can be outside in the loop over k; of `x[i]` before it, it can."""
    table = np.zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            if i < j - 1 and j - 1 >= 0:
                table[i, j] = max(table[i, j], table[i + 1, j - 1] + x[i] * x[j])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table


@carried(*((x, np.array(k)) for x in VECTORS for k in ([0, 1], [0, 5, 1], [-9], [0])))
def an_error_of_the_inner_loop(x: Float64[Tensor, "n"], places: Int64[Tensor, "m"]) -> Any:
    total = np.float64(0.0)
    for i in range(3):
        total = np.sin(total) + i
        for k in places:
            total = total + x[k]
    return total


@carried(*((x, np.array(k)) for x in VECTORS for k in ([0, 1], [0, 5, 1], [-9], [0])))
def an_error_that_is_caught(x: Float64[Tensor, "n"], places: Int64[Tensor, "m"]) -> Any:
    total, failed = np.float64(0.0), 0
    for k in places:
        try:
            total = np.sin(total) + x[k]
        except IndexError:
            failed += 1
            for _ in range(failed):
                total = np.cos(total) * x[0]
    return total, failed


def inner_loops(fn: Callable[..., Any]) -> int:
    """Loops in loops of a program that stay loops, by what is told of them."""
    program = graph_program(fn)
    program.model()
    return str(program.explain("optimized")).count("is a loop")


@carried_no_more.each
def test_no_errors_are_carried(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any) -> None:
    check(fn, *inputs)
    here = inner_loops(fn)
    without(monkeypatch, "error_arguments")
    check(fn, *inputs)
    assert here < inner_loops(fn)


@carried.each
def test_errors_that_are_read(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any) -> None:
    check(fn, *inputs)
    without(monkeypatch, "error_arguments")
    check(fn, *inputs)
