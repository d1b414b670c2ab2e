"""Element types that NumPy's promotion gives, in functions that promote more than once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

Array = np.ndarray[Any, Any]
DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_python_numbers_take_the_type_of_the_array(dtype: str) -> None:
    def bounded(x: Array) -> Any:
        return np.clip(x, 1, 3), x.clip(0, 1), np.clip(x, 0.5, 2), np.clip(x, 1, None), np.where(x > 1, x, 1)

    def arithmetic(x: Array) -> Any:
        return x + 1, x * 2.5, x // 2, x % 3, np.maximum(x, 2), np.power(x, 2), np.isclose(x, 1)

    values = np.array([0, 1, 2, 5], dtype)
    check(bounded, (values,), (values[:0],))
    check(arithmetic, (values,))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8"])
def test_integers_are_compared_with_python_ints_by_value(dtype: str) -> None:
    def computed(x: Array, k: int) -> Any:
        return x > k, x <= k, k != x, x[0] == k, np.less(x, k + 1)

    def written(x: Array) -> Any:
        return x < 2**40, x >= -(2**40), x == 300, x != -1, x[1] > 70000

    values = np.array([0, 1, 100], dtype)
    check(computed, (values, 100), (values, -1), (values, 300), (values, 2**40), (values, -(2**40)))
    check(written, (values,))


def test_padding_an_empty_axis_by_nothing() -> None:
    def reflected(x: Array, k: int) -> Any:
        return np.pad(x, k, mode="reflect"), np.pad(x, (k, 0), mode="edge")

    check(
        reflected, (np.zeros(0), 0), (np.zeros(0), 1), (np.arange(3.0), 0), (np.arange(3.0), 2), (np.zeros((0, 2)), 0)
    )
