"""Numbers written into integer arrays: NumPy asks for their `int`, and refuses what does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

Array = np.ndarray[Any, Any]
NUMBERS = (np.nan, np.inf, 1e10, -1.9, np.float32("nan"), np.float64(1e10), np.int64(300), np.int64(-1), 300.5, True)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint8, np.float32])
def test_a_number_that_does_not_fit(dtype: type) -> None:
    def item(x: Array, v: Any) -> Array:
        x[0] = v
        return x

    def rest(x: Array, v: Any) -> Array:
        x[1:] = v
        x.fill(v)
        return x

    inputs = [(np.ones(2, dtype), v) for v in NUMBERS]
    check(item, *inputs)
    check(rest, *inputs)
