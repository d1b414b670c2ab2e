"""Copies of arguments that keep what a program can tell: layout, sharing, and being read-only."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np


def copied(value: Any, memo: dict[int, Any] | None = None) -> Any:
    """A copy in which what was shared is shared and every array has the strides that it had."""
    memo = {} if memo is None else memo
    if id(value) in memo:
        return memo[id(value)]
    if isinstance(value, np.ndarray) and type(value) is np.ndarray:
        result: Any = copied_array(value)
    elif type(value) is tuple:
        result = tuple(copied(item, memo) for item in value)
    elif type(value) is list:
        result = [copied(item, memo) for item in value]
    else:
        result = copy.deepcopy(value, memo)
    memo[id(value)] = result
    memo[-id(value)] = value
    return result


def copied_array(array: np.ndarray) -> np.ndarray:
    """A copy with the strides of the original."""
    if 0 in array.strides and array.size > 1:
        once = array[tuple(slice(0, 1) if s == 0 else slice(None) for s in array.strides)]
        return np.broadcast_to(copied_array(once), array.shape)
    spans = [(n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)] if array.size else []
    low = sum(span for span in spans if span < 0)
    high = sum(span for span in spans if span > 0)
    buffer = np.zeros(high - low + array.itemsize, dtype=np.uint8)
    result: np.ndarray = np.ndarray(array.shape, array.dtype, buffer, -low, array.strides)
    result[...] = array
    result.flags.writeable = array.flags.writeable
    return result
