"""Pictures whose colours come first: reads and writes of all places, and near misses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, UInt8
from tests.passes import without
from tests.programs.plain import Cases
from tests.transform.sessions import exported
from tests.transform.test_column_writes import operators
from tests.transform.test_vectorize import loops_in

Picture = UInt8[Tensor, "h w c"]
Matrix = Float64[Tensor, "h w"]

whole = Cases()
"""Programs that become transposes."""
plain = Cases()
"""Programs without a loop."""
parts = Cases()
"""Programs that write less, or elsewhere."""

PICTURES = tuple(
    (np.arange(h * w * c).reshape(h, w, c).astype(np.uint8),)
    for h, w, c in ((3, 4, 3), (2, 2, 2), (1, 1, 1), (0, 2, 3), (2, 0, 1), (2, 3, 0))
)
MATRICES = tuple((np.arange(float(h * w)).reshape(h, w),) for h, w in ((3, 4), (2, 2), (1, 3), (0, 2), (2, 0)))


@whole(*PICTURES)
def colours_first(img: Picture) -> Any:
    h, w, c = img.shape
    out = np.zeros((c, h, w), np.float32)
    for y in range(h):
        for x in range(w):
            for k in range(c):
                out[k, y, x] = img[y, x, k] / 255.0
    return out


@whole(*PICTURES)
def colours_last(img: Picture) -> Any:
    c, h, w = img.shape
    out = np.ones((h, w, c), np.uint8)
    for k in range(c):
        for y in range(h):
            for x in range(w):
                out[y, x, k] = 255 - img[k, y, x]
    return out


@whole(*MATRICES)
def turned(a: Matrix) -> Any:
    out = np.zeros((a.shape[1], a.shape[0]))
    for j in range(a.shape[1]):
        for i in range(a.shape[0]):
            out[j, i] = a[i, j]
    return out, a


@plain(*PICTURES, *((np.zeros((2, 3, c), np.uint8),) for c in (4, 2, 0)))
def reversed_colours(img: Picture) -> Any:
    h, w, _ = img.shape
    out = np.zeros((3, h, w), np.float32)
    for y in range(h):
        for x in range(w):
            for k in range(3):
                out[k, y, x] = img[y, x, 2 - k] / 255.0
    return out


@plain(*PICTURES, *((np.zeros((2, 3, c), np.uint8),) for c in (4, 2, 0)))
def written_in_reverse(img: Picture) -> Any:
    h, w, _ = img.shape
    out = np.ones((3, h, w), np.float32)
    for y in range(h):
        for x in range(w):
            for k in range(3):
                out[2 - k, y, x] = img[y, x, k] / 255.0
    return out


@parts(*PICTURES)
def colours_first_but_one_row(img: Picture) -> Any:
    h, w, c = img.shape
    out = np.zeros((c, h + 1, w), np.float32)
    for y in range(h):
        for x in range(w):
            for k in range(c):
                out[k, y, x] = img[y, x, k]
    return out


@parts(*PICTURES)
def mirrored(img: Picture) -> Any:
    h, w, c = img.shape
    out = np.zeros((c, h, w), np.float32)
    for y in range(h):
        for x in range(w):
            for k in range(c):
                out[k, y, w - 1 - x] = img[y, x, k]
    return out


@parts(*((np.arange(float(n * n)).reshape(n, n),) for n in (3, 1, 0)))
def the_diagonal(a: Float64[Tensor, "n n"]) -> Any:
    out = np.zeros(a.shape)
    for i in range(a.shape[0]):
        out[i, i] = a[i, i]
    return out


@whole.each
def test_whole_arrays(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model = exported(fn, inputs, tmp_path)
    assert loops_in(model) == 0
    assert not {"GatherND", "ScatterND", "GatherElements"} & set(operators(model.graph))
    without(monkeypatch, "all_places")
    exported(fn, inputs, tmp_path)


@plain.each
def test_without_a_loop(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], tmp_path: Path) -> None:
    assert loops_in(exported(fn, inputs, tmp_path)) == 0


@parts.each
def test_other_places(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model = exported(fn, inputs, tmp_path)
    assert loops_in(model) == 0
    assert "ScatterND" in set(operators(model.graph))
