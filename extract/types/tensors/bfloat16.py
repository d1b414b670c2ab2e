"""bfloat16, which NumPy has from the package `ml_dtypes`: imported only where a program names the type.

It has the exponent of float32 and 8 bits of precision.  Its other types (`float8_e4m3fn`, `int4`, ...) are
known by name, to be refused.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

DType = np.dtype[Any]
HOME, NAME = "ml_dtypes", "bfloat16"
FLOAT32 = np.dtype(np.float32)
INSTEAD = "use bfloat16, float16, float32 or float64, or an integer type of 8 bits or more"
"""What there is instead of the other types of that package."""


def is_bfloat16_class(cls: type) -> bool:
    """Whether a class is `ml_dtypes.bfloat16`."""
    return cls.__module__ == HOME and cls.__name__ == NAME


def is_bfloat16(dtype: DType) -> bool:
    """Whether an element type is bfloat16."""
    return is_bfloat16_class(dtype.type)


def is_extension(dtype: DType) -> bool:
    """Whether an element type comes from `ml_dtypes`."""
    return dtype.type.__module__ == HOME


def is_number(dtype: DType) -> bool:
    """Whether the elements are numbers (or booleans) of NumPy's own, or bfloat16."""
    return (not is_extension(dtype) and dtype.kind in "biufc") or is_bfloat16(dtype)


@cache
def bfloat16() -> DType:
    """The element type."""
    import ml_dtypes

    dtype: DType = np.dtype(ml_dtypes.bfloat16)
    return dtype
