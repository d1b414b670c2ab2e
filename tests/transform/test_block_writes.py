"""Blocks that rounds write: one slice where they stand one behind the other, elements where they are short."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from graph_program import Float64, Tensor, UInt8
from tests.programs.plain import Cases
from tests.transform.sessions import exported
from tests.transform.test_vectorize import loops_in

Picture = UInt8[Tensor, "h w c"]
Matrix = Float64[Tensor, "h w"]
Vector = Float64[Tensor, "n"]
Bytes = UInt8[Tensor, "n"]
Inputs = tuple[tuple[Any, ...], ...]

reshaped = Cases()
"""Programs whose blocks are all of an array."""
placed = Cases()
"""Programs without a loop."""
misses = Cases()
"""Programs whose loops stay."""

PICTURES = tuple(
    (np.arange(h * w * c, dtype=np.uint8).reshape(h, w, c),) for h, w, c in ((2, 3, 3), (1, 1, 1), (0, 2, 3))
)
MATRICES = tuple((np.arange(1.0, 1 + h * w).reshape(h, w),) for h, w in ((2, 3), (3, 1), (1, 4), (0, 2), (2, 0)))
BYTES = tuple((np.arange(n, dtype=np.uint8),) for n in (12, 14, 3, 1, 0))


@reshaped(*PICTURES)
def channels_last(x: Picture) -> Any:
    h, w, c = x.shape
    out = np.zeros(h * w * c, np.float32)
    for y in range(h):
        for q in range(w):
            for k in range(c):
                out[(y * w + q) * c + k] = x[y, q, k] / 255.0
    return out


@reshaped(*PICTURES)
def channels_first(x: Picture) -> Any:
    h, w, c = x.shape
    out = np.zeros(h * w * c, np.float32)
    for k in range(c):
        for y in range(h):
            for q in range(w):
                out[k * h * w + y * w + q] = x[y, q, k]
    return out


@placed(*MATRICES)
def behind_a_head(x: Matrix) -> Any:
    h, w = x.shape
    out = np.zeros(2 + h * w)
    out[0], out[1] = h, w
    for y in range(h):
        for q in range(w):
            out[2 + y * w + q] = x[y, q] * 2
    return out


@placed(*MATRICES)
def rows_of_a_matrix(x: Matrix) -> Any:
    h, w = x.shape
    out = np.zeros((h * w, 2))
    for y in range(h):
        for q in range(w):
            out[y * w + q, 0] = x[y, q]
            out[y * w + q, 1] = -x[y, q]
    return out


@placed(*BYTES)
def colours_with_one_more(x: Bytes) -> Any:
    n = len(x) // 3
    out = np.zeros(4 * n, np.uint8)
    for p in range(n):
        for k in range(3):
            out[4 * p + k] = x[3 * p + k]
        out[4 * p + 3] = 255
    return out


@placed(*BYTES)
def some_of_each_block(x: Bytes) -> Any:
    n = len(x) // 3
    out = np.full(3 * n, 7, np.uint8)
    for p in range(n):
        if x[3 * p] % 2:
            for k in range(2):
                out[3 * p + 1 + k] = x[3 * p + k]
    return out


@misses(*MATRICES)
def blocks_that_meet(x: Matrix) -> Any:
    h, w = x.shape
    out = np.zeros(h * w + 2)
    for y in range(h):
        for k in range(3):
            out[2 * y + k] = x[y, 0] * k + out[2 * y]
    return out


@misses(*((x, 2) for (x,) in MATRICES))
def blocks_of_an_argument(x: Matrix, n: int) -> Any:
    h, w = x.shape
    out = np.zeros(h * w)
    for y in range(h):
        for k in range(n):
            out[y * n + k] = x[y, 0] + k
    return out


@reshaped.each
def test_blocks_that_are_the_array(fn: Callable[..., Any], inputs: Inputs, tmp_path: Path) -> None:
    model = exported(fn, inputs, tmp_path)
    assert loops_in(model) == 0
    assert not {"ScatterND", "ScatterElements"} & {node.op_type for node in model.graph.node}


@placed.each
def test_files_without_loops(fn: Callable[..., Any], inputs: Inputs, tmp_path: Path) -> None:
    assert loops_in(exported(fn, inputs, tmp_path)) == 0


@misses.each
def test_loops_that_stay(fn: Callable[..., Any], inputs: Inputs, tmp_path: Path) -> None:
    assert loops_in(exported(fn, inputs, tmp_path)) > 0
