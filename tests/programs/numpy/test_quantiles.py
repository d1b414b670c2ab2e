"""Quantiles that are computed, of Python, NumPy and integer kind, and elements that are infinite or NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import Static, graph_program
from graph_program.extract.library.arrays.quantiles import METHODS
from tests.programs.plain import check

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


@pytest.mark.parametrize("method", METHODS)
def test_methods(method: Static[str]) -> None:
    def of_numbers(x: Array, q: Any) -> Any:
        return np.quantile(x, q, axis=-1, method=method), np.nanpercentile(x, q * 100, method=method)

    def of_python(x: Array) -> Any:
        return np.quantile(x, 0.3, method=method), np.nanquantile(x, 1, 0, method=method, keepdims=True)

    small = np.array([[-128, 127, 5, 9], [3, 100, -100, 0]], np.int8)
    arrays = X, NAN, INF, X.astype(np.float32), small, X[:, :1], X[:0], small[:, :0], np.full(3, np.nan)
    check(of_numbers, *((x, q) for x in arrays for q in (SEVERAL, np.array([0, 1]), np.float32(0.4))))
    check(of_python, *((x,) for x in arrays))


def test_a_method_that_is_none() -> None:
    def unknown(x: Array) -> Any:
        return np.quantile(x, 0.5, method="median")

    with pytest.raises(ValueError, match=r"'median' is not a valid method. Use one of: dict_keys\(\['inverted_cdf'"):
        graph_program(unknown)(X)


def test_sizes_that_run_time_decides() -> None:
    def of_some(x: Array) -> Any:
        return np.nanquantile(x[x > 2], 0.5), np.quantile(x[x > 2], [0.5, 1], method="lower")

    check(of_some, (X,), (X * 2,), (X * 0,))


def test_one_extraction_for_arrays_with_elements() -> None:
    def several(x: Array) -> Any:
        return np.nanquantile(x, [0.25, 0.75])

    program = check(several, *((np.arange(float(n)),) for n in (5, 9, 0, 3, 0)))
    assert len(program._shims) == 2


def test_quantiles_outside() -> None:
    def outside(x: Array, q: Any) -> Any:
        return np.quantile(x, q)

    def percent(x: Array, q: Any) -> Any:
        return np.nanpercentile(x, q)

    bad = ((X, 1.5), (X, -0.1), (X, np.nan), (X, np.array([0.5, 2.0])))
    check(outside, *bad)
    check(percent, *((x, q * 100) for x, q in bad))
