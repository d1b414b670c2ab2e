"""The objects that arrays have as their element types: generated functions ask for the very object."""

from __future__ import annotations

from typing import Any

import numpy as np


def shared_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The object that the arrays of an element type have; another one that is equal may have come with a constant."""
    return np.dtype(dtype.char) if dtype.char in np.typecodes["All"] and dtype.isnative else dtype


__all__ = ["shared_dtype"]
