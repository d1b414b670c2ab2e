"""Methods of `int`, for ints of 64 bits."""

from __future__ import annotations


def bit_length(n: int) -> int:
    """The number of bits without sign and leading zeros."""
    n = abs(n)
    length = 0
    for step in (32, 16, 8, 4, 2, 1):
        if n >> step:
            n >>= step
            length += step
    return length + n


def bit_count(n: int) -> int:
    """The number of ones in the absolute value (Warren, Hacker's Delight, 5-1)."""
    n = abs(n)
    n = (n & 0x5555555555555555) + (n >> 1 & 0x5555555555555555)
    n = (n & 0x3333333333333333) + (n >> 2 & 0x3333333333333333)
    n = (n & 0x0F0F0F0F0F0F0F0F) + (n >> 4 & 0x0F0F0F0F0F0F0F0F)
    n = (n & 0x00FF00FF00FF00FF) + (n >> 8 & 0x00FF00FF00FF00FF)
    n = (n & 0x0000FFFF0000FFFF) + (n >> 16 & 0x0000FFFF0000FFFF)
    return (n & 0xFFFFFFFF) + (n >> 32)


def as_integer_ratio(n: int) -> tuple[int, int]:
    """An int as a fraction."""
    return n, 1
