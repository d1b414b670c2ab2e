"""Arrays as the page reads them: `{"dtype": "float32", "shape": [2], "data": base64}`."""

from __future__ import annotations

import base64
import gzip
from typing import Any

import numpy as np


def written(value: Any, dtype: str | None = None) -> dict[str, Any]:
    """An array, or a number as one without axes."""
    array = np.asarray(value) if dtype is None else np.asarray(value, np.dtype(dtype))
    little = array.astype(array.dtype.newbyteorder("<"))
    return {"dtype": array.dtype.name, "shape": list(array.shape), "data": in_base64(little.tobytes())}


def plain_floats() -> dict[str, float]:
    """From which number on the installed NumPy writes floats of each type with an exponent."""
    types = (np.float16, np.float32)
    powers = [(t, t(10.0**e)) for e in range(1, 17) for t in types if e < 5 or t is not np.float16]
    return {t.__name__: float(next((x for u, x in powers if u is t and "e" in str(x)), t(np.inf))) for t in types}


def in_base64(data: bytes) -> str:
    """The text that stands for bytes."""
    return base64.b64encode(data).decode("ascii")


def packed(data: bytes) -> str:
    """The same, smaller: the browser unpacks it. The text is the same whenever it is made."""
    return in_base64(gzip.compress(data, 6, mtime=0))


__all__ = ["in_base64", "packed", "plain_floats", "written"]
