"""Loops over slices whose bounds move: their lengths, rows that are carried, and what is read back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program
from graph_program.extract import graph_steps
from tests.programs.plain import Cases
from tests.transform.sessions import compared

Vector = Float64[Tensor, "n"]
Matrix = Float64[Tensor, "n m"]
SHAPES = ((4, 4), (3, 5), (5, 3), (1, 1), (0, 2), (2, 0))
MATRICES = tuple((np.arange(n * m, dtype=float).reshape(n, m) * 0.5 + 1,) for n, m in SHAPES)
PAIRS = (*((x, x[:, ::-1].copy()) for (x,) in MATRICES), (np.ones((3, 2)), np.ones((2, 3))))

unchecked = Cases()
"""Programs without a check in a loop: no slice is checked for its length."""
checked = Cases()
"""Near misses, whose rounds may find that lengths differ."""
rows = Cases()
"""Programs whose inner loop carries a row, with arguments."""


# ---------------------------------------------------------------- lengths


@unchecked(*MATRICES)
def triangle(a: Matrix) -> Any:
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= np.sum(a[i, :j] * a[j, :j])
    return a


@unchecked(*MATRICES)
def both_from_the_front(a: Matrix) -> Any:
    total = np.float64(0.0)
    for i in range(1, a.shape[0]):
        part = a[i, :i] + a[i - 1, :i]
        total += np.sum(part)
    return total


@unchecked(*MATRICES)
def to_the_end(a: Matrix) -> Any:
    for i in range(a.shape[0]):
        a[i, i:] += a[i, i:] * 2.0
    return a


@unchecked(*MATRICES)
def turned(a: Matrix) -> Any:
    for i in range(1, a.shape[0]):
        a[i, :i] += a[i, :i][::-1]
    return a


@checked(*PAIRS)
def of_two_arrays(a: Matrix, b: Float64[Tensor, "h w"]) -> Any:
    for i in range(a.shape[0]):
        a[i, : i + 1] += b[: i + 1, 0]
    return a


@checked(*MATRICES)
def of_two_axes(a: Matrix) -> Any:
    total = np.float64(0.0)
    for i in range(a.shape[0]):
        total += np.sum(a[i, :i] * a[:i, 0])
    return total


@checked(*MATRICES)
def from_the_end(a: Matrix) -> Any:
    total = np.float64(0.0)
    for i in range(a.shape[0]):
        total += np.sum(a[i, : i - 1] + a[i, : i - 2])
    return total


@checked(*MATRICES)
def moved_by_one(a: Matrix) -> Any:
    total = np.float64(0.0)
    for i in range(a.shape[0]):
        total += np.sum(a[i, :i] + a[i, 1 : i + 2])
    return total


# ---------------------------------------------------------------- rows


@rows(*MATRICES)
def lower(a: Matrix) -> Any:
    for i in range(1, a.shape[0]):
        for j in range(i):
            a[i, j] -= np.sum(a[i, :j] * a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] = a[i, i] * 2.0
        a[i, i] += 1.0
    return a


@rows(*MATRICES)
def columns_before(a: Matrix) -> Any:
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= np.sum(a[i, :j] * a[:j, j])
    return a


@rows(*PAIRS)
def accumulated(a: Matrix, b: Float64[Tensor, "h w"]) -> Any:
    for i in range(b.shape[0]):
        a[i, :1] *= 0.5
        for k in range(b.shape[1]):
            a[i, :1] += b[i, k] * b[0, k]
    return a


# ---------------------------------------------------------------- read back


def never_there(n: int, k: int) -> Any:
    t, s = np.zeros(3), np.float64(0.0)
    for i in range(n):
        t[k] = i
        s += t[k]
    return s


def written_over(a: Matrix, i: int, j: int) -> Any:
    a[i] = a[i] * 2.0
    a[i, j] = 3.0
    a[i, j] += 4.0
    return a, a[i], a[i, j]


def another_row(a: Matrix, i: int, j: int) -> Any:
    a[i, 0] = 5.0
    b = a[j, 0]
    a[j, 0] = 6.0
    return a, b, a[i, 0]


@unchecked.each
def test_slices_that_are_equally_long_are_not_compared(fn: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    compared(fn, inputs)
    assert "error_1" not in text_of(fn)


@checked.each
def test_slices_that_may_be_of_other_lengths_are(fn: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    compared(fn, inputs)


@rows.each
def test_a_row_is_carried(fn: Callable[..., Any], inputs: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    compared(fn, inputs)
    monkeypatch.setattr(graph_steps, "in_versions", lambda program, optimize: optimize(program))  # a branch around all
    inner = [line for line in text_of(fn).splitlines() if line.startswith("        ") and "= loop(" in line]
    assert all("float64 [n, m]" not in line for line in inner)


def test_what_is_read_back_fails_where_it_was_written() -> None:
    compared(never_there, ((3, 1), (0, 7), (3, 7), (2, -4)))
    for program in (written_over, another_row):
        shapes = ((3, 2), (1, 1), (0, 2))
        compared(program, tuple((np.ones(s), i, j) for s in shapes for i in (0, 1, -1, 3) for j in (0, 1, -1, 2)))


def text_of(fn: Callable[..., Any]) -> str:
    """The optimized program, without what became of loops."""
    text = graph_program(fn).explain("optimized")
    return "\n".join(line for line in text.splitlines() if not line.startswith("#"))
