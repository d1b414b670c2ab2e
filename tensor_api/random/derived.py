"""Distributions that are formulas of uniform, normal or gamma numbers; computed in float64."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.tensor_api.random.continuous import parameters
from graph_program.tensor_api.random.rejection import gamma_parts
from graph_program.tensor_api.random.threefry import (
    checked,
    count_of,
    float_type,
    folded,
    inner_fractions,
    normals,
    shaped,
    sizes,
    words32,
)

Array = np.ndarray[Any, Any]
OTHER = 0xFFFFFFFE
"""The number of the round that draws what the gamma numbers are compared with."""


def lognormal(key: Array, sigma: Any = 1.0, shape: Any = None, dtype: Any = np.float64) -> Any:
    """Exponentials of normal numbers with the standard deviation `sigma`; `shape` is that of `sigma` if left out."""
    kind = float_type(dtype)
    wanted, (spread,) = parameters(shape, sigma)
    return shaped(np.exp(spread * normals(checked(key), count_of(wanted), np.float64)).astype(kind), wanted)


def rayleigh(key: Array, scale: Any = 1.0, shape: Any = None, dtype: Any = np.float64) -> Any:
    """Lengths of vectors of two normal numbers with the standard deviation `scale`; `shape` as of `lognormal`."""
    kind = float_type(dtype)
    wanted, (spread,) = parameters(shape, scale)
    return shaped((spread * np.sqrt(2 * waits(key, count_of(wanted)))).astype(kind), wanted)


def weibull_min(key: Array, scale: Any, concentration: Any, shape: Any = None, dtype: Any = np.float64) -> Any:
    """Numbers with the distribution function 1 - exp(-(x / scale)**concentration); `shape` as of `lognormal`."""
    kind = float_type(dtype)
    wanted, (spread, power) = parameters(shape, scale, concentration)
    return shaped((spread * waits(key, count_of(wanted)) ** (1 / power)).astype(kind), wanted)


def pareto(key: Array, b: Any, shape: Any = None, dtype: Any = np.float64) -> Any:
    """Numbers with the distribution function 1 - x**-b, x > 1; `shape` as of `lognormal`."""
    kind = float_type(dtype)
    wanted, (power,) = parameters(shape, b)
    return shaped(np.exp(waits(key, count_of(wanted)) / power).astype(kind), wanted)


def triangular(key: Array, left: Any, mode: Any, right: Any, shape: Any = None, dtype: Any = np.float64) -> Any:
    """Numbers from `left` to `right` whose density rises to `mode` and then falls; `shape` as of `lognormal`.

    Raises
    ------
    ValueError
        If not `left <= mode <= right` and `left < right`.
    """
    kind = float_type(dtype)
    wanted, (low, top, high) = parameters(shape, left, mode, right)
    if not np.all((low <= top) & (top <= high) & (low < high)):
        raise ValueError("triangular: left, mode and right must be in order, left less than right")
    drawn = inner_fractions(checked(key), count_of(wanted), np.float64)
    rising = low + np.sqrt(drawn * (high - low) * (top - low))
    falling = high - np.sqrt((1 - drawn) * (high - low) * (high - top))
    return shaped(np.where(drawn * (high - low) < top - low, rising, falling).astype(kind), wanted)


def t(key: Array, df: Any, shape: Any = None, dtype: Any = np.float64) -> Any:
    """Student's t with `df` degrees of freedom, any positive number; `shape` as of `lognormal`."""
    kind = float_type(dtype)
    wanted, (freedom,) = parameters(shape, df)
    size, logarithm = gamma_parts(checked(key), freedom / 2)
    drawn = normals(folded(key, OTHER), count_of(wanted), np.float64)
    return shaped((drawn * np.sqrt(freedom / 2 / size) * np.exp(-logarithm / 2)).astype(kind), wanted)


def geometric(key: Array, p: Any, shape: Any = None, dtype: Any = np.int64) -> Any:
    """Numbers of trials up to the first success, which has the probability `p`; `shape` as of `lognormal`.

    Raises
    ------
    ValueError
        If a probability is not above 2**-60 and at most 1.
    """
    kind = np.dtype(dtype)
    if kind.kind not in "iu":
        raise TypeError(f"geometric gives integers, not {kind}")
    wanted, (chance,) = parameters(shape, p)
    if not np.all((chance > 2.0**-60) & (chance <= 1)):
        raise ValueError("geometric: p must be above 2**-60 and at most 1")
    rate = -np.log1p(-np.where(chance < 1, chance, 0.5))
    trials = np.maximum(np.ceil(waits(key, count_of(wanted)) / rate), 1.0)
    return shaped(np.where(chance < 1, np.minimum(trials, 2.0**62), 1.0).astype(kind), wanted)


def rademacher(key: Array, shape: Any = (), dtype: Any = np.int64) -> Any:
    """-1 or 1, equally likely, of a signed integer or a floating element type."""
    wanted, kind = sizes(shape), np.dtype(dtype)
    if kind.kind not in "if":
        raise TypeError(f"rademacher gives signed numbers, not {kind}")
    signs = (words32(checked(key), count_of(wanted)) >> 31).astype(np.int64) * 2 - 1
    return shaped(signs.astype(kind), wanted)


def waits(key: Array, count: int) -> Array:
    """Exponential numbers above 0."""
    return -np.log(inner_fractions(checked(key), count, np.float64))


__all__ = ["geometric", "lognormal", "pareto", "rademacher", "rayleigh", "t", "triangular", "weibull_min"]
