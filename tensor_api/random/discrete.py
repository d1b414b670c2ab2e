"""Integers, truths, and choices: random bits, ranges, permutations, categories."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.tensor_api.random.threefry import (
    checked,
    count_of,
    folded,
    inner_fractions,
    shaped,
    sizes,
    words32,
    words64,
)

Array = np.ndarray[Any, Any]
LARGEST = np.uint64(2**64 - 1)


def bits(key: Array, shape: Any = (), dtype: Any = np.uint32) -> Any:
    """Unsigned integers, all equally likely.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    shape : int or tuple of int
    dtype : uint8, uint16, uint32 or uint64

    Returns
    -------
    array of `shape`
    """
    wanted, kind = sizes(shape), np.dtype(dtype)
    if kind.kind != "u":
        raise TypeError(f"random bits are unsigned integers, not {kind}")
    if kind == np.uint64:
        return shaped(words64(checked(key), count_of(wanted)), wanted)
    found = words32(checked(key), count_of(wanted))
    return shaped(found if kind == np.uint32 else (found >> (32 - 8 * kind.itemsize)).astype(kind), wanted)


def randint(key: Array, shape: Any, minval: Any, maxval: Any, dtype: Any = np.int64) -> Any:
    """Integers from `minval` up to, but not including, `maxval`, all equally likely.

    Of 64 random bits the remainder is taken; bits that would prefer some remainders are drawn anew.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    shape : int or tuple of int
    minval, maxval : integers or arrays of integers
        They broadcast to `shape`.
    dtype : element type
        An integer type.

    Returns
    -------
    array of `shape`

    Raises
    ------
    ValueError
        If not `minval < maxval`, or if numbers between them are outside of `dtype`.
    """
    wanted, kind = sizes(shape), np.dtype(dtype)
    if kind.kind not in "iu":
        raise TypeError(f"randint gives integers, not {kind}")
    low, high = np.asarray(minval), np.asarray(maxval)
    if low.dtype.kind not in "iu" or high.dtype.kind not in "iu":
        raise TypeError("randint: minval and maxval must be integers")
    if not np.all(low < high):
        raise ValueError("randint: minval must be less than maxval")
    if np.any(low < np.iinfo(kind).min) or np.any(high - 1 > np.iinfo(kind).max):
        raise ValueError(f"randint: numbers from minval to maxval must be {kind}")
    count = count_of(wanted)
    first = np.broadcast_to(low.astype(np.uint64), wanted).reshape(count)
    span = np.broadcast_to(high.astype(np.uint64), wanted).reshape(count) - first
    return shaped((first + remainders(checked(key), count, span)).astype(kind), wanted)


def remainders(key: Array, count: int, span: Array) -> Array:
    """Numbers below those of `span`, all equally likely."""
    limit = LARGEST - (LARGEST - span + np.uint64(1)) % span
    drawn = words64(key, count)
    again = 0
    while np.any(drawn > limit):
        drawn = np.where(drawn > limit, words64(folded(key, again), count), drawn)
        again += 1
    return drawn % span


def bernoulli(key: Array, p: Any = 0.5, shape: Any = None) -> Any:
    """Truths, true with a probability.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    p : number or array
        Probabilities; they count to 2**-32.
    shape : int or tuple of int, optional
        That of `p`, if left out.

    Returns
    -------
    bool array of `shape`
    """
    chance = np.asarray(p, np.float64)
    wanted = chance.shape if shape is None else sizes(shape)
    drawn = shaped(words32(checked(key), count_of(wanted)), wanted)
    return drawn.astype(np.float64) * 2.0**-32 < chance


def categorical(key: Array, logits: Any, axis: int = -1, shape: Any = None) -> Any:
    """Positions along an axis, each as likely as the exponential of its logit (Gumbel's method).

    Parameters
    ----------
    key : uint32 array of shape (2,)
    logits : array
        Logarithms of probabilities, up to a constant.
    axis : int
    shape : int or tuple of int, optional
        That of `logits` without `axis`, if left out; else it must end with that.

    Returns
    -------
    int64 array of `shape`
    """
    scores = np.moveaxis(np.asarray(logits, np.float64), axis, -1)
    rest = scores.shape[:-1]
    wanted = rest if shape is None else sizes(shape)
    if len(wanted) < len(rest) or wanted[len(wanted) - len(rest) :] != rest:
        raise ValueError("categorical: shape must end with that of logits without the axis")
    whole = (*wanted, scores.shape[-1])
    noise = -np.log(-np.log(inner_fractions(checked(key), count_of(whole), np.float64)))
    return np.argmax(scores + noise.reshape(whole), axis=-1)


def order(key: Array, shape: tuple[int, ...], axis: int) -> Array:
    """Positions in random order along an axis: those that sort 63 random bits."""
    drawn = (words64(key, count_of(shape)) >> np.uint64(1)).astype(np.int64)
    return np.argsort(drawn.reshape(shape), axis=axis, kind="stable")


def permutation(key: Array, x: Any, axis: int = 0, independent: bool = False) -> Any:
    """The elements along an axis in random order.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    x : array, or int
        An int n stands for `np.arange(n)`.
    axis : int
    independent : bool
        Whether each vector along the axis has an order of its own.

    Returns
    -------
    array
    """
    values = np.arange(x) if np.ndim(x) == 0 else np.asarray(x)
    if independent:
        return np.take_along_axis(values, order(checked(key), values.shape, axis), axis)
    return np.take(values, order(checked(key), (values.shape[axis],), 0), axis=axis, mode="clip")


def shuffle(key: Array, x: Array, axis: int = 0) -> None:
    """Put the elements of an array into random order in place, along an axis."""
    x[...] = permutation(key, x, axis)


def choice(key: Array, a: Any, shape: Any = (), replace: bool = True, p: Any = None, axis: int = 0) -> Any:
    """Elements along an axis.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    a : array, or int
        An int n stands for `np.arange(n)`.
    shape : int or tuple of int
    replace : bool
        Whether an element may come more than once.
    p : array of shape (n,), optional
        How likely each element is; the numbers need not add up to 1.
    axis : int

    Returns
    -------
    array
        As `a`, with `shape` in the place of `axis`.

    Raises
    ------
    ValueError
        If there is nothing to choose from, more elements are wanted than there are, or `p` does not fit.
    """
    values = np.arange(a) if np.ndim(a) == 0 else np.asarray(a)
    wanted, n = sizes(shape), values.shape[axis]
    count = count_of(wanted)
    if count > 0 and n == 0:
        raise ValueError("choice: there is nothing to choose from")
    if not replace and count > n:
        raise ValueError("choice: cannot take more elements than there are when replace is False")
    if p is None:
        found = randint(key, count, 0, np.maximum(n, 1)) if replace else order(checked(key), (n,), 0)[:count]
    else:
        found = weighted(checked(key), weights(p, n), count, replace)
    return np.take(values, found[0] if len(wanted) == 0 else found.reshape(wanted), axis=axis, mode="clip")


def weights(p: Any, n: int) -> Array:
    """Weights of n things."""
    found = np.asarray(p, np.float64)
    if found.ndim != 1 or len(found) != n:
        raise ValueError("choice: p must have a number for each element")
    if not np.all(found >= 0):
        raise ValueError("choice: p must not be negative")
    return found


def weighted(key: Array, p: Array, count: int, replace: bool) -> Any:
    """Positions by weights; without repetition those that arrive first (Efraimidis and Spirakis)."""
    if replace:
        limits = np.cumsum(p)
        if count > 0 and not (limits[-1] > 0 and limits[-1] < np.inf):
            raise ValueError("choice: the sum of p must be positive and finite")
        drawn = inner_fractions(key, count, np.float64) * limits[-1:]
        return np.searchsorted(limits, drawn, side="right")
    if np.count_nonzero(p) < count:
        raise ValueError("choice: fewer elements than wanted are possible")
    times = -np.log(inner_fractions(key, len(p), np.float64))
    arrivals = np.where(p > 0, times / np.where(p > 0, p, 1.0), np.inf)
    return np.argsort(arrivals, kind="stable")[:count]


__all__ = ["bernoulli", "bits", "categorical", "choice", "permutation", "randint", "shuffle"]
