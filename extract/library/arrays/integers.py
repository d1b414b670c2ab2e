"""Functions of integers and their bits: `np.gcd`, `np.lcm`, `np.bitwise_count`, `np.packbits`, `np.frexp`."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
HALVES = (512, 256, 128, 64, 32, 16, 8, 4, 2, 1)
"""Powers of two whose sums are all exponents of float64."""


def gcd(x1: Array, x2: Array) -> Array:
    """The greatest common divisor of each pair (Euclid's algorithm for all at once)."""
    a, b = np.broadcast_arrays(np.abs(x1), np.abs(x2))
    while (b != 0).any():
        a, b = np.where(b != 0, b, a), np.where(b != 0, a % b, b)
    divisor: Array = np.abs(a)  # the least integer is its own absolute value: signs may be others on the way
    return divisor


def lcm(x1: Array, x2: Array) -> Array:
    """The least common multiple of each pair; 0 where one is 0."""
    multiple: Array = np.abs(np.abs(x1) // gcd(x1, x2)) * np.abs(x2)
    return multiple


def bitwise_count(x: Array) -> Array:
    """The number of ones in each absolute value (Warren, Hacker's Delight, 5-1)."""
    n = x if x.dtype == np.uint64 else np.abs(x.astype(np.int64)).astype(np.uint64)
    n = (n & 0x5555555555555555) + ((n >> 1) & 0x5555555555555555)
    n = (n & 0x3333333333333333) + ((n >> 2) & 0x3333333333333333)
    n = (n & 0x0F0F0F0F0F0F0F0F) + ((n >> 4) & 0x0F0F0F0F0F0F0F0F)
    n = (n & 0x00FF00FF00FF00FF) + ((n >> 8) & 0x00FF00FF00FF00FF)
    n = (n & 0x0000FFFF0000FFFF) + ((n >> 16) & 0x0000FFFF0000FFFF)
    return ((n & 0xFFFFFFFF) + (n >> 32)).astype(np.uint8)


def packbits(a: Array, /, axis: Any = None, bitorder: str = "big") -> Array:
    """`np.packbits`: eight truths in a byte."""
    if a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    weights = bit_weights(bitorder)
    x = np.moveaxis(a.ravel() if axis is None else a, -1 if axis is None else axis, -1) != 0
    count = x.shape[-1]
    whole = np.concatenate((x, np.zeros((*x.shape[:-1], -count % 8), np.bool_)), axis=-1)
    groups = whole.reshape((*x.shape[:-1], (count + 7) // 8, 8))
    packed = np.sum(groups * weights, axis=-1).astype(np.uint8)
    return np.moveaxis(packed, -1, -1 if axis is None else axis)


def unpackbits(a: Array, /, axis: Any = None, count: Any = None, bitorder: str = "big") -> Array:
    """`np.unpackbits`: the bits of each byte; some are left out or zeros added where a count is given."""
    if a.dtype != np.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    weights = bit_weights(bitorder)
    x = np.moveaxis(a.ravel() if axis is None else a, -1 if axis is None else axis, -1)
    size = x.shape[-1] * 8
    bits = (x[..., np.newaxis] // weights % 2).astype(np.uint8).reshape((*x.shape[:-1], size))
    if count is not None:
        if count < 0:
            if size + count < 0:
                raise ValueError("-count larger than number of elements")
            bits = bits[..., : size + count]
        else:
            missing = max(count - size, 0)
            bits = np.concatenate((bits[..., :count], np.zeros((*x.shape[:-1], missing), np.uint8)), axis=-1)
    return np.moveaxis(bits, -1, -1 if axis is None else axis)


def bit_weights(bitorder: str) -> Array:
    """What the bits of a byte are worth, in their order."""
    if bitorder not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    return np.array([128, 64, 32, 16, 8, 4, 2, 1] if bitorder == "big" else [1, 2, 4, 8, 16, 32, 64, 128])


def frexp(x: Array) -> tuple[Array, Array]:
    """Mantissas from 0.5 to 1 and exponents of 2: exact products with powers of two bring each number into place."""
    size = np.abs(x.astype(np.float64))
    plain = np.isfinite(size) & (size != 0)
    rest = np.where(plain, size, 1.0)
    exponent = np.zeros(x.shape, np.int32)
    for step in HALVES:
        large = rest >= 2.0**step
        rest = np.where(large, rest * 2.0**-step, rest)
        exponent = exponent + np.where(large, np.int32(step), np.int32(0))
    for step in (512, *HALVES):  # the least numbers lie below the exponents of others
        small = rest < 2.0 ** (1 - step)
        rest = np.where(small, rest * 2.0**step, rest)
        exponent = exponent - np.where(small, np.int32(step), np.int32(0))
    mantissa = np.where(plain, np.copysign(rest / 2, x), x).astype(x.dtype)
    return mantissa, np.where(plain, exponent + np.int32(1), np.int32(0))


__all__ = ["bitwise_count", "frexp", "gcd", "lcm", "packbits", "unpackbits"]
