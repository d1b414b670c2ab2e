"""What a row of the operation tests is: the operands to try, and how close the result must be.

A row's `cases` gives, for an element type, operand tuples with attributes; the reference of the
operation says what the result is, and which element types NumPy has it for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

INTEGERS = [np.dtype(f"{sign}int{width}") for width in (8, 16, 32, 64) for sign in ("", "u")]
FLOATS = [np.dtype(name) for name in ("float16", "float32", "float64")]
DTYPES = (np.dtype(np.bool_), *INTEGERS, *FLOATS)
MOVED = tuple(np.dtype(name) for name in ("bool", "int16", "uint64", "float16", "float64"))
"""Enough for operations that only move elements."""


@dataclass
class Case:
    """Operands and attributes of one call."""

    operands: tuple[np.ndarray, ...]
    attrs: dict[str, Any] = field(default_factory=dict)


Cases = Callable[[np.dtype], Iterator[Case]]


@dataclass
class Row:
    """How an operation is tried.

    Attributes
    ----------
    cases : callable
        Element type to cases.
    ulps : float
        Units in the last place by which floats may differ; float16 always gets 1 more.
    absolute : float
        Difference, in units of the type's epsilon, that is allowed whatever the size of the result.
    signed_zeros : bool
        Whether zeros must have NumPy's sign.
    dtypes : sequence of numpy.dtype
        Element types to try.
    """

    cases: Cases
    ulps: float = 0
    absolute: float = 0
    signed_zeros: bool = True
    dtypes: Sequence[np.dtype] = DTYPES


def edges(dtype: np.dtype) -> np.ndarray:
    """Values at which operations go wrong."""
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = {0, 1, 2, 3, 5, 7, 10, 100, info.max, info.max - 1, info.max // 2, info.min, info.min + 1}
        values |= {v for v in (2**31, 2**32 - 1, 2**53 + 1) if v <= info.max}
        if dtype.kind == "i":
            values |= {-1, -2, -3, -7, -100, info.min // 2}
        return np.array(sorted(values), dtype)
    limits = np.finfo(dtype)
    positive = [0.0, 0.1, 0.5, 0.7, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 8.0, 10.0, 20.5, 100.0, 1000.0]
    positive += [float(limits.max), float(limits.tiny), float(limits.smallest_subnormal), float("inf"), 1e-3]
    positive += [float(limits.eps), float(limits.max) ** 0.5, 0.999]
    return np.array([*positive, *(-v for v in positive), float("nan")]).astype(dtype)


def sample(dtype: np.dtype, *shape: int, seed: int = 0) -> np.ndarray:
    """Ordinary values, reproducible."""
    rng = np.random.default_rng(seed + sum(shape) * 7)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        low = -9 if dtype.kind == "i" else 0
        return rng.integers(low, 10, shape).astype(dtype)
    return (rng.normal(size=shape) * 3).astype(dtype)
