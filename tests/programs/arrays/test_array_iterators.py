"""NumPy's iterators over elements and indices, and diagonals that are written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check

C = np.arange(6.0).reshape(2, 3)
F = np.asfortranarray(C)


def flat_sum(x: Any) -> Any:
    total = 0.0
    for v in x.flat:
        total += v
    return total


def flat_item(x: Any, i: int) -> Any:
    return x.flat[i]


def set_flat_item(x: Any, i: int, v: float) -> None:
    x.flat[i] = v


def flat_slices(x: Any) -> Any:
    y = x.flat[1:4]
    y[0] = 9.0
    x.flat[2:] = 7.0
    x.T.flat[0:2] = 1.0
    return y, x.T.flat[2:4], len(x.flat)


def flat_compared(x: Any, y: Any) -> Any:
    return x.flat == y, x.flat != 2, x.flat <= 2, x.flat < x.flat, 2.0 in x.flat, (x.flat > 1).sum()


def flat_everywhere(x: Any) -> None:
    x.flat[...] = 5.0


def enumerated(x: Any) -> Any:
    total = 0.0
    for (i, j), v in np.ndenumerate(x):
        total += (i + 1) * (j + 2) * v
    return total


def enumerated_writes(x: Any) -> Any:
    result = np.zeros(x.shape)
    for index, v in np.ndenumerate(x):
        result[index] = v * 2.0
    return result


def indices(n: int, m: int) -> Any:
    total = 0
    for i in np.ndindex(n, m):
        total += i[0] * 10 + i[1]
    return total


def indices_of_a_shape(x: Any) -> Any:
    total = 0.0
    for i in np.ndindex(x.shape):
        total += x[i]
    for i, j in np.ndindex(x.shape[0], 2):
        total += x[i, j]
    for _ in np.ndindex(()):
        total += 1.0
    return total


def elements(x: Any, y: Any) -> Any:
    total = 0.0
    for v in np.nditer(x, order="C"):
        total += v.item()
    for v, w in np.nditer((x, y), order="C"):
        total += v * w
    return total


def elements_of_an_array_of_its_own(n: int) -> Any:
    total = 0
    for v in np.nditer(np.arange(n).reshape(2, -1)):
        total += v
    return total


def diagonal(x: Any) -> Any:
    np.fill_diagonal(x, 7.0)
    y = x.copy()
    np.fill_diagonal(y.T, [1.0, 2.0], wrap=True)
    return y


def test_flat() -> None:
    for program in (flat_sum, flat_slices, flat_everywhere):
        check(program, (C,), (F,))
    check(flat_sum, (np.arange(4),), (np.array(3.0),))
    check(flat_compared, (C, np.arange(6.0)), (F, C.ravel()), (C, 2))
    check(flat_item, (C, 0), (F, 1), (C, -1), (C, 6), (C, -7), (F, np.int32(2)))
    check(set_flat_item, (C, 0, 2.0), (F, 1, 3.0), (C, -1, 1.0), (C, 6, 1.0), (C, -7, 1.0))


def test_indices() -> None:
    check(enumerated, (C,), (F,))
    check(enumerated_writes, (C,), (F,), (np.zeros((0, 3)),))
    check(indices, (2, 3), (0, 3), (3, 0), (-1, 2))
    check(indices_of_a_shape, (C,), (F,))


def test_elements() -> None:
    check(elements, (C, C[0]), (F, C), (np.zeros((0, 3)), np.zeros(3)), (np.zeros((1, 3)), np.zeros((0, 1))))
    check(elements_of_an_array_of_its_own, (6,), (2,), (0,))


def test_an_order_that_is_not_known_is_refused() -> None:
    def program(x: Any) -> Any:
        total = 0.0
        for v in np.nditer(x):
            total += v
        return total

    with pytest.raises(GraphProgramError, match="order of its memory"):
        graph_program(program)(np.ones((4, 6))[:, ::2])


def test_diagonals() -> None:
    check(diagonal, (np.zeros((3, 3)),), (np.zeros((2, 5)),), (np.zeros((7, 2)),))


def test_all_nan() -> None:
    def program(x: Any) -> Any:
        return np.nanargmax(x, axis=1)

    check(program, (np.array([[1.0, np.nan], [np.nan, 2.0]]),), (np.array([[1.0, 2.0], [np.nan, np.nan]]),))
