"""`np.block` as a program over NumPy: extracted like a user's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def block(arrays: Any) -> Array:
    """`np.block`: nested lists of blocks."""
    depth, leaves = depth_of(arrays), leaves_of(arrays)
    rank = max([depth, *[x.ndim for x in leaves]])
    return joined(arrays, rank, rank - depth, np.result_type(*leaves)).copy()


def depth_of(value: Any) -> int:
    """How many lists are around each block."""
    return 1 + max([0, *[depth_of(v) for v in value]]) if isinstance(value, list | tuple) else 0


def leaves_of(value: Any) -> list[Array]:
    """The blocks as arrays."""
    if not isinstance(value, list | tuple):
        return [np.asarray(value)]
    return [x for v in value for x in leaves_of(v)]


def joined(value: Any, rank: int, axis: int, dtype: Any) -> Array:
    """Blocks of one rank and element type, joined: the innermost lists along the last axis."""
    if not isinstance(value, list | tuple):
        x = np.asarray(value).astype(dtype)
        return np.expand_dims(x, tuple(range(rank - x.ndim)))
    parts = [joined(v, rank, axis + 1, dtype) for v in value]
    return parts[0].copy() if len(parts) == 1 else np.concatenate(parts, axis=axis)


__all__ = ["block"]
