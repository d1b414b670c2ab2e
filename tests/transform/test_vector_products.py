"""The pass that makes products of sums of vectors, each times an element of another vector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import Float16, Float64, Tensor, graph_program
from tests.passes import without
from tests.programs.plain import Cases, check
from tests.transform.test_vectors import PAIRS, Vector, quaternions

products = Cases()
"""Programs with one product, with arguments."""
sums = Cases()
"""Near misses."""
products(*PAIRS)(quaternions)


@products(*PAIRS)
def of_arrays(p: Vector, q: Vector) -> Any:
    signs = np.array([1.0, -1, -1, 1])
    total = p[0] * q + p[1] * (q[[1, 0, 3, 2]] * signs)
    return total + q[[3, 3, 0, 1]] * p[2] - signs * (p[-1] * q[[2, -1, 0, 0]])


@products(*((p, np.stack((q, q[::-1], p))) for p, q in PAIRS))
def in_a_loop(p: Vector, turns: Float64[Tensor, "t 4"]) -> Any:
    for q in turns:
        p = quaternions(p, q)
    return p


@sums(*PAIRS)
def of_two_terms(p: Vector, q: Vector) -> Any:
    return p[0] * q + p[1] * q[[1, 0, 3, 2]]


@sums(*PAIRS)
def of_two_vectors(p: Vector, q: Vector) -> Any:
    return p[0] * q + p[1] * p[[1, 0, 3, 2]] + p[2] * q + p[3] * q


@sums(*PAIRS)
def one_element_twice(p: Vector, q: Vector) -> Any:
    return p[0] * q + p[1] * q[[1, 0, 3, 2]] + p[2] * q + p[2] * q[[1, 1, 1, 0]]


@sums(*PAIRS)
def not_all_elements(p: Vector, q: Vector) -> Any:
    return p[0] * q + p[1] * q[[1, 0, 3, 2]] + p[2] * q[[0, 0, 2, 2]]


@sums(*PAIRS)
def other_factors(p: Vector, q: Vector) -> Any:
    return p[0] * q + p[1] * q[[1, 0, 3, 2]] * 2 + p[2] * q[[0, 0, 2, 2]] + p[3] * q


@sums(*(tuple(np.clip(x, -9, 9).astype(np.float16) for x in pair) for pair in PAIRS[:4]))
def of_half_precision(p: Float16[Tensor, "4"], q: Float16[Tensor, "4"]) -> Any:
    return p[0] * q + p[1] * q[[1, 0, 3, 2]] + p[2] * q[[0, 0, 2, 2]] + p[3] * q


def count(fn: Callable[..., Any]) -> int:
    return graph_program(fn).explain("optimized").count("= matmul(")


@products.each
def test_products(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any) -> None:
    check(fn, *inputs)
    assert count(fn) == 1
    without(monkeypatch, "vector_products")
    check(fn, *inputs)
    assert count(fn) == 0


@sums.each
def test_other_sums_stay(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
    assert count(fn) == 0
