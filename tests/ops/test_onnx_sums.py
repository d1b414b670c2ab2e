"""Sums of integers are exact in onnxruntime, which makes them in float64 by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

LARGE = [2.0**60, 1, 1, -3]


def whole(x: Any) -> Any:
    return x.astype(np.int64).sum(), x.sum(dtype=np.int64)


def along_axes(x: Any) -> Any:
    rows = x.reshape(2, -1).astype(np.int64)
    return rows.sum(axis=0), rows.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("program", [whole, along_axes])
def test_floats_of_few_bits_may_be_large(program: Any) -> None:
    """What was just cast from 32 bits stays small only if these are integers."""
    given = [np.array(LARGE, np.float32), np.array([65504, 1, np.nan, 2], np.float16), np.array([2**32 - 1] * 4, "u4")]
    check(program, *((x,) for x in given), (np.array([np.nan, 1.5, 3, np.inf], np.float32),), (np.ones(4, np.bool_),))
