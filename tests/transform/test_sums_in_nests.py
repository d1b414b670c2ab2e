"""Sums that the rounds of several loops add to, one by one and in their order, as array operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import Float64, Tensor
from tests.programs.plain import Cases
from tests.transform.sessions import compared
from tests.transform.test_vectorize import loops_in

Cube = Float64[Tensor, "n m p"]
SHAPES = ((3, 4, 5), (0, 4, 5), (3, 0, 5), (3, 4, 0), (1, 1, 1))

flat = Cases()
"""Programs without a loop behind the pass."""
near = Cases()
"""Programs whose outermost loop stays."""


def cube(n: int, m: int, p: int) -> np.ndarray:
    """Numbers of which the order decides what their sum is."""
    random = np.random.default_rng(n * m * p)
    return random.normal(size=(n, m, p)) * 10.0 ** random.integers(-9, 9, (n, m, p))


CUBES = tuple((cube(*shape), np.linspace(-1.0, 1e5, shape[1])) for shape in SHAPES)


@flat(*CUBES)
def in_the_outermost_loop_last(a: Cube, s: Float64[Tensor, "m"]) -> Any:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                s[j] += a[i, j, k]
    return s


@flat(*CUBES)
def in_two_loops(a: Cube, s: Float64[Tensor, "m"]) -> Any:
    for j in range(a.shape[1]):
        for i in range(a.shape[0]):
            for k in range(a.shape[2]):
                s[j] += a[i, j, k] * 0.1
    return s


@flat(*CUBES)
def in_some_of_the_rounds(a: Cube, s: Float64[Tensor, "m"]) -> Any:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                if i - j >= 0:
                    s[j] += a[i, j, k]
    return s


@flat(*CUBES)
def not_in_all_of_them(a: Cube, s: Float64[Tensor, "m"]) -> Any:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                if i == j:
                    continue
                s[j] += a[i, j, k]
    return s


@near(*CUBES)
def of_other_places(a: Cube, s: Float64[Tensor, "m"]) -> Any:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                s[j] = s[-1 - j] + a[i, j, k]
    return s


@near(*CUBES)
def scaled_in_between(a: Cube, s: Float64[Tensor, "m"]) -> Any:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                s[j] += a[i, j, k]
            s[j] *= 0.5
    return s


@flat.each
def test_sums(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert not loops_in(compared(fn, inputs))


@near.each
def test_what_is_no_sum(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert loops_in(compared(fn, inputs))


def test_sizes_that_each_round_reads() -> None:
    def program(a: Float64[Tensor, "n m p p"], s: Float64[Tensor, "n r p p"]) -> Any:
        for i in range(a.shape[0]):
            for j in range(s.shape[1]):
                for k in range(a.shape[1]):
                    s[i, j] += a[i, k] + a[i, k] * j
        return s

    arrays = [(np.arange(float(n * m * 4)).reshape(n, m, 2, 2), np.ones((n, r, 2, 2))) for n, m, r in SHAPES]
    compared(program, tuple(arrays))
