"""The distribution function of the normal distribution and its inverse, in float64, from rational approximations."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

MIDDLE = (
    (
        2509.0809287301226727,
        33430.575583588128105,
        67265.770927008700853,
        45921.953931549871457,
        13731.693765509461125,
        1971.5909503065514427,
        133.14166789178437745,
        3.3871328727963666080,
    ),
    (
        5226.4952788528545610,
        28729.085735721942674,
        39307.895800092710610,
        21213.794301586595867,
        5394.1960214247511077,
        687.18700749205790830,
        42.313330701600911252,
        1.0,
    ),
)
"""Numerator and denominator in `0.425**2 - (p - 0.5)**2`, of p between 0.075 and 0.925; highest powers first."""
SIDE = (
    (
        7.7454501427834140764e-4,
        2.27238449892691845833e-2,
        2.41780725177450611770e-1,
        1.27045825245236838258,
        3.64784832476320460504,
        5.76949722146069140550,
        4.63033784615654529590,
        1.42343711074968357734,
    ),
    (
        1.05075007164441684324e-9,
        5.47593808499534494600e-4,
        1.51986665636164571966e-2,
        1.48103976427480074590e-1,
        6.89767334985100004550e-1,
        1.67638483018380384940,
        2.05319162663775882187,
        1.0,
    ),
)
"""In `sqrt(-log(p)) - 1.6`, of p above exp(-25)."""
TAIL = (
    (
        2.01033439929228813265e-7,
        2.71155556874348757815e-5,
        1.24266094738807843860e-3,
        2.65321895265761230930e-2,
        2.96560571828504891230e-1,
        1.78482653991729133580,
        5.46378491116411436990,
        6.65790464350110377720,
    ),
    (
        2.04426310338993978564e-15,
        1.42151175831644588870e-7,
        1.84631831751005468180e-5,
        7.86869131145613259100e-4,
        1.48753612908506148525e-2,
        1.36929880922735805310e-1,
        5.99832206555887937690e-1,
        1.0,
    ),
)
"""In `sqrt(-log(p)) - 5`, of smaller p."""
BELOW = (
    (
        3.52624965998911e-2,
        0.700383064443688,
        6.37396220353165,
        33.912866078383,
        112.079291497871,
        221.213596169931,
        220.206867912376,
    ),
    (
        8.83883476483184e-2,
        1.75566716318264,
        16.064177579207,
        86.7807322029461,
        296.564248779674,
        637.333633378831,
        793.826512519948,
        440.413735824752,
    ),
)
LEVELS = tuple(range(24, 0, -1))


def polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    """By Horner's rule, the highest power first."""
    result = x * coefficients[0] + coefficients[1]
    for coefficient in coefficients[2:]:
        result = result * x + coefficient
    return result


def quotient(fraction: tuple[tuple[float, ...], tuple[float, ...]], x: Array) -> Array:
    """A rational function."""
    numerator, denominator = fraction
    return polynomial(numerator, x) / polynomial(denominator, x)


def normal_quantile(p: Array) -> Array:
    """The number below which a standard normal one is with probability p, of p in (0, 1).

    M. J. Wichura, "Algorithm AS 241: The percentage points of the normal distribution", Applied Statistics 37 (1988).
    """
    q = p - 0.5
    near = np.abs(q) <= 0.425
    depth = np.sqrt(-np.log(np.maximum(np.where(q < 0, p, 1 - p), 2.3e-308)))
    far = np.where(depth <= 5, quotient(SIDE, depth - 1.6), quotient(TAIL, depth - 5))
    return np.where(near, quotient(MIDDLE, 0.180625 - q * q) * q, np.where(q < 0, -far, far))


def normal_below(x: Array) -> Array:
    """The probability that a standard normal number is below x.

    G. West, "Better approximations to cumulative normal functions", Wilmott (2005): algorithm 5666 of J. F. Hart,
    "Computer Approximations" (1968), and Laplace's continued fraction from 4 on.
    """
    size = np.minimum(np.abs(x), 40.0)
    height = np.exp(-0.5 * size * size)
    outer = size + 0.65
    for k in LEVELS:
        outer = size + k / outer
    tail = np.where(size < 4, height * quotient(BELOW, size), height / (outer * 2.5066282746310002))
    return np.where(x > 0, 1 - tail, tail)


__all__ = ["normal_below", "normal_quantile"]
