"""What has just been written is not read back as a slice of one row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import Float64, Tensor, graph_program
from tests.passes import without
from tests.programs.plain import Cases, check

Vector, Matrix = Float64[Tensor, "n"], Float64[Tensor, "n m"]
VECTORS = tuple((np.arange(n) - 1.5,) for n in (5, 2, 1, 0))
MATRICES = tuple((np.arange(float(n * m)).reshape(n, m),) for n, m in ((4, 5), (1, 1), (0, 2), (3, 0)))

forwarded = Cases()
"""Programs that read no slice, with arguments."""
read = Cases()
"""Near misses."""


@forwarded(*VECTORS)
def the_first_element(x: Vector) -> Any:
    y = np.sin(x)
    y[0] = x[0]
    return y[:1] * 2


@forwarded(*VECTORS)
def the_last_element(x: Vector) -> Any:
    y = np.sin(x)
    y[len(x) - 1] = x[0]
    return y[len(x) - 1 :] * 2


@forwarded(*MATRICES)
def a_row(x: Matrix) -> Any:
    y = np.sin(x)
    y[0] = x[0] + 1
    return y[0:1] * 2


@read(*VECTORS)
def an_element_that_may_not_be_there(x: Vector) -> Any:
    y = np.sin(x)
    y[0] = 7.0
    return y[:1] * 2


@read(*VECTORS)
def two_elements(x: Vector) -> Any:
    y = np.sin(x)
    y[0] = 7.0
    return y[:2] * 2


@read(*VECTORS)
def the_first_element_counted_from_the_end(x: Vector) -> Any:
    y = np.sin(x)
    y[-1] = 7.0
    return y[-1:] * 2


@read(*VECTORS)
def before_the_written_one(x: Vector) -> Any:
    y = np.sin(x)
    y[len(x) - 1] = x[0]
    return y[: len(x) - 1] * 2


GRIDS = tuple((np.arange(float(n * n)).reshape(n, n) % 5, n) for n in (5, 2, 1, 0))


def best_before(x: Matrix, n: int) -> Any:
    """Elements are written and read in turn, those read beside the one that is written."""
    best = np.zeros((n, n))
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            best[i, j] = max(best[i, j], best[i, j - 1])
            best[i, j] = max(best[i, j], best[i + 1, j] + x[i, j])
            for k in range(i + 1, j):
                best[i, j] = max(best[i, j], best[i, k] + best[k + 1, j])
    return best


def the_other_may_be_it(x: Vector, i: int, j: int) -> Any:
    y = np.sin(x)
    y[i] = 7.0
    return y[j], y[j:i].sum(), y[:j].sum()


def test_what_stands_elsewhere_is_read_where_it_was_before(monkeypatch: Any) -> None:
    check(best_before, *GRIDS)
    writes = graph_program(best_before).explain("optimized", GRIDS[0]).count("= set_index(")
    without(monkeypatch, "stored")
    check(best_before, *GRIDS)
    assert writes < graph_program(best_before).explain("optimized", GRIDS[0]).count("= set_index(")


def test_what_may_stand_there_is_read_behind_the_write() -> None:
    places = (-5, -1, 0, 1, 4, 5)
    check(the_other_may_be_it, *((x, i, j) for (x,) in VECTORS for i in places for j in places))


def slices(fn: Callable[..., Any]) -> int:
    return graph_program(fn).explain("optimized").count("= slice(")


@forwarded.each
def test_the_row_is_read(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any) -> None:
    check(fn, *inputs)
    assert not slices(fn)
    without(monkeypatch, "stored")
    check(fn, *inputs)
    assert slices(fn)


@read.each
def test_other_slices_stay(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
    assert slices(fn)
