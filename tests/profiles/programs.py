"""Programs to profile; tests name their lines by the comments on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from graph_program import Float32, Float64, Tensor, graph_program


def marked(text: str) -> int:
    """The line of this file that ends with a comment."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    (found,) = [i for i, line in enumerate(lines, 1) if line.endswith(f"  # {text}")]
    return found


def squashed(a: Any) -> Any:
    b = np.tanh(a)  # in the helper
    return b * 0.5


def deeper(a: Any) -> Any:
    return squashed(a) + 1  # in between


@graph_program
def powers(x: Float64[Tensor, "n n"], k: int) -> Any:
    y = x + 1.0
    for _ in range(k):  # loop
        y = y @ x  # body
        y = squashed(y)  # call in the loop
    if y[0, 0] > 3:  # branch
        y = y - 1
    return deeper(y)  # call of a call


@graph_program
def twice(x: Float64[Tensor, "n n"]) -> Any:
    """Large enough for a local function."""
    y = several(x)  # first
    return several(y)  # second


def several(a: Any) -> Any:
    b = np.exp(a) / (1 + np.abs(a)) + np.sin(a) * np.cos(a)  # of several
    return np.sqrt(np.abs(b)) * np.tanh(b) - np.maximum(b, 0.5) + np.minimum(a, b) / 3


@graph_program
def fused(x: Float32[Tensor, "n n"], w: Float32[Tensor, "n n"], b: Float32[Tensor, "n"]) -> Any:
    return np.maximum(x @ w + b, 0)  # fused


@graph_program
def solved(a: Float64[Tensor, "n n"], b: Float64[Tensor, "n"]) -> Any:
    return np.linalg.solve(a, b)  # library


@graph_program
def counted(n: int) -> int:
    steps = 0
    while n != 1:  # while
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@graph_program
def checked(x: Float64[Tensor, "n"]) -> Any:
    if x.sum() > 3:
        raise ValueError("too large")
    x[0] = 7.0
    return x * 2


@graph_program
def asking(x: Float64[Tensor, "n"]) -> Any:
    return x * float(input())


@graph_program
def known() -> int:
    return 3


class Filter:
    """A program with state."""

    def __init__(self) -> None:
        self.last = np.zeros(2)

    @graph_program
    def step(self, x: Float64[Tensor, "2"]) -> Any:
        self.last = self.last * 0.5 + x  # state
        return self.last
