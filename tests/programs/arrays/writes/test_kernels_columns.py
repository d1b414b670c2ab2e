"""Elements, columns and planes read and written through integers in any place of the index."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import check

Array = np.ndarray[Any, Any]


def numbers(*shape: int) -> Array:
    """Different numbers in a shape."""
    return np.arange(np.prod(shape), dtype=float).reshape(shape)


def test_columns() -> None:
    def columns(x: Array, v: Array, j: int) -> tuple[Any, ...]:
        x[1:-1, j] = v
        x[:, -1] = x[:, 0]
        x[::2, j] += 1
        return x[:, j] * 2, x[j, 1], x[1, j]

    pair = np.array([1.0, 2.0])
    check(
        columns,
        (numbers(4, 5), pair, 2),
        (numbers(4, 5), pair[:1], -2),
        (numbers(3, 5), pair, 2),
        (numbers(4, 5), pair, 7),
        (numbers(4, 0), pair, 0),
    )


def test_integers_between_and_behind_slices() -> None:
    def planes(x: Array, i: int, j: int) -> tuple[Any, ...]:
        x[:, i, j] = 3.0
        x[1:, i, 1:] = 5
        x[:, i] = x[:, j]
        x[0, :, j] *= 2
        x[..., i] = 7
        x[i, j, 0], x[0, 0, j] = x[0, 0, j], x[i, j, 0]
        return x[i, :, j], x[:, i, j], x[i, j], x[i, j, i]

    indices = [(1, 2), (-1, 0), (0, 3), (3, 0), (0, -4)]
    check(planes, *((numbers(3, 3, 3), i, j) for i, j in indices), (numbers(1, 3, 3), 0, 1))


def test_steps() -> None:
    def stepped(x: Array, j: int, s: int) -> Array:
        x[::s, j] = -1
        x[::-1, j] = np.arange(x.shape[0])
        x[3:1, j] = 9
        return x

    check(stepped, (numbers(4, 3), 1, 2), (numbers(4, 3), 1, -1), (np.zeros((0, 3)), 1, 2), (numbers(4, 3), 1, 0))


def test_values_that_stretch_or_do_not_fit() -> None:
    def written(x: Array, v: Array, j: int) -> Array:
        x[:2, j] = v
        return x

    values = [np.ones(2), np.ones((1, 2)), np.ones((2, 1)), np.ones(3), np.ones(1), np.ones((2, 2))]
    check(written, *((numbers(4, 3), v, 1) for v in values), (numbers(1, 3), np.ones(2), 1))


def test_no_rows_and_a_column_outside() -> None:
    def none(x: Array, j: int) -> Array:
        x[5:, j] = 1
        return x

    check(none, (numbers(4, 3), 1), (numbers(4, 3), 5), (numbers(4, 3), -4), (numbers(7, 3), -3))


def test_a_view_of_a_column() -> None:
    def through(x: Array, j: int) -> Array:
        column = x[1:, j]
        column *= 2
        x[0, j] = column.sum()
        column[0] = -1
        return x + column[-1]

    check(through, (numbers(4, 3), 1), (numbers(4, 3), -1), (numbers(2, 3), 0))


def test_sweeps_over_columns() -> None:
    def sweep(u: Array, n: int, a: float) -> Array:
        p = np.empty(u.shape, dtype=u.dtype)
        p[1 : n - 1, 0] = 0.0
        for j in range(1, n - 1):
            p[1 : n - 1, j] = a / (p[1 : n - 1, j - 1] + 2.0)
            u[j, 1 : n - 1] = p[1 : n - 1, j] + u[:-2, j]
        for j in range(n - 2, 0, -1):
            u[1 : n - 1, j] = p[1 : n - 1, j] * u[1 : n - 1, j + 1]
        return u

    check(sweep, (numbers(5, 5), 5, 0.5), (numbers(3, 3), 3, 0.5), (numbers(5, 5), 4, 0.5), (numbers(5, 5), 2, 1.0))


def test_elements_of_rank_three_in_nested_loops() -> None:
    def contracted(x: Array, y: Array) -> Array:
        out = np.zeros((x.shape[0], y.shape[2]))
        for i in range(x.shape[0]):
            for k in range(y.shape[2]):
                for j in range(x.shape[1]):
                    out[i, k] += x[i, j] * y[j, 0, k]
        return out

    check(contracted, (numbers(2, 3), numbers(3, 1, 2)), (numbers(2, 0), numbers(0, 1, 2)))
