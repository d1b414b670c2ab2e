"""Division with remainder of floats, as NumPy's `npy_divmod`: exact `fmod`, then the signs put right."""

from __future__ import annotations

import numpy as np
from graph_program.backends.onnx.builder import Tensor
from graph_program.backends.onnx.rules.transcendental import copysign


def fmod(x: Tensor, y: Tensor) -> Tensor:
    return x.op("Mod", y, fmod=1)


def _is_positive_constant(y: Tensor) -> bool:
    return y.known is not None and bool((np.isfinite(y.known) & (y.known > 0)).all())


def remainder(x: Tensor, y: Tensor) -> Tensor:
    """The sign of y, also on a zero; NaN for y = 0; y itself for a finite x and an infinite y of the other sign."""
    m = fmod(x, y)
    if _is_positive_constant(y):
        return (m < 0).where(m + y, abs(m))
    wrong = (m < 0).op("Xor", y < 0)
    return m.equals(0).where(copysign(m, y), wrong.where(m + y, m))


def floor_divide(x: Tensor, y: Tensor) -> Tensor:
    """(x - remainder) / y to the nearest integer; x / y for y = 0; a zero has the sign of x / y."""
    m = fmod(x, y)
    wrong = ~m.equals(0) & (m < 0).op("Xor", y < 0)
    quotient = (x - m) / y - wrong.cast(x.dtype)
    down = quotient.op("Floor")
    near = down + (quotient - down > 0.5).cast(x.dtype)
    ratio = x / y
    zero = quotient.equals(0).where(copysign(x.like(0), ratio), near)
    return y.equals(0).where(ratio, zero)
