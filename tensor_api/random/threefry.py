"""Threefry-2x32: random words that depend on nothing but a key and a counter.

J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11 (2011),
section 3.3: additions, rotations and exclusive ors of 32-bit words, in 20 rounds.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

PARITY = np.uint32(0x1BD11BDA)
EVEN, ODD = (13, 15, 26, 6), (17, 29, 16, 24)
ROUNDS = ((EVEN, 1, 2, 1), (ODD, 2, 0, 2), (EVEN, 0, 1, 3), (ODD, 1, 2, 4), (EVEN, 2, 0, 5))
"""Four rotations, the two words of the key that are added after them, and the number of the addition."""

DRAWS, SPLITS, FOLDS, ANGLES, CHOICES = 0, 1, 2, 3, 4
"""High words of the counters: each use of a key has counters of its own."""
LOW = 0xFFFFFFFF


def threefry(key: Array, high: Array, low: Array) -> tuple[Array, Array]:
    """The two words that a key gives for each counter.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    high, low : uint32 arrays of rank 1
        The words of the counters; they broadcast.
    """
    words = (key[:1], key[1:], key[:1] ^ key[1:] ^ PARITY)
    x, y = high + words[0], low + words[1]
    for rotations, first, second, number in ROUNDS:
        for distance in rotations:
            x = x + y
            # A rotation: products and sums are faster than shifts and bits in onnxruntime, and the same here.
            y = (y * np.uint32(2**distance) + (y >> (32 - distance))) ^ x
        x, y = x + words[first], y + (words[second] + np.uint32(number))
    return x, y


def checked(key: Any) -> Array:
    """A key, as an array."""
    found = np.asarray(key)
    if found.dtype != np.uint32 or found.shape != (2,):
        raise TypeError("a key is an array of two uint32, as key(), split() and fold_in() give it")
    return found


def key(seed: int) -> Array:
    """The key of a number: a random number generator starts here.

    Parameters
    ----------
    seed : int
        Its low 64 bits count.

    Returns
    -------
    uint32 array of shape (2,)
    """
    number = operator.index(seed)
    return np.array([(number >> 32) & LOW, number & LOW]).astype(np.uint32)


def split(key: Array, n: int = 2) -> Array:
    """Keys that are independent of each other, and of what is drawn with `key`.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    n : int
        How many.

    Returns
    -------
    uint32 array of shape (n, 2)
        Row i depends on `key` and i only.
    """
    (count,) = sizes(n)
    return np.stack(blocks(checked(key), count, SPLITS), axis=-1)


def fold_in(key: Array, data: int) -> Array:
    """The key for a number: of a round, a place, a particle.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    data : int
        At least 0 and less than 2**32.

    Returns
    -------
    uint32 array of shape (2,)

    Raises
    ------
    ValueError
        If `data` is outside.
    """
    number = operator.index(data)
    if number < 0 or number > LOW:
        raise ValueError("fold_in: data must be at least 0 and less than 2**32")
    return folded(checked(key), number)


def folded(key: Array, number: int) -> Array:
    """`fold_in`, unchecked."""
    return np.concatenate(threefry(key, np.array([FOLDS], np.uint32), np.array([number]).astype(np.uint32)))


# ---------------------------------------------------------------- words


def sizes(shape: Any) -> tuple[int, ...]:
    """A shape, given as a number or several."""
    given = shape if isinstance(shape, tuple | list) else (shape,)
    found = tuple([operator.index(size) for size in given])
    for size in found:
        if size < 0:
            raise ValueError("negative dimensions are not allowed")
    return found


def count_of(shape: tuple[int, ...]) -> int:
    """How many elements an array has."""
    count = 1
    for size in shape:
        count = count * size
    return count


def shaped(flat: Array, shape: tuple[int, ...]) -> Any:
    """The numbers of a vector in a shape; the one number where the shape is ()."""
    return flat[0] if len(shape) == 0 else flat.reshape(shape)


def blocks(key: Array, count: int, use: int = DRAWS) -> tuple[Array, Array]:
    """The two words of each of `count` counters."""
    return threefry(key, np.array([use], np.uint32), np.arange(count).astype(np.uint32))


def interleaved(first: Array, second: Array, n: int) -> Array:
    """`first[0], second[0], first[1], ...`: n of them."""
    return np.stack((first, second), axis=-1).reshape(2 * len(first))[:n]


def words32(key: Array, n: int, use: int = DRAWS) -> Array:
    """n random words of 32 bits; the first ones are the same for any n."""
    first, second = blocks(key, (n + 1) // 2, use)
    return interleaved(first, second, n)


def words64(key: Array, n: int, use: int = DRAWS) -> Array:
    """n random words of 64 bits; the first ones are the same for any n."""
    first, second = blocks(key, n, use)
    return (first.astype(np.uint64) << np.uint64(32)) | second.astype(np.uint64)


# ---------------------------------------------------------------- fractions


def float_type(dtype: Any) -> Any:
    """float32 or float64."""
    found = np.dtype(dtype)
    if found != np.float32 and found != np.float64:
        raise TypeError(f"random numbers are float32 or float64, not {found}")
    return found


def fractions(key: Array, n: int, dtype: Any, use: int = DRAWS) -> Array:
    """Multiples of 2**-24 (float32) or 2**-53 (float64) in [0, 1), all equally likely; exact."""
    if dtype == np.float32:
        return (words32(key, n, use) >> 8).astype(np.float32) * np.float32(2**-24)
    first, second = blocks(key, n, use)
    return ((first >> 5).astype(np.float64) * 2.0**26 + (second >> 6).astype(np.float64)) * 2.0**-53


def inner_fractions(key: Array, n: int, dtype: Any, use: int = DRAWS) -> Array:
    """As `fractions`, of half a step more than multiples of 2**-23 or 2**-52: never 0 or 1; exact."""
    if dtype == np.float32:
        return ((words32(key, n, use) >> 9).astype(np.float32) + np.float32(0.5)) * np.float32(2**-23)
    first, second = blocks(key, n, use)
    return ((first >> 6).astype(np.float64) * 2.0**26 + (second >> 6).astype(np.float64) + 0.5) * 2.0**-52


def normals(key: Array, n: int, dtype: Any) -> Array:
    """n standard normal numbers: G. E. P. Box and M. E. Muller, Annals of Mathematical Statistics 29 (1958)."""
    count = (n + 1) // 2
    if dtype == np.float32:
        first, second = blocks(key, count)
        distance = (first.astype(np.float32) + np.float32(0.5)) * np.float32(2**-32)
        angle = second.astype(np.float32) * np.float32(2 * np.pi * 2**-32)
    else:
        distance = inner_fractions(key, count, dtype)
        angle = fractions(key, count, dtype, ANGLES) * (2 * np.pi)
    radius = np.sqrt(-2 * np.log(distance))
    return interleaved(radius * np.cos(angle), radius * np.sin(angle), n)
