"""Order statistics that pass over NaN, as programs over NumPy: extracted like a user's own functions.

`ordered` is sorted along its last axis, so that NaN come last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def nan_median(ordered: Array) -> Array:
    """The middle of what is not NaN, or the mean of the two."""
    there = np.sum(~np.isnan(ordered), axis=-1, keepdims=True)
    left = np.take_along_axis(ordered, np.maximum(there - 1, 0) // 2, -1)[..., 0]
    right = np.take_along_axis(ordered, np.minimum(there // 2, ordered.shape[-1] - 1), -1)[..., 0]
    return np.where(left == right, left, (left + right) / 2)


def refuse_all_nan(all_nan: Any) -> None:
    """NumPy's error for a slice without a largest element."""
    if all_nan:
        raise ValueError("All-NaN slice encountered")


__all__ = ["nan_median", "refuse_all_nan"]
