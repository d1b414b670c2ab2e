"""Slices of several axes that move with the rounds of a nest, each as many places as before; and near misses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from graph_program import Float64, Tensor, graph_program
from tests.programs.plain import Cases
from tests.transform.sessions import exported

Picture = Float64[Tensor, "h w"]
Pictures = Float64[Tensor, "b h w c"]
Kernel = Float64[Tensor, "k l"]

operations = Cases()
"""Programs of which at most the loop over rows is left."""
loops = Cases()
"""Near misses: a loop over columns stays."""

SHAPES = (((6, 5), (2, 2)), ((4, 4), (3, 3)), ((3, 5), (3, 3)), ((2, 5), (3, 3)), ((0, 4), (1, 1)), ((3, 3), (0, 0)))
SHAPES += (((5, 6), (2, 1)), ((5, 6), (2, 3)), ((5, 2), (2, 3)))


def picture(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int), dtype=float).reshape(shape) * 7 % 11 - 3


ODD = picture(4, 5)
ODD[1, 2], ODD[3, 0], ODD[0, 0] = np.nan, np.inf, -0.0
IMAGES = (*((picture(*x), picture(*w)) for x, w in SHAPES), (ODD, picture(2, 2)))
SQUARES = tuple((x, k) for (x, _), k in zip(IMAGES, (2, 3, 1, 0, 2, 4, -1, -2, 1, 2), strict=True))
BATCHES = tuple(
    (picture(*x), picture(*w))
    for x, w in (((2, 5, 6, 3), (2, 2, 3, 4)), ((1, 4, 4, 1), (3, 3, 1, 2)), ((0, 4, 4, 2), (2, 2, 2, 1)))
)
BATCHES += ((picture(2, 4, 3, 2), picture(2, 1, 1, 3)), (picture(2, 4, 3, 2), picture(2, 3, 2, 3)))


@operations(*IMAGES)
def correlated(x: Picture, w: Kernel) -> Any:
    k = w.shape[0]
    rows, columns = x.shape[0] - k + 1, x.shape[1] - k + 1
    out = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            out[i, j] = np.sum(x[i : i + k, j : j + k] * w)
    return out


@operations(*BATCHES)
def convolved(x: Pictures, w: Float64[Tensor, "k l m n"]) -> Any:
    k = w.shape[0]
    rows, columns = x.shape[1] - k + 1, x.shape[2] - k + 1
    out = np.zeros((x.shape[0], rows, columns, w.shape[3]))
    for i in range(rows):
        for j in range(columns):
            out[:, i, j, :] = np.sum(x[:, i : i + k, j : j + k, :, np.newaxis] * w[np.newaxis], axis=(1, 2, 3))
    return out


@operations(*SQUARES)
def pooled(x: Picture, k: int) -> Any:
    h, w = x.shape[0] // 2, x.shape[1] // 2
    out = np.zeros((h, w))
    for i in range(h):
        for j in range(w):
            out[i, j] = np.max(x[2 * i : 2 * i + 2, 2 * j : 2 * j + 2]) * k
    return out


@operations(*SQUARES)
def every_second_column(x: Picture, k: int) -> Any:
    out = np.zeros(max(x.shape[0] - 2, 0))
    for i in range(len(out)):
        out[i] = x[i : i + 2, ::-2].sum() + k
    return out


@loops(*SQUARES)
def along_the_diagonal(x: Picture, k: int) -> Any:
    out = np.zeros(min(x.shape[0], x.shape[1]))
    for i in range(len(out)):
        out[i] = x[i : i + 2, i : i + 2].sum() + k
    return out


@loops(*SQUARES)
def beyond_the_end(x: Picture, k: int) -> Any:
    out = np.zeros(x.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = x[i : i + 2, j : j + 2].sum() + k
    return out


@loops(*SQUARES)
def from_before_the_beginning(x: Picture, k: int) -> Any:
    out = np.zeros(x.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = x[i - 1 : i + 1, j - 1 : j + 1].sum() + k
    return out


@loops(*SQUARES)
def backwards(x: Picture, k: int) -> Any:
    out = np.zeros((max(x.shape[0] - 2, 0), max(x.shape[1] - 2, 0)))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = x[i : i + 2, j + 2 : j : -1][0, 0] + k
    return out


@loops(*SQUARES)
def written_before(x: Picture, k: int) -> Any:
    for i in range(x.shape[0] - 1):
        for j in range(x.shape[1] - 1):
            x[i, j] = x[i : i + 2, j : j + 2].sum() % 5 + k
    return x


def sums(x: Float64[Tensor, "m"], y: Float64[Tensor, "n"]) -> Any:
    total = y + 0.0
    for i in range(x.shape[0] - y.shape[0] + 1):
        total = total * x[i : i + y.shape[0]] + x[i : i + len(y)][::-1]
    return total


def stay(fn: Callable[..., Any]) -> int:
    """How many loops there are that stay loops."""
    return graph_program(fn).explain("optimized").count(" is a loop")


@operations.each
def test_windows_of_two_axes_are_array_operations(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], tmp_path: Path
) -> None:
    with np.errstate(all="ignore"):
        exported(fn, inputs, tmp_path)
    assert stay(fn) <= 1


@loops.each
def test_other_slices_stay(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], tmp_path: Path) -> None:
    with np.errstate(all="ignore"):
        exported(fn, inputs, tmp_path)
    assert stay(fn) >= 1


def test_slices_are_as_long_as_the_kernel() -> None:
    lines = graph_program(sums).explain("optimized").splitlines()
    parts = [line for line in lines if "= slice(" in line]
    assert len(parts) == 2 and all(": float64 [n] = " in line for line in parts)
