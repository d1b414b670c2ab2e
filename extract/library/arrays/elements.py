"""Functions of each element, as programs over NumPy: extracted like a user's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import known, without_form

Array = np.ndarray[Any, Any]


def fix(x: Any, out: None = None) -> Any:
    """`np.fix`: towards zero."""
    return np.trunc(x)


def sinc(x: Array) -> Any:
    """`np.sinc`: `sin(pi x) / (pi x)`, 1 at 0."""
    scaled = np.multiply(np.pi, x if x.dtype.kind in "fc" else x.astype(np.float64))
    safe = np.where(scaled, scaled, np.finfo(scaled.dtype).eps)
    return np.divide(np.sin(safe), safe)


def isposinf(x: Any, out: None = None) -> Any:
    """`np.isposinf`."""
    return np.bitwise_and(np.isinf(x), np.invert(np.signbit(x)))


def isneginf(x: Any, out: None = None) -> Any:
    """`np.isneginf`."""
    return np.bitwise_and(np.isinf(x), np.signbit(x))


def isreal(x: Any) -> Any:
    """`np.isreal`: where the imaginary part is 0."""
    parts = np.imag(x) if np.iscomplexobj(x) else np.zeros_like(x)
    return np.equal(parts, parts.dtype.type(0))


def iscomplex(x: Any) -> Any:
    """`np.iscomplex`."""
    return np.invert(isreal(x))


def real_if_close(a: Array, tol: Any = 100) -> Array:
    """`np.real_if_close` of real numbers: the same array."""
    if np.iscomplexobj(a):
        without_form(
            "GP565",
            "np.real_if_close of complex numbers has no graph form: the element type would depend on the values",
            hint="write z.real",
        )
    return a


def angle(z: Array, deg: bool = False) -> Any:
    """`np.angle`, in degrees if asked for."""
    found = np.arctan2(np.imag(z), np.real(z)) if np.iscomplexobj(z) else np.arctan2(0, z)
    return np.multiply(found, 180 / np.pi) if known(deg, "deg") else found


__all__ = ["angle", "fix", "iscomplex", "isneginf", "isposinf", "isreal", "real_if_close", "sinc"]
