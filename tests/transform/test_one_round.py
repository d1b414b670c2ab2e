"""The body of a loop of one round stands in its place: what the loop carries has one size in it, another one behind."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Float64, Tensor
from tests.programs.plain import check

Known = Float64[Tensor, "8 3"]
X = np.arange(24.0).reshape(8, 3)


def growing(x: Known) -> Any:
    """Rows are put behind those that are found, in blocks: one round."""
    found = np.zeros((0, 3))
    for j in range(0, len(x), 32):
        block = x[j : j + 32]
        found = np.concatenate((found, block + found[:1].sum(axis=0)))
    return found.T, found.sum(axis=0), len(found)


def halved(x: Known) -> Any:
    """What is carried shrinks, and is read behind the loop."""
    rest = x
    for j in range(0, len(x), 8):
        rest = rest[: len(rest) // 2 + j]
    return rest.T @ rest, rest * rest, len(rest)


def within(x: Known, n: int) -> Any:
    """A loop of one round in another one."""
    found = np.zeros((0, 3))
    for i in range(n):
        for j in range(0, len(x), 9):
            found = np.concatenate((found, x[j : j + 2 + i]))
    return found.T, len(found)


def test_of_one_round() -> None:
    check(growing, (X,))
    check(halved, (X,))
    check(within, *((X, n) for n in (0, 1, 3)))
