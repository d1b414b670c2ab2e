"""Sizes that are the largest or smallest of more than two, and broadcasts of several."""

from __future__ import annotations

import numpy as np
import pytest

from graph_program import Float64, Int64, Tensor, graph_program
from tests.fuzz import compare


@graph_program
def repeated(y: Int64[Tensor, "m"], z: Float64[Tensor, "m-1 n"]):
    z = np.concatenate([z, z[:1]])
    return np.repeat(z, len(y))


@graph_program
def added(x: Float64[Tensor, "a"], y: Float64[Tensor, "b"], z: Float64[Tensor, "c"], w: Float64[Tensor, "d"]):
    total = x + y + z
    return np.concatenate([total[:, None], w[:, None]], axis=1)


@pytest.mark.parametrize("m", [1, 2, 3, 5])
@pytest.mark.parametrize("n", [0, 1, 4])
def test_largest_of_several(m: int, n: int) -> None:
    args = (np.arange(m), np.arange(float((m - 1) * n)).reshape(m - 1, n))
    assert compare.difference(compare.call(repeated.python, args), compare.call(repeated, args)) is None


@pytest.mark.parametrize("sizes", [(3, 3, 3, 3), (1, 1, 3, 3), (1, 3, 1, 3), (3, 1, 1, 3), (1, 1, 3, 1), (1, 1, 0, 0)])
def test_broadcast_of_several(sizes: tuple[int, ...]) -> None:
    args = tuple(np.arange(float(n)) for n in sizes)
    assert compare.difference(compare.call(added.python, args), compare.call(added, args)) is None
