"""Floats: uniform, normal, and what is computed from them by a formula."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.tensor_api.random.quantiles import normal_below, normal_quantile
from graph_program.tensor_api.random.threefry import (
    checked,
    count_of,
    float_type,
    fractions,
    inner_fractions,
    normals,
    shaped,
    sizes,
)

Array = np.ndarray[Any, Any]


def uniform(key: Array, shape: Any = (), dtype: Any = np.float64, minval: Any = 0.0, maxval: Any = 1.0) -> Any:
    """Numbers between two bounds, all equally likely.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    shape : int or tuple of int
        Sizes may be computed. With the default, `()`, the result is a NumPy number.
    dtype : float32 or float64
    minval, maxval : numbers or arrays
        They broadcast to `shape`. `maxval` itself comes out only where the computation rounds up to it.

    Returns
    -------
    array of `shape`
        `minval + u * (maxval - minval)`, with u a multiple of 2**-24 (float32) or 2**-53 (float64) in [0, 1).
    """
    wanted, kind = sizes(shape), float_type(dtype)
    low, high = np.asarray(minval, kind), np.asarray(maxval, kind)
    drawn = shaped(fractions(checked(key), count_of(wanted), kind), wanted)
    return low + drawn * (high - low)


def normal(key: Array, shape: Any = (), dtype: Any = np.float64) -> Any:
    """Standard normal numbers (Box and Muller's transformation).

    Parameters
    ----------
    key : uint32 array of shape (2,)
    shape : int or tuple of int
    dtype : float32 or float64

    Returns
    -------
    array of `shape`
    """
    wanted, kind = sizes(shape), float_type(dtype)
    return shaped(normals(checked(key), count_of(wanted), kind), wanted)


def exponential(key: Array, shape: Any = (), dtype: Any = np.float64) -> Any:
    """Numbers with the density exp(-x), x >= 0; parameters as those of `normal`."""
    wanted, kind = sizes(shape), float_type(dtype)
    return shaped(-np.log1p(-fractions(checked(key), count_of(wanted), kind)), wanted)


def gumbel(key: Array, shape: Any = (), dtype: Any = np.float64) -> Any:
    """Numbers with the distribution function exp(-exp(-x)); parameters as those of `normal`."""
    wanted, kind = sizes(shape), float_type(dtype)
    return shaped(-np.log(-np.log(inner_fractions(checked(key), count_of(wanted), kind))), wanted)


def laplace(key: Array, shape: Any = (), dtype: Any = np.float64) -> Any:
    """Numbers with the density exp(-|x|) / 2; parameters as those of `normal`."""
    wanted, kind = sizes(shape), float_type(dtype)
    drawn = inner_fractions(checked(key), count_of(wanted), kind)
    tail = np.log(2 * np.minimum(drawn, 1 - drawn))
    return shaped(np.where(drawn < 0.5, tail, -tail), wanted)


def logistic(key: Array, shape: Any = (), dtype: Any = np.float64) -> Any:
    """Numbers with the distribution function 1 / (1 + exp(-x)); parameters as those of `normal`."""
    wanted, kind = sizes(shape), float_type(dtype)
    drawn = inner_fractions(checked(key), count_of(wanted), kind)
    return shaped(np.log(drawn) - np.log1p(-drawn), wanted)


def cauchy(key: Array, shape: Any = (), dtype: Any = np.float64) -> Any:
    """Numbers with the density 1 / (pi * (1 + x**2)); parameters as those of `normal`."""
    wanted, kind = sizes(shape), float_type(dtype)
    angle = np.pi * (inner_fractions(checked(key), count_of(wanted), kind) - 0.5)
    return shaped(np.sin(angle) / np.cos(angle), wanted)


def truncated_normal(key: Array, lower: Any, upper: Any, shape: Any = None, dtype: Any = np.float64) -> Any:
    """Standard normal numbers, of those between two bounds.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    lower, upper : numbers or arrays
        They broadcast to `shape`; infinities are allowed.
    shape : int or tuple of int, optional
        That of `lower` and `upper`, if left out.
    dtype : float32 or float64

    Returns
    -------
    array of `shape`
        Computed in float64 from the quantile function; an interval above 0 is mirrored, so that tails are exact.

    Raises
    ------
    ValueError
        If not `lower < upper`.
    """
    kind = float_type(dtype)
    wanted, flat = parameters(shape, lower, upper)
    below, above = flat
    if not np.all(below < above):
        raise ValueError("truncated_normal: lower must be less than upper")
    mirrored = below > 0
    first, last = np.where(mirrored, -above, below), np.where(mirrored, -below, above)
    start, end = normal_below(first), normal_below(last)
    drawn = start + (end - start) * inner_fractions(checked(key), count_of(wanted), np.float64)
    found = np.minimum(np.maximum(normal_quantile(drawn), first), last)
    return shaped(np.where(mirrored, -found, found).astype(kind), wanted)


def multivariate_normal(key: Array, mean: Any, cov: Any, shape: Any = None, dtype: Any = np.float64) -> Any:
    """Normal vectors.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    mean : array of shape (..., n)
    cov : array of shape (..., n, n)
        Symmetric and positive definite; its lower triangle is read.
    shape : int or tuple of int, optional
        That of the result without its last axis, to which those of `mean` and `cov` without their last ones
        broadcast.
    dtype : float32 or float64

    Returns
    -------
    array of shape (..., n)
        `mean + L @ z`, with L the Cholesky factor of `cov`.

    Raises
    ------
    numpy.linalg.LinAlgError
        If `cov` is not positive definite.
    """
    kind = float_type(dtype)
    middle, spread = np.asarray(mean, kind), np.asarray(cov, kind)
    if middle.ndim < 1 or spread.ndim < 2:
        raise ValueError("multivariate_normal: mean must have an axis, and cov two")
    wanted = np.broadcast_shapes(middle.shape[:-1], spread.shape[:-2]) if shape is None else sizes(shape)
    factor = np.linalg.cholesky(spread)
    drawn = normal(key, (*wanted, middle.shape[-1]), kind)
    if factor.ndim == 2:
        return middle + drawn @ factor.T
    return middle + (factor @ drawn[..., None])[..., 0]


def parameters(shape: Any, *given: Any) -> tuple[tuple[int, ...], tuple[Array, ...]]:
    """A shape, if left out that of the parameters, and the parameters as float64 vectors of its size."""
    arrays = tuple([np.asarray(one, np.float64) for one in given])
    wanted = np.broadcast_shapes(*[one.shape for one in arrays]) if shape is None else sizes(shape)
    return wanted, tuple([np.broadcast_to(one, wanted).reshape(count_of(wanted)) for one in arrays])


__all__ = [
    "cauchy",
    "exponential",
    "gumbel",
    "laplace",
    "logistic",
    "multivariate_normal",
    "normal",
    "truncated_normal",
    "uniform",
]
