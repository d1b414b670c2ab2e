"""`round(x, digits)` of Python numbers: to the nearest decimal with so many digits, halves to even, exactly.

The product with the power of ten and its rounding error tell on which side of a half a number is (Dekker, A
floating-point technique for extending the available precision, 1971); the quotient of the whole number that this
gives and the power, both exact, is the float nearest to the decimal.
"""

from __future__ import annotations

import math

import numpy as np

SPLIT = 134217729.0
"""2**27 + 1: a float times this falls into halves of 26 bits."""
MOST_DIGITS = {float: 22, int: 18}
"""The last powers of ten that are a float, exactly, and an int of 64 bits."""


def round_float(x: float, power: float) -> float:
    """The float nearest to the decimal that is nearest to `x`, for `power` = 10.0**digits."""
    y = x * power
    high, high_power = SPLIT * x, SPLIT * power
    high, high_power = high - (high - x), high_power - (high_power - power)
    low, low_power = x - high, power - high_power
    error = ((high * high_power - y) + high * low_power + low * high_power) + low * low_power
    whole = float(np.rint(y))
    rest = y - whole
    whole += (rest == 0.5) * (error > 0.0) - (rest == -0.5) * (error < 0.0)
    whole += (rest == 0.0) * (abs(error) == 0.5) * (whole % 2.0) * 2.0 * error  # halves above 2**52
    # From 2**53 on, the decimal differs from x by less than half of its last bit.
    return math.copysign(whole / power, x) if abs(y) < 9007199254740992.0 else x


def round_int(x: int, power: int) -> int:
    """The multiple of `power` = 10**-digits that is nearest to `x`."""
    whole, rest = divmod(x, power)
    whole += 2 * rest > power or (2 * rest == power and whole % 2 == 1)
    return whole * power
