"""Reductions and orders of complex numbers as programs over NumPy: extracted like a user's own functions.

NumPy orders complex numbers by their real parts, then by their imaginary ones; those with NaN come last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def argsort(x: Array, axis: int) -> Array:
    """The positions that sort along an axis, stable."""
    order = np.argsort(x.imag, axis=axis, kind="stable")
    missing = 2 * np.isnan(x.real) + np.isnan(x.imag)
    step = np.argsort(np.take_along_axis(x.real, order, axis), axis=axis, kind="stable")
    order = np.take_along_axis(order, step, axis)
    step = np.argsort(np.take_along_axis(missing, order, axis), axis=axis, kind="stable")
    return np.take_along_axis(order, step, axis)


def sort(x: Array, axis: int) -> Array:
    """The elements in order along an axis."""
    return np.take_along_axis(x, argsort(x, axis), axis)


def argmax(x: Array, axis: int, keepdims: bool) -> Array:
    """The position of the first largest element, or of the first one with NaN."""
    best = x.real == np.max(x.real, axis=axis, keepdims=True)
    second = np.where(best, x.imag, -np.inf)
    best &= second == np.max(second, axis=axis, keepdims=True)
    missing = np.isnan(x)
    found = np.argmax(best, axis=axis, keepdims=keepdims)
    first = np.argmax(missing, axis=axis, keepdims=keepdims)
    position: Array = np.where(np.any(missing, axis=axis, keepdims=keepdims), first, found)
    return position


def argmin(x: Array, axis: int, keepdims: bool) -> Array:
    """The position of the first smallest element, or of the first one with NaN."""
    best = x.real == np.min(x.real, axis=axis, keepdims=True)
    second = np.where(best, x.imag, np.inf)
    best &= second == np.min(second, axis=axis, keepdims=True)
    missing = np.isnan(x)
    found = np.argmax(best, axis=axis, keepdims=keepdims)
    first = np.argmax(missing, axis=axis, keepdims=keepdims)
    position: Array = np.where(np.any(missing, axis=axis, keepdims=keepdims), first, found)
    return position


def largest(x: Array) -> Array:
    """The largest element along the last axis."""
    return np.take_along_axis(x, argmax(x, -1, True), -1)[..., 0]


def smallest(x: Array) -> Array:
    """The smallest element along the last axis."""
    return np.take_along_axis(x, argmin(x, -1, True), -1)[..., 0]


def product(x: Array) -> Array:
    """The product along the last axis."""
    result = np.ones(x.shape[:-1], x.dtype)[()]  # of a vector, a number
    for i in range(x.shape[-1]):
        result = result * x[..., i]
    return result


def running_product(x: Array, axis: int) -> Array:
    """The products up to each element along an axis."""
    moved = np.moveaxis(x, axis, 0)
    result = np.empty(moved.shape, x.dtype)
    product = np.ones(moved.shape[1:], x.dtype)[()]
    for i in range(moved.shape[0]):
        product = product * moved[i]
        result[i] = product
    return np.moveaxis(result, 0, axis)


__all__ = ["argmax", "argmin", "argsort", "largest", "product", "running_product", "smallest", "sort"]
