"""Numbers of successes."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.tensor_api.random.continuous import parameters
from graph_program.tensor_api.random.rejection import log_factorial
from graph_program.tensor_api.random.threefry import CHOICES, checked, folded, inner_fractions, shaped

Array = np.ndarray[Any, Any]
FEW = 10.0
"""From as many expected successes on, they are drawn by rejection."""


def binomial(key: Array, n: Any, p: Any, shape: Any = None, dtype: Any = np.int64) -> Any:
    """Numbers of successes in `n` trials, each of which succeeds with the probability `p`.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    n : integer or array
        At least 0 and at most 2**53; it broadcasts to `shape`.
    p : number or array
        From 0 to 1.
    shape : int or tuple of int, optional
        That of `n` and `p`, if left out.
    dtype : element type
        An integer type.

    Returns
    -------
    array of `shape`

    Raises
    ------
    ValueError
        If a parameter is outside.
    """
    kind = np.dtype(dtype)
    if kind.kind not in "iu":
        raise TypeError(f"binomial gives integers, not {kind}")
    wanted, (count, chance) = parameters(shape, n, p)
    if not np.all((count >= 0) & (count <= 2.0**53) & (count == np.floor(count))):
        raise ValueError("binomial: n must be a whole number from 0 to 2**53")
    if not np.all((chance >= 0) & (chance <= 1)):
        raise ValueError("binomial: p must be from 0 to 1")
    rare = np.minimum(chance, 1 - chance)
    small = count * rare < FEW
    few = inverted(checked(key), count, np.where(small, rare, 0.0))
    many = transformed(checked(key), np.where(small, 4 * FEW, count), np.where(small, 0.5, rare), ~small)
    found = np.where(small, few, many)
    return shaped(np.where(chance > 0.5, count - found, found).astype(kind), wanted)


def inverted(key: Array, n: Array, p: Array) -> Array:
    """Where few are expected: how many values of the distribution function are at most a uniform number."""
    drawn = inner_fractions(key, len(n), np.float64)
    odds = p / (1 - p)
    chance = np.exp(n * np.log1p(-p))
    below, found, step = chance, np.zeros(len(n)), 0.0
    while step < 100 and np.any((drawn >= below) & (found < n)):
        found = found + ((drawn >= below) & (found < n))
        chance = chance * odds * np.maximum(n - step, 0.0) / (step + 1)
        step += 1.0
        below = below + chance
    return found


def transformed(key: Array, n: Array, p: Array, wanted: Array) -> Array:
    """Where many are expected, of p up to 1/2.

    W. Hörmann, "The generation of binomial random variates", Journal of Statistical Computation and Simulation 46
    (1993), algorithm BTRS.
    """
    deviation = np.sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    scale = np.log((2.83 + 5.1 / b) * deviation)
    inner = 0.92 - 4.2 / b
    odds = np.log(p / (1 - p))
    middle = np.floor((n + 1) * p)
    height = log_factorial(middle) + log_factorial(n - middle)
    found, waiting, step = np.zeros(len(n)), wanted, 0
    while np.any(waiting):
        own = folded(key, step)
        u = inner_fractions(own, len(n), np.float64) - 0.5
        v = inner_fractions(own, len(n), np.float64, CHOICES)
        side = 0.5 - np.abs(u)
        k = np.floor((2 * a / side + b) * u + n * p + 0.5)
        whole = np.minimum(np.maximum(k, 0.0), n)
        limit = height - log_factorial(whole) - log_factorial(n - whole) + (whole - middle) * odds
        fits = np.log(v) + scale - np.log(a / (side * side) + b) <= limit
        fits = (k >= 0) & (k <= n) & (fits | (side >= 0.07) & (v <= inner))
        found = np.where(waiting & fits, whole, found)
        waiting = waiting & ~fits
        step += 1
    return found


__all__ = ["binomial"]
