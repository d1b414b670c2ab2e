"""Pictures whose neighbours are asked for where they are there: nothing is put around them for all rounds."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from graph_program import Int64, Tensor, graph_program
from tests.programs.plain import Cases
from tests.transform.sessions import compared

Picture = Int64[Tensor, "h w"]
PICTURES = tuple((np.arange(h * w).reshape(h, w) * 5 % 7 % 2,) for h, w in ((5, 6), (1, 1), (2, 3), (0, 3), (3, 0)))

cases = Cases()


@cases(*PICTURES)
def life(cells: Picture) -> Any:
    h, w = cells.shape
    after = np.zeros_like(cells)
    for i in range(h):
        for j in range(w):
            count = 0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    y, x = i + di, j + dj
                    if (di != 0 or dj != 0) and 0 <= y < h and 0 <= x < w:
                        count += cells[y, x]
            after[i, j] = 1 if count == 3 or (count == 2 and cells[i, j] == 1) else 0
    return after


@cases(*PICTURES)
def above_and_below(x: Picture) -> Any:
    y = np.zeros_like(x)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if i > 0:
                y[i, j] += x[i - 1, j]
            if i < x.shape[0] - 1:
                y[i, j] += x[i + 1, j]
    return y


@cases.each
def test_nothing_is_put_around_a_picture(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    compared(fn, inputs)
    given = next(iter(fn.__annotations__))
    text = graph_program(fn).explain("optimized")
    assert re.search(rf"\b{given}\b", text) and not re.search(rf"concatenate\(.*\b{given}\b", text)
