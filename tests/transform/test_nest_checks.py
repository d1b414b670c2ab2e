"""Checks of nests of loops are told by numbers of rounds, and the nest is array operations; the first one is told."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.programs.plain import Cases
from tests.transform.nest_checks import FlatNest, Nest, arguments, flat_arguments
from tests.transform.sessions import exported, module

Matrix, Other = Float64[Tensor, "r c"], Float64[Tensor, "a b"]
Inputs = tuple[tuple[Any, ...], ...]

arrays = Cases()
"""Nests that are array operations, with arguments of which some raise."""

SIZES = ((3, 4), (3, 5), (4, 4), (2, 2), (0, 9), (9, 0), (0, 0), (1, 6), (-1, 2), (2, -1), (7, 7))
ONE = tuple((np.arange(20.0).reshape(4, 5), h, w) for h, w in SIZES)
TWO = tuple((np.arange(20.0).reshape(4, 5), np.ones(s), h, w) for s in ((4, 5), (2, 9), (9, 2)) for h, w in SIZES)


@arrays(*ONE)
def the_row_below(img: Matrix, h: int, w: int) -> Any:
    out = np.zeros((h, w))
    for y in range(h):
        for x in range(w):
            out[y, x] = img[y + 1, x]
    return out


@arrays(*ONE)
def four_neighbours(img: Matrix, h: int, w: int) -> Any:
    out = np.zeros((h, w))
    for y in range(h):
        for x in range(w):
            out[y, x] = (img[y, x] + img[y + 1, x] + img[y, x + 1] + img[y + 1, x + 1]) / 4
    return out


@arrays(*TWO)
def of_two(img: Matrix, other: Other, h: int, w: int) -> Any:
    out = np.zeros((h, w))
    for y in range(h):
        for x in range(w):
            out[y, x] = img[y, x] - other[y, x]
    return out


CROPS = tuple((np.arange(20.0).reshape(4, 5), *c) for c in ((1, 1, 2, 3), (0, 0, 4, 5), (2, 1, 3, 2), (1, 4, 2, 2)))
FAR_CROPS = tuple(
    (np.arange(20.0).reshape(4, 5), *c)
    for c in ((-2, -1, 3, 2), (-9, 0, 2, 2), (5, 0, 0, 3), (-4, -5, 9, 5), (2**40, 0, 1, 1), (-(2**40), 0, 1, 0))
)


@arrays(*CROPS, *FAR_CROPS)
def crop(img: Matrix, top: int, left: int, h: int, w: int) -> Any:
    total = 0.0
    for y in range(top, top + h):
        for x in range(left, left + w):
            total += img[y, x]
    return float(total)


@arrays(*ONE)
def signs_of_zeros(img: Matrix, h: int, w: int) -> Any:
    """What a loop inside only hands on may be another zero than the one that it begins with."""
    s = 1.0
    for y in range(h):
        s = 0.0
        for x in range(w):
            img[y, x]
            s = -0.0
    return math.copysign(1.0, s)


FLAT = tuple(
    (np.arange(float(n)), h, w)
    for n, h, w in (
        (12, 3, 4),
        (12, 4, 3),
        (12, 3, 5),
        (11, 3, 4),
        (0, 2, 2),
        (0, 0, 5),
        (5, -1, 2),
        (5, 2, -1),
        (1, 1, 1),
    )
)
STRIDES = tuple(
    (np.arange(12.0), 3, 4, stride) for stride in (4, 3, 0, 5, -1, -2, -5, 2**62, 2**63 - 1, -(2**63), -(2**62), 2**40)
)
NO_ROUNDS = tuple((np.arange(12.0), 3, w, stride) for w in (0, -1, 1) for stride in (2**62, -(2**62), 9, -9))


@arrays(*FLAT)
def flat(img: Float64[Tensor, "n"], h: int, w: int) -> Any:
    total = 0.0
    for y in range(h):
        for x in range(w):
            total += img[y * w + x]
    return float(total)


@arrays(*STRIDES, *NO_ROUNDS)
def strided(img: Float64[Tensor, "n"], h: int, w: int, stride: int) -> Any:
    total = 0.0
    for y in range(h):
        for x in range(w):
            total += img[y * stride + x]
    return float(total)


@arrays(
    *((np.ones(n), np.ones(m), 3, 4, s) for n, m in ((12, 9), (9, 12), (2, 1), (1, 2)) for s in (4, 5, 7, 0, -1, -9))
)
def of_two_sizes(img: Float64[Tensor, "n"], other: Float64[Tensor, "m"], h: int, w: int, stride: int) -> Any:
    total = 0.0
    for y in range(h):
        for x in range(w):
            total += img[y * stride + x] * other[y * stride + x]
    return float(total)


@arrays(*((np.ones((3, 4)), hop) for hop in (2, 4, 0, 1, 5)), *((np.ones((n, 4)), 2) for n in (0, 1)))
def overlapping(frames: Float64[Tensor, "n m"], hop: int) -> Any:
    n, size = frames.shape
    out = np.zeros(max(n - 1, 0) * hop + size)
    for f in range(n):
        for i in range(size):
            out[f * hop + i] += frames[f, i]
    return out


@arrays.each
def test_nests_with_checks(fn: Callable[..., Any], inputs: Inputs, tmp_path: Path) -> None:
    exported(fn, inputs, tmp_path)
    loops = graph_program(fn).export(tmp_path / "again.onnx").loops
    assert not [loop.reason for loop in loops if loop.reason]


@pytest.mark.parametrize("seed", range(10))
def test_random_strides(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = module(tmp_path / f"flat_{seed}.py", FlatNest(seed).source(), monkeypatch)
    exported(program.f, flat_arguments(seed), tmp_path)


@pytest.mark.parametrize("seed", range(10))
def test_random_nests(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = module(tmp_path / f"nest_{seed}.py", Nest(seed).source(), monkeypatch)
    with np.errstate(all="ignore"):
        exported(program.f, arguments(seed), tmp_path)
