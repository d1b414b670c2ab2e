"""Divisors of integers as programs: extracted like a user's own functions."""

from __future__ import annotations


def gcd(a: int, b: int) -> int:
    """The greatest common divisor, which is not negative."""
    a, b = abs(a), abs(b)
    while b != 0:
        a, b = b, a % b
    return a


def lcm(a: int, b: int) -> int:
    """The least common multiple, which is not negative."""
    a, b = abs(a), abs(b)
    if a == 0 or b == 0:
        return 0
    x, y = a, b
    while y != 0:
        x, y = y, x % y
    return a // x * b
