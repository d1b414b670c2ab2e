"""Distributions that are drawn until they fit: gamma and its relatives, Poisson's.

A loop goes on until every element has a number; each round draws with a key of its own, so that what an element gets
depends on the key and its position only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.tensor_api.random.continuous import parameters
from graph_program.tensor_api.random.threefry import (
    CHOICES,
    checked,
    count_of,
    float_type,
    folded,
    inner_fractions,
    normals,
    shaped,
    sizes,
)

Array = np.ndarray[Any, Any]
BOOST = 0xFFFFFFFF
"""The number of the round that is none."""
SMALL_RATE = 10.0
FACTORIALS = np.cumsum(np.log(np.maximum(np.arange(16.0), 1.0)))
"""Logarithms of the factorials of 0 to 15."""
HALF_LOG_2_PI = 0.9189385332046727


def gamma(key: Array, a: Any, shape: Any = None, dtype: Any = np.float64) -> Any:
    """Numbers with the density x**(a - 1) * exp(-x) / Gamma(a), x > 0.

    Computed in float64, whatever `dtype` is.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    a : number or array
        Positive; it broadcasts to `shape`.
    shape : int or tuple of int, optional
        That of `a`, if left out.
    dtype : float32 or float64

    Returns
    -------
    array of `shape`

    Raises
    ------
    ValueError
        If a parameter is not positive and finite.
    """
    kind = float_type(dtype)
    wanted, (order,) = parameters(shape, a)
    size, logarithm = gamma_parts(checked(key), order)
    return shaped((size * np.exp(logarithm)).astype(kind), wanted)


def gamma_parts(key: Array, a: Array) -> tuple[Array, Array]:
    """Gamma numbers for a vector of parameters, as a positive factor and the logarithm of another one.

    G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables", ACM Transactions on Mathematical
    Software 26 (2000). A parameter below 1 is raised by 1, which the second factor makes up for; it may underflow.
    """
    if not np.all((a > 0) & (a < np.inf)):
        raise ValueError("the parameters of gamma numbers must be positive and finite")
    d = np.where(a < 1, a + 1, a) - 1 / 3
    c = 1 / np.sqrt(9 * d)
    found, waiting, step = np.zeros(len(a)), np.ones(len(a), np.bool_), 0
    while np.any(waiting):
        own = folded(key, step)
        x = normals(own, len(a), np.float64)
        v = (1 + c * x) * (1 + c * x) * (1 + c * x)
        chance = np.log(inner_fractions(own, len(a), np.float64, CHOICES))
        fits = (v > 0) & (chance < 0.5 * x * x + d - d * v + d * np.log(np.where(v > 0, v, 1.0)))
        found = np.where(waiting & fits, d * v, found)
        waiting = waiting & ~fits
        step += 1
    raised = np.log(inner_fractions(folded(key, BOOST), len(a), np.float64)) / a
    return found, np.where(a < 1, raised, 0.0)


def chisquare(key: Array, df: Any, shape: Any = None, dtype: Any = np.float64) -> Any:
    """Sums of squares of `df` standard normal numbers (`df` may be any positive number); parameters as of `gamma`."""
    return 2 * gamma(key, np.asarray(df, np.float64) / 2, shape, dtype)


def beta(key: Array, a: Any, b: Any, shape: Any = None, dtype: Any = np.float64) -> Any:
    """Numbers from 0 to 1 with a density proportional to x**(a - 1) * (1 - x)**(b - 1); parameters as of `gamma`."""
    kind = float_type(dtype)
    wanted, (first, second) = parameters(shape, a, b)
    size, logarithm = gamma_parts(checked(key), np.stack((first, second)).reshape(2 * len(first)))
    logs = (np.log(size) + logarithm).reshape(2, len(first))
    return shaped((1 / (1 + np.exp(logs[1] - logs[0]))).astype(kind), wanted)


def dirichlet(key: Array, alpha: Any, shape: Any = None, dtype: Any = np.float64) -> Any:
    """Vectors of positive numbers with the sum 1.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    alpha : array of shape (..., n)
        Positive.
    shape : int or tuple of int, optional
        That of the result without its last axis, if not that of `alpha`.
    dtype : float32 or float64

    Returns
    -------
    array of shape (..., n)

    Raises
    ------
    ValueError
        If a parameter is not positive and finite.
    """
    kind, orders = float_type(dtype), np.asarray(alpha, np.float64)
    if orders.ndim < 1:
        raise ValueError("dirichlet: alpha must have an axis")
    wanted = orders.shape[:-1] if shape is None else sizes(shape)
    whole = (*wanted, orders.shape[-1])
    size, logarithm = gamma_parts(checked(key), np.broadcast_to(orders, whole).reshape(count_of(whole)))
    logs = (np.log(size) + logarithm).reshape(whole)
    found = np.exp(logs - np.max(logs, axis=-1, keepdims=True, initial=-np.inf))
    return (found / np.sum(found, axis=-1, keepdims=True)).astype(kind)


def poisson(key: Array, lam: Any, shape: Any = None, dtype: Any = np.int64) -> Any:
    """Numbers of events, where `lam` of them are expected.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    lam : number or array
        At least 0 and at most 2**62; it broadcasts to `shape`.
    shape : int or tuple of int, optional
        That of `lam`, if left out.
    dtype : element type
        An integer type.

    Returns
    -------
    array of `shape`

    Raises
    ------
    ValueError
        If a rate is outside.
    """
    kind = np.dtype(dtype)
    if kind.kind not in "iu":
        raise TypeError(f"poisson gives integers, not {kind}")
    wanted, (rate,) = parameters(shape, lam)
    if not np.all((rate >= 0) & (rate <= 2.0**62)):
        raise ValueError("poisson: lam must be at least 0 and at most 2**62")
    small = rate < SMALL_RATE
    few = inverted(checked(key), np.where(small, rate, 1.0))
    many = transformed(checked(key), np.where(small, SMALL_RATE, rate), ~small)
    return shaped(np.where(small, few, many).astype(kind), wanted)


def inverted(key: Array, rate: Array) -> Array:
    """Poisson numbers for small rates: how many values of the distribution function are at most a uniform number."""
    drawn = inner_fractions(key, len(rate), np.float64)
    chance = np.exp(-rate)
    below, found, step = chance, np.zeros(len(rate)), 0.0
    while step < 100 and np.any(drawn >= below):
        step += 1.0
        found = found + (drawn >= below)
        chance = chance * rate / step
        below = below + chance
    return found


def transformed(key: Array, rate: Array, wanted: Array) -> Array:
    """Poisson numbers for large rates.

    W. Hörmann, "The transformed rejection method for generating Poisson random variables", Insurance: Mathematics and
    Economics 12 (1993), algorithm PTRS.
    """
    b = 0.931 + 2.53 * np.sqrt(rate)
    a = -0.059 + 0.02483 * b
    scale = np.log(1.1239 + 1.1328 / (b - 3.4))
    inner = 0.9277 - 3.6224 / (b - 2)
    found, waiting, step = np.zeros(len(rate)), wanted, 0
    while np.any(waiting):
        own = folded(key, step)
        u = inner_fractions(own, len(rate), np.float64) - 0.5
        v = inner_fractions(own, len(rate), np.float64, CHOICES)
        side = 0.5 - np.abs(u)
        k = np.floor((2 * a / side + b) * u + rate + 0.43)
        whole = np.maximum(k, 0.0)
        height = np.log(v) + scale - np.log(a / (side * side) + b)
        fits = height <= whole * np.log(rate) - rate - log_factorial(whole)
        fits = (k >= 0) & ((side >= 0.013) | (v <= side)) & fits | (side >= 0.07) & (v <= inner)
        found = np.where(waiting & fits, whole, found)
        waiting = waiting & ~fits
        step += 1
    return found


def log_factorial(k: Array) -> Array:
    """Logarithms of factorials: by a table, and by Stirling's series from 16 on."""
    x = np.maximum(k, 16.0)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / (x * x)) / (x * x)) / (x * x)) / x
    large = (x + 0.5) * np.log(x) - x + HALF_LOG_2_PI + series
    return np.where(k < 16, np.take(FACTORIALS, k.astype(np.int64), mode="clip"), large)


__all__ = ["beta", "chisquare", "dirichlet", "gamma", "poisson"]
