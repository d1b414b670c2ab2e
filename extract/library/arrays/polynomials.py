"""Polynomials as vectors of coefficients, the highest power first: sums, products, quotients, fits."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import known_size, limited, without_form

Array = np.ndarray[Any, Any]


def poly(seq_of_zeros: Array) -> Any:
    """`np.poly` of zeros; 1.0 for none, which may not be found out at run time."""
    if seq_of_zeros.ndim > 1 or np.iscomplexobj(seq_of_zeros):
        what = "a matrix" if seq_of_zeros.ndim > 1 else "complex zeros"
        without_form(
            "GP586",
            f"np.poly of {what} is real or complex, by the values",
            hint="multiply the factors with np.convolve; of a symmetric matrix take np.linalg.eigvalsh first",
        )
    zeros = np.atleast_1d(seq_of_zeros)
    if known_size(len(zeros)) == 0:
        return 1.0
    limited(len(zeros) == 0, "GP592", "np.poly of no zeros is a number, which has no dims")
    dtype = zeros.dtype if zeros.dtype == np.float32 else np.dtype(np.float64)
    found = np.zeros(len(zeros) + 1, dtype)
    found[0] = 1
    for zero in zeros.astype(dtype):
        found[1:] = found[1:] - zero * found[:-1]
    return found


def polyadd(a1: Array, a2: Array) -> Array:
    """`np.polyadd`."""
    first, second = as_long(np.atleast_1d(a1), np.atleast_1d(a2))
    total: Array = first + second
    return total


def polysub(a1: Array, a2: Array) -> Array:
    """`np.polysub`."""
    first, second = as_long(np.atleast_1d(a1), np.atleast_1d(a2))
    difference: Array = first - second
    return difference


def horner(p: Array, x: Any) -> Any:
    """`np.polyval` of any number of coefficients, which have the element type of the points."""
    found = x * 0 if x.ndim == 0 else np.zeros_like(x)
    for coefficient in p:
        found = found * x + coefficient
    return found


def as_long(a: Array, b: Array) -> tuple[Array, Array]:
    """Two polynomials with zeros in front, so that both have the same length."""
    length = max(len(a), len(b))
    return (
        np.concatenate((np.zeros(length - len(a), a.dtype), a)),
        np.concatenate((np.zeros(length - len(b), b.dtype), b)),
    )


def polymul(a1: Array, a2: Array) -> Array:
    """`np.polymul`."""
    return np.convolve(trimmed(a1), trimmed(a2))


def trimmed(p: Array) -> Array:
    """A polynomial without zeros in front; 0 keeps one."""
    p = np.atleast_1d(p)
    if p.ndim != 1:
        raise ValueError("Polynomial must be 1d only.")
    p = np.concatenate((np.zeros(1, p.dtype), p))
    there = p != 0
    return p[np.argmax(there) :] if there.any() else p[:1]


def polydiv(u: Array, v: Array) -> tuple[Array, Array]:
    """`np.polydiv`: quotient and remainder."""
    u = np.atleast_1d(u) + 0.0
    v = np.atleast_1d(v) + 0.0
    dtype = (u[0] + v[0]).dtype
    m, n = len(u) - 1, len(v) - 1
    scale = 1.0 / v[0]
    quotient = np.zeros(max(m - n + 1, 1), dtype)
    rest = u.astype(dtype)
    for k in range(m - n + 1):
        d = scale * rest[k]
        quotient[k] = d
        rest[k : k + n + 1] = rest[k : k + n + 1] - d * v
    there = ~(np.abs(rest) <= 1e-8)
    first = np.argmax(there) if there.any() else len(rest) - 1
    return quotient, rest[first:]


def polyder(p: Array, m: int = 1) -> Array:
    """`np.polyder`: the derivative of an order."""
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    last = len(p) - 1
    if m == 0:
        return p
    found = p[: max(last, 0)] * np.arange(last, 0, -1)
    found = found[: max(last + 1 - m, 0)]
    for k in range(1, m):
        found = found * np.arange(last - k, m - 1 - k, -1)
    return found


def polyint(p: Array, m: int = 1, k: Any = None) -> Array:
    """`np.polyint`: the integral of an order, with constants."""
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    constants = np.zeros(m) if k is None else np.atleast_1d(k)
    if len(constants) == 1 and m > 1:
        constants = constants[0] * np.ones(m)
    if len(constants) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    if m == 0:
        return p
    count = len(p)
    found = np.concatenate((p / np.arange(count, 0, -1), constants[:1]))
    wide = np.concatenate((found, np.zeros(m - 1, found.dtype)))
    places = np.arange(count + m)
    for step in range(1, m):
        powers = np.maximum(count + step - places, 1)
        wide = np.where(places == count + step, constants[step], wide / powers)
    return wide


def polyfit(
    x: Array, y: Array, deg: Any, rcond: Any = None, full: bool = False, w: Array | None = None, cov: Any = False
) -> Any:
    """`np.polyfit`: the polynomial of a degree with the least sum of squared distances."""
    x = x + 0.0
    y = y + 0.0
    order = deg + 1
    require_points(x, y, deg)
    least = len(x) * np.finfo(x.dtype).eps if rcond is None else rcond
    powers, values = np.vander(x, order), y
    if w is not None:
        powers, values = weighted(powers, values, w + 0.0)
    scale = np.sqrt((powers * powers).sum(axis=0))
    powers = powers / scale
    found, residuals, rank, s = np.linalg.lstsq(powers, values, least)
    found = (found.T / scale).T
    if full:
        return found, residuals, rank, s, least
    if not cov:
        return found
    base = np.linalg.inv(np.dot(powers.T, powers)) / np.outer(scale, scale)
    if cov != "unscaled":
        if len(x) <= order:
            raise ValueError("the number of data points must exceed order to scale the covariance matrix")
        factor = residuals / (len(x) - order)
        return found, (base if y.ndim == 1 else base[:, :, np.newaxis]) * factor
    return found, (base if y.ndim == 1 else base[:, :, np.newaxis]) * 1


def require_points(x: Array, y: Array, deg: Any) -> None:
    """NumPy's errors for points that cannot be fitted."""
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")


def weighted(powers: Array, values: Array, w: Array) -> tuple[Array, Array]:
    """Both sides of the equations times their weights."""
    if w.ndim != 1:
        raise TypeError("expected a 1-d array for weights")
    if w.shape[0] != values.shape[0]:
        raise TypeError("expected w and y to have the same length")
    column = w[:, np.newaxis].astype(powers.dtype)
    if values.ndim == 2:
        return powers * column, values * w[:, np.newaxis].astype(values.dtype)
    return powers * column, values * w.astype(values.dtype)


__all__ = ["poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub"]
