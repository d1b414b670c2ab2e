"""Weighted means and covariances, as programs over NumPy: extracted like a user's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import (
    check,
    known,
    known_size,
    limited,
    listed_axes,
    raise_where,
    refuse,
    require_same_shapes,
    without_form,
)
from graph_program.extract.library.arrays.products import conjugated, variables, weighted_cov

Array = np.ndarray[Any, Any]


def average(
    a: Array, axis: Any = None, weights: Array | None = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    """`np.average`: the weighted mean."""
    axes = None if axis is None else listed_axes(axis, a.ndim, "axis")
    if weights is None:
        found = np.mean(a, axes, keepdims=keepdims)
        if not known(returned, "returned"):
            return found
        ones = np.ones_like(a, dtype=a.dtype if a.dtype.kind in "fc" else np.float64)
        scale = np.divide(np.sum(ones, axes, keepdims=keepdims), 1)
    else:
        dtype = np.result_type(a, weights)
        dtype = np.dtype(np.float64) if a.dtype.kind in "biu" and dtype.kind not in "fc" else dtype
        factors = aligned(weights, a, axes).astype(dtype)
        scale = np.sum(factors, axes, keepdims=keepdims)
        none = np.equal(scale, 0)
        check(np.any(none) if scale.ndim else none, ZeroDivisionError, "Weights sum to zero, can't be normalized")
        found = np.divide(np.sum(np.multiply(a.astype(dtype), factors), axes, keepdims=keepdims), scale)
        if not known(returned, "returned"):
            return found
    return found, np.broadcast_to(scale, found.shape).copy() if found.ndim else scale


def aligned(weights: Array, a: Array, axes: Any) -> Array:
    """Weights broadcast to the array; a vector of weights lies along the axis."""
    text = "Shape of weights must be consistent with shape of a along specified axis."
    if weights.ndim == a.ndim:
        missing = "Axis must be specified when shapes of a and weights differ."
        require_same_shapes(a, weights, TypeError if axes is None else ValueError, missing if axes is None else text)
        return np.broadcast_to(weights, a.shape)
    if axes is None:
        without_form("GP302", "Axis must be specified when shapes of a and weights differ.")
    if weights.ndim != len(axes):
        refuse(ValueError, text)
    for k, i in enumerate(axes):
        raise_where(weights.shape[k] != a.shape[i], ValueError, text)
    ordered = np.transpose(weights, [axes.index(i) for i in sorted(axes)])
    return np.broadcast_to(np.expand_dims(ordered, tuple([k for k in range(a.ndim) if k not in axes])), a.shape)


def cov(
    m: Array,
    y: Array | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: Any = None,
    fweights: Array | None = None,
    aweights: Array | None = None,
    *,
    dtype: Any = None,
) -> Any:
    """`np.cov`: the covariance of variables given as rows (or columns)."""
    if m.ndim > 2:
        refuse(ValueError, "m has more than 2 dimensions")
    by_row = known(rowvar, "rowvar")
    x = m if y is None else variables(m, y, by_row)
    x = x.astype(np.result_type(x.dtype, np.float64) if dtype is None else dtype)
    if x.ndim < 2:
        x = x.reshape(1, -1)
    elif y is None and not by_row:
        x = x.T
    if known_size(len(x)) is None:
        single = len(x) == 1
        limited(single, "GP592", "np.cov of one variable is a number, which has no dims", hint="give it x.reshape(-1)")
    lost = (0 if known(bias, "bias") else 1) if ddof is None else ddof
    if fweights is not None or aweights is not None:
        return without_ones(weighted_cov(x, lost, fweights, aweights))
    centred = np.subtract(x, np.mean(x, 1, keepdims=True))
    scale = np.maximum(np.asarray(x.shape[1] - lost).astype(x.dtype), 0)
    # NumPy multiplies by the reciprocal, and squeezes single variables.
    return without_ones(np.multiply(np.matmul(centred, conjugated(centred).T), np.divide(1, scale)))


def without_ones(x: Array) -> Array:
    """A matrix without the axes that are known to have size 1."""
    return np.squeeze(x, tuple([i for i in range(2) if known_size(x.shape[i]) == 1]))


__all__ = ["average", "cov"]
