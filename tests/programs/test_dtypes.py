"""Element types that NumPy's promotion gives, in functions that promote more than once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .plain import check

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
