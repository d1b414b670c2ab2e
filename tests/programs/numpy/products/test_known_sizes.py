"""Linear algebra of matrices whose sizes are declared as numbers, so that loops over panels have one round, or two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor
from tests.programs.plain import check

Array = np.ndarray[Any, Any]


def cholesky(a: Array) -> Any:
    return np.linalg.cholesky(a)


def solved(a: Array) -> Any:
    return np.linalg.solve(a, a[0]), np.linalg.inv(a), np.linalg.slogdet(a)[1]


def factors(a: Array) -> Any:
    return np.abs(np.linalg.qr(a)[1])


def values(a: Array) -> Any:
    return np.linalg.eigvalsh(a), np.linalg.svd(a)[1]


def least(a: Array) -> Any:
    return np.linalg.lstsq(a, a[0], rcond=None)[0], np.linalg.pinv(a)


@pytest.mark.parametrize("n", [1, 5, 12, 20, 33])
@pytest.mark.parametrize("function", [cholesky, solved, factors, values, least])
def test_known_sizes(function: Callable[..., Any], n: int) -> None:
    a = np.random.default_rng(n).normal(size=(n, n))

    def of_known(a: Array) -> Any:
        return function(a)

    of_known.__annotations__ = {"a": Float64[Tensor, f"{n} {n}"]}
    check(of_known, (a @ a.T / n + np.eye(n),))
