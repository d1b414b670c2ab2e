"""Quantiles that are computed, of Python, NumPy and integer kind, and elements that are infinite or NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .plain import check

Array = np.ndarray[Any, Any]
X = np.array([[4.0, 1.0, 3.0], [2.0, 8.0, 5.0]])
NAN = np.array([[4.0, np.nan, 3.0], [2.0, 8.0, 5.0]])
INF = np.array([[np.inf, -np.inf, 1.0], [np.inf, 2.0, -np.inf]])
SEVERAL = np.array([0.0, 0.1, 0.5, 1.0])


@pytest.mark.parametrize("x", [X, NAN, INF, X.astype(np.float32), X.astype(int)], ids=["x", "nan", "inf", "f4", "int"])
def test_computed_quantiles(x: Array) -> None:
    def four(x: Array, q: Any) -> Any:
        whole = np.quantile(x, q), np.nanquantile(x, q, axis=1)
        return *whole, np.percentile(x, q * 100, axis=0, keepdims=True), np.nanpercentile(x, q * 100)

    check(four, (x, 0.25), (x, np.float32(0.5)), (x, SEVERAL), (x, SEVERAL.reshape(2, 2)), (x, np.array(0.3)))


def test_integers_choose_elements() -> None:
    def ends(x: Array, q: int) -> Any:
        return np.quantile(x, q), np.nanquantile(x, q, axis=0), np.quantile(x, [0, 1], axis=1)

    check(ends, (X, 1), (INF, 0), (NAN, 1), (X.astype(int), 1))


def test_quantiles_outside() -> None:
    def outside(x: Array, q: Any) -> Any:
        return np.quantile(x, q)

    def percent(x: Array, q: Any) -> Any:
        return np.nanpercentile(x, q)

    bad = ((X, 1.5), (X, -0.1), (X, np.nan), (X, np.array([0.5, 2.0])))
    check(outside, *bad)
    check(percent, *((x, q * 100) for x, q in bad))
