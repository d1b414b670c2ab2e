"""Elements of the rows where they stand are GatherElements in ONNX; near misses keep their pairs of indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import Float64, Int64, Tensor
from tests.programs.plain import Cases
from tests.transform.sessions import compared

Matrix = Float64[Tensor, "m n"]
Inputs = tuple[tuple[Any, ...], ...]

along = Cases()
"""Programs of which each element is of its own row."""
others = Cases()
"""Near misses."""

X = np.arange(12.0).reshape(4, 3)
PLACES = np.array([[0, 2], [1, 1], [-1, 0], [-3, 2]])


@along((X, PLACES), (X, PLACES + 1), (X, PLACES[:, :1]), (X[:0], PLACES[:0]), (X, PLACES - 1))
def of_rows(x: Matrix, i: Int64[Tensor, "m k"]) -> Any:
    return np.take_along_axis(x, i, axis=1)


@along((X, PLACES), (X, PLACES + 1))
def written_out(x: Matrix, i: Int64[Tensor, "m k"]) -> Any:
    return x[np.arange(len(x))[:, None], i]


@along((np.stack([X, -X]), np.stack([PLACES, PLACES[::-1]])))
def of_batches(x: Float64[Tensor, "b m n"], i: Int64[Tensor, "b m k"]) -> Any:
    return np.take_along_axis(x, i, axis=2)


@others((X, PLACES), (X[:, :2], PLACES % 2))
def of_rows_backwards(x: Matrix, i: Int64[Tensor, "m k"]) -> Any:
    return x[np.arange(len(x) - 1, -1, -1)[:, None], i]


@others((X, PLACES), (X, PLACES[:2]), (X[:2], PLACES))
def of_so_many_rows(x: Matrix, i: Int64[Tensor, "r k"]) -> Any:
    return x[np.arange(len(i))[:, None], i]


@others((X, PLACES), (X, PLACES + 1))
def of_shifted_rows(x: Matrix, i: Int64[Tensor, "m k"]) -> Any:
    return x[np.arange(len(x))[:, None] - 1, i]


@along.each
def test_elements_of_their_rows(fn: Callable[..., Any], inputs: Inputs) -> None:
    text = str(compared(fn, inputs))
    assert '"GatherElements"' in text and '"GatherND"' not in text


@others.each
def test_other_elements(fn: Callable[..., Any], inputs: Inputs) -> None:
    assert '"GatherElements"' not in str(compared(fn, inputs))
