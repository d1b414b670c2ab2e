"""What the functions of `nn` share: arrays, numbers for each spatial axis, element types."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.tensor_api.checks import refuse

Array = np.ndarray[Any, Any]


def require_floats(name: str, *arrays: Any) -> None:
    """TypeError unless all arrays that are given are of one floating type."""
    first = arrays[0]
    for x in arrays:
        if x is not None:
            if x.dtype.kind != "f":
                raise TypeError(f"{name}: expected an array of floats, got {x.dtype.name}")
            if x.dtype != first.dtype:
                raise TypeError(f"{name}: expected arrays of one type, got {first.dtype.name} and {x.dtype.name}")


def widened(x: Any) -> Any:
    """The array; float16 as float32, in which it is computed."""
    return x if x is None or x.dtype != np.float16 else x.astype(np.float32)


def each(value: Any, rank: int, name: str) -> Any:
    """One number for each spatial axis: those given, or the same one for all."""
    if not isinstance(value, tuple | list):
        return (value,) * rank
    if len(value) == 1:
        return tuple(value) * rank
    if len(value) != rank:
        raise ValueError(f"{name}: expected {rank} numbers, got {len(value)}")
    return tuple(value)


def require_rank(name: str, x: Any, rank: int) -> None:
    """ValueError for an array that has neither `rank` axes nor, without a batch, one less."""
    if x.ndim != rank and x.ndim != rank - 1:
        raise ValueError(f"{name}: expected {rank - 1} or {rank} dimensions, got {x.ndim}")


def require_windows(name: str, x: Any, lengths: Any, strides: Any, dilations: Any) -> None:
    """ValueError where numbers are no numbers of steps, or windows are longer than their axes (`lengths`)."""
    for s, d in zip(strides, dilations, strict=True):
        refuse(s < 1, f"{name}: stride must be positive")
        refuse(d < 1, f"{name}: dilation must be positive")
    for (size, length), axis in zip(lengths, range(len(strides)), strict=True):
        text = f"a window of {length} elements is longer than spatial axis {axis}, {size} with padding"
        refuse(size < length, f"{name}: {text}")


def without_batch(y: Any, batched: bool) -> Any:
    """The result for an array that came without a batch."""
    return y if batched else y[0]


__all__ = ["Array", "each", "refuse", "require_floats", "require_rank", "require_windows", "widened", "without_batch"]
