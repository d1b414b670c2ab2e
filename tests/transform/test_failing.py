"""Loops whose rounds may fail are array operations in files, too, which tell the first error that Python raises."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Bool, Float64, Int64, Tensor
from tests.programs.plain import Cases
from tests.transform.failing import Failing, arguments
from tests.transform.sessions import exported, module
from tests.transform.test_vectorize import loops_in

Vector = Float64[Tensor, "n"]
Picture = Float64[Tensor, "h w"]
Colours = Float64[Tensor, "h w c"]
Numbers = Int64[Tensor, "k"]

flat = Cases()
"""Programs without a loop, with arguments of which some raise."""
blocks = Cases()
"""Programs that do as many rounds as an argument says, a block of them at a time."""

PICTURES = tuple((np.arange(h * w, dtype=float).reshape(h, w) * 7 % 11,) for h, w in ((3, 4), (1, 1), (0, 3), (2, 0)))
COLOURS = tuple(
    (np.arange(h * w * c, dtype=float).reshape(h, w, c),) for h, w, c in ((3, 2, 3), (2, 3, 2), (2, 0, 1), (0, 2, 0))
)


def changed(array: np.ndarray, *places: tuple[int, float]) -> np.ndarray:
    """A copy with other elements."""
    made = array.copy()
    for place, value in places:
        made.flat[place] = value
    return made


GRID = np.arange(12.0).reshape(3, 4)


@flat((GRID, 0.5), (changed(GRID, (5, np.nan)), 0.5), (changed(GRID, (7, np.inf), (9, np.nan)), 2.0), (GRID[:0], 1.0))
def floats_that_become_integers(x: Picture, size: float) -> Any:
    keys = np.zeros(x.shape, np.int64)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            keys[i, j] = int(x[i, j] // size)
    return keys


@flat(*((x > 4,) for (x,) in PICTURES))
def numbered_from_one(mask: Bool[Tensor, "h w"]) -> Any:
    h, w = mask.shape
    found = np.zeros((h, w), np.int64)
    for y in range(h):
        for x in range(w):
            if mask[y, x]:
                found[y, x] = y * w + x + 1
    return found


@flat(*COLOURS)
def channels_that_may_not_be_there(image: Colours) -> Any:
    grey = np.zeros((image.shape[0], image.shape[1]))
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            grey[y, x] = 0.3 * image[y, x, 0] + 0.6 * image[y, x, 1] + 0.1 * image[y, x, 2]
    return grey


@blocks(*((x, h, w) for (x,) in PICTURES[:3] for h, w in ((2, 5), (0, 2), (3, 0))))
def bilinear(x: Picture, h: int, w: int) -> Any:
    out = np.zeros((h, w))
    for i in range(h):
        fy = (i + 0.5) * x.shape[0] / h - 0.5
        y = int(np.floor(fy))
        for j in range(w):
            fx = (j + 0.5) * x.shape[1] / w - 0.5
            left = int(np.floor(fx))
            top = min(max(y, 0), x.shape[0] - 1)
            below = min(max(y + 1, 0), x.shape[0] - 1)
            first, second = min(max(left, 0), x.shape[1] - 1), min(max(left + 1, 0), x.shape[1] - 1)
            upper = x[top, first] * (1 - (fx - left)) + x[top, second] * (fx - left)
            lower = x[below, first] * (1 - (fx - left)) + x[below, second] * (fx - left)
            out[i, j] = upper * (1 - (fy - y)) + lower * (fy - y)
    return out


@flat(
    (np.array([0.1, 0.5, 0.9]), np.arange(4.0)),
    (np.array([0.1, np.nan, np.inf]), np.arange(4.0)),
    (np.array([0.2, 0.9]), np.zeros(0)),
    (np.array([-2.0, 0.9]), np.arange(1.0)),
)
def looked_up(x: Vector, table: Float64[Tensor, "t"]) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        k = int(x[i] * len(table))
        out[i] = table[k] * 2.0
    return out


@flat(*((x, 3.0) for (x,) in PICTURES))
def greatest_of_rows(x: Picture, least: float) -> Any:
    found = []
    for i in range(x.shape[0]):
        k = np.argmax(x[i])
        if x[i, k] > least:
            found.append(x[i, k])
    return found


@flat(
    (np.array([1.0, -1.0, 2.0]), np.array([0, 1, 2]), np.array([3, 3, 1])),
    (np.array([1.0, -1.0, 2.0]), np.array([0, 1, 9]), np.array([3, 3])),
    (np.array([-1.0, 1.0, 2.0]), np.array([0, -5]), np.array([3, 4, 1])),
    (np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64)),
)
def votes(x: Vector, a: Numbers, b: Int64[Tensor, "m"]) -> Any:
    count = np.zeros(4, np.int64)
    for k in range(len(x)):
        if x[k] > 0:
            count[a[k]] += 1
        else:
            count[b[k]] += 1
    return count


@flat(*((x, x[:2, :2]) for (x,) in PICTURES))
def filtered(x: Picture, kernel: Float64[Tensor, "a b"]) -> Any:
    h, w = x.shape[0] - kernel.shape[0] + 1, x.shape[1] - kernel.shape[1] + 1
    out = np.zeros((h, w))
    for i in range(h):
        for j in range(w):
            total = 0.0
            for k in range(kernel.shape[0]):
                for m in range(kernel.shape[1]):
                    total += x[i + k, j + m] * kernel[k, m]
            out[i, j] = total
    return out


@flat(*((np.arange(3), p) for p in (5, 1, -1)), (np.zeros(0, np.int64), 0))
def divisors_that_may_be_zero(q: Numbers, p: int) -> Any:
    out = np.zeros((len(q), 2), np.int64)
    for i in range(len(q)):
        for j in range(2):
            out[i, j] = 100 // (i + j - p)
    return out


@flat.each
def test_files_without_loops(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], tmp_path: Path) -> None:
    assert loops_in(exported(fn, inputs, tmp_path)) == 0


@blocks.each
def test_blocks_of_rounds(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], tmp_path: Path) -> None:
    assert loops_in(exported(fn, inputs, tmp_path)) == 1


@pytest.mark.parametrize("seed", range(12))
def test_random_loops(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = module(tmp_path / f"failing_{seed}.py", Failing(seed).source(), monkeypatch)
    with np.errstate(all="ignore"):
        exported(program.f, arguments(seed), tmp_path)
