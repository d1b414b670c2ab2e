"""Loops over parts of an axis that grow or shrink from round to round, as operations on the whole axis."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor
from tests.programs.plain import Cases
from tests.transform.sessions import compared
from tests.transform.test_vectorize import loops_in

Vector = Float64[Tensor, "n"]
Square = Float64[Tensor, "n n"]
Matrix = Float64[Tensor, "h n"]
SIZES = (4, 1, 0, 7)
VECTORS = tuple((np.arange(n, dtype=float) * 3 % 7 - 2,) for n in SIZES)
SQUARES = tuple((np.arange(n * n, dtype=float).reshape(n, n) * 5 % 11 - 4,) for n in SIZES)
BESIDE = tuple((x, y) for (x,), (y,) in zip(SQUARES, VECTORS, strict=True))
MATRICES = tuple((np.arange(h * n, dtype=float).reshape(h, n) * 5 % 11 - 4,) for h, n in ((3, 4), (2, 1), (0, 3)))

flat = Cases()
"""Programs without a loop behind the pass, with arguments."""
loops = Cases()
"""Near misses, and nests of which the loop around stays."""
twice = Cases()
"""Near misses in nests."""


@flat(*MATRICES)
def products_of_columns(data: Matrix) -> Any:
    n = data.shape[1]
    c = np.zeros((n, n))
    for i in range(n):
        c[i:, i] = c[i, i:] = data[:, i] @ data[:, i:]
    return c


@flat(*MATRICES)
def behind_the_diagonal(data: Matrix) -> Any:
    n = data.shape[1]
    c = np.eye(n)
    for i in range(n - 1):
        c[i + 1 :, i] = c[i, i + 1 :] = data[:, i] @ data[:, i + 1 :]
    return c


@flat(*VECTORS)
def distances(x: Vector) -> Any:
    d = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        d[i, i + 1 :] = np.abs(x[i + 1 :] - x[i])
    return d


@flat(*VECTORS)
def before_the_diagonal(x: Vector) -> Any:
    d = np.ones((len(x), len(x)))
    for i in range(len(x)):
        d[i, :i] = d[:i, i] = x[:i] * x[i]
    return d


@flat(*SQUARES)
def numbers_in_parts_of_rows(a: Square) -> Any:
    for i in range(a.shape[0]):
        a[i, :i] = -1.0
        a[i, i + 1 :] = a[i, 0]
    return a


@flat(*SQUARES)
def added_to_a_triangle(a: Square) -> Any:
    for i in range(a.shape[0]):
        a[i, i:] += a[i, i:] * 2.0
    return a


@flat(*BESIDE)
def sums_of_parts(a: Square, x: Vector) -> Any:
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = a[i, :i] @ x[:i] + np.sum(x[i:]) + np.sum(a[:i, 0])
    return y


@flat(*BESIDE)
def of_what_is_not_finite(a: Square, x: Vector) -> Any:
    y = np.zeros(len(x))
    a[:, 2:] = np.inf
    for i in range(len(x)):
        y[i] = np.sum(a[i, :i] * x[:i]) + a[i, :i] @ np.ones(len(x))[:i]
    return y


@loops(*SQUARES)
def other_places_of_rows(a: Square) -> Any:
    """Each round writes the row that the next one writes, too."""
    for i in range(a.shape[0] - 1):
        a[i, i:] = 1.0
        a[i + 1, i:] = 2.0
    return a


@loops(*SQUARES)
def a_row_before_and_a_column_behind(a: Square) -> Any:
    """Rounds meet: what one writes in its column is in the row of another one."""
    for i in range(a.shape[0]):
        a[i, :i] = 1.0
        a[i:, i] = 2.0
    return a


@loops(*VECTORS)
def parts_of_one_vector(x: Vector) -> Any:
    for i in range(len(x)):
        x[i:] = x[i:] * 2.0
    return x


@loops(*VECTORS)
def a_sum_of_what_is_written(x: Vector) -> Any:
    for i in range(1, len(x)):
        x[i] = np.sum(x[:i])
    return x


@loops(*SQUARES)
def greatest_of_a_part(a: Square) -> Any:
    y = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        y[i] = np.max(a[i, : i + 1])
    return y


@flat(*VECTORS)
def of_what_is_in_front(x: Vector) -> Any:
    """No round writes what all of them read."""
    for i in range(2, len(x)):
        x[i] = x[i] * np.sum(x[:2])
    return x


@flat(*VECTORS[::3])
def of_what_is_behind(x: Vector) -> Any:
    for i in range(3):
        x[i] += np.sum(x[3:])
    return x


@loops(*SQUARES)
def a_row_by_all_rows_before(a: Square) -> Any:
    """The loop inside is array operations."""
    for i in range(a.shape[0]):
        for j in range(i, a.shape[0]):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


@loops(*BESIDE)
def the_first_places_of_all_columns(a: Square, x: Vector) -> Any:
    """The loop inside is array operations."""
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[:i, j] += x[j] * x[:i]
    return a


@loops(*BESIDE)
def the_last_places_of_some_rows(a: Square, x: Vector) -> Any:
    """So, too."""
    for i in range(a.shape[0]):
        for j in range(i):
            a[j, i:] = x[j] * x[i:] - a[j, i:]
    return a


@twice(*SQUARES)
def columns_that_the_next_round_reads(a: Square) -> Any:
    for i in range(a.shape[0]):
        for j in range(1, a.shape[1]):
            a[:i, j] += a[:i, j - 1]
    return a


@loops(*VECTORS)
def of_what_the_first_round_writes(x: Vector) -> Any:
    for i in range(2, len(x)):
        x[i] += np.sum(x[:3])
    return x


@loops(*VECTORS)
def of_what_may_count_from_the_end(x: Vector) -> Any:
    for i in range(2, len(x)):
        x[i] += np.sum(x[-6:2])
    return x


@flat.each
def test_whole_axes(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert loops_in(compared(fn, inputs)) == 0


@loops.each
def test_loops_that_stay(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert loops_in(compared(fn, inputs)) == 1


@twice.each
def test_nests_that_stay(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert loops_in(compared(fn, inputs)) == 2


@pytest.mark.parametrize("fn", [behind_the_diagonal, distances, sums_of_parts], ids=lambda fn: fn.__name__)
def test_a_block_of_rounds_at_a_time(fn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = importlib.import_module("graph_program.extract.transform.vectorize.blocks")
    monkeypatch.setattr(blocks, "LARGEST", 3)
    monkeypatch.setattr(blocks, "FACTOR", 0)
    inputs = next(inputs for other, inputs in flat.found if other is fn)
    assert loops_in(compared(fn, inputs)) > 0
