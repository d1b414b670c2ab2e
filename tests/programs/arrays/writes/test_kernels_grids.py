"""Grids of coordinates and pieces put together, as numerical kernels make them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import UnsupportedError, graph_program
from tests.programs.plain import check

Array = np.ndarray[Any, Any]


def test_mgrid_of_computed_sizes() -> None:
    def distances(n: int, m: int) -> Array:
        i, j = np.mgrid[0:n, 0:m]
        return np.hypot(i - n // 2, j - m // 2)

    check(distances, (3, 4), (0, 2), (-1, 2))


def test_mgrid_with_steps_and_numbers_of_points() -> None:
    def grids(a: float, b: float) -> tuple[Array, ...]:
        return np.mgrid[a:b:0.5, 0:3], np.mgrid[0:b:5j, -1:1:3j], np.mgrid[0:4], np.mgrid[3:8,], np.mgrid[0:b:4j]

    check(grids, (0.0, 2.0), (0, 2), (3, 2.5))


def test_ogrid_is_open() -> None:
    def circle(n: int) -> Array:
        y, x = np.ogrid[-n : n + 1, -n : n + 1]
        return x * x + y * y <= n * n

    check(circle, (3,), (0,))


def test_pieces_side_by_side() -> None:
    def pieces(x: Array, y: Array) -> tuple[Array, ...]:
        return np.r_[x, y], np.r_[0, x, 1.5], np.c_[x, x], np.r_[1:5, 0:1:3j], np.c_[x, np.arange(len(x))]

    single = np.arange(3, dtype=np.float32)
    check(pieces, (np.arange(3.0), single), (single, single), (np.arange(3), single))


def test_text_in_pieces_is_refused() -> None:
    program = graph_program(lambda x: np.r_["0,2", x, x])
    with pytest.raises(UnsupportedError, match="GP321"):
        program(np.arange(3.0))


def test_indices_that_have_names() -> None:
    def parts(x: Array, k: int) -> tuple[Array, ...]:
        inner = np.s_[1:-1]
        return x[inner], x[np.index_exp[0:2]], x[np.s_[k]]

    check(parts, (np.arange(5.0), 2))


def test_fromfunction() -> None:
    def tables(n: int) -> tuple[Array, ...]:
        return np.fromfunction(lambda i, j: i + 2 * j, (n, 3)), np.fromfunction(lambda i, j: i == j, (3, n), dtype=int)

    check(tables, (4,), (0,))


def test_ndarray_of_a_shape_and_an_element_type() -> None:
    def filled(x: Array, n: int) -> tuple[Array, ...]:
        a = np.ndarray(n, dtype=x.dtype)
        b = np.ndarray((2, n))
        a[:] = x[0]
        b[:, :] = x[1]
        return a, b

    check(filled, (np.arange(3, dtype=np.float32), 4), (np.arange(3), 0))


def test_ndarray_over_a_buffer_is_refused() -> None:
    program = graph_program(lambda x: np.ndarray((2,), buffer=x))
    with pytest.raises(UnsupportedError, match="buffer"):
        program(np.arange(3.0))
