"""Division with remainder of floats, as NumPy's `npy_divmod`: exact `fmod`, then the signs put right."""

from __future__ import annotations

import numpy as np

from graph_program.backends.onnx.builder import Tensor
from graph_program.backends.onnx.rules.transcendental import sign_of


def fmod(x: Tensor, y: Tensor) -> Tensor:
    return x.op("Mod", y, fmod=1)


def _is_positive_constant(y: Tensor) -> bool:
    return y.known is not None and bool((np.isfinite(y.known) & (y.known > 0)).all())


def remainder(x: Tensor, y: Tensor) -> Tensor:
    """fmod, plus y where the signs differ; it has the sign of y, also as a zero."""
    m = fmod(x, y)
    if _is_positive_constant(y):
        return m + (m < 0).cast(m.dtype) * y  # a choice takes longer; -0.0 + 0.0 is 0.0
    sign = sign_of(y)
    towards = m * sign
    return sign * (towards < 0).where(towards + abs(y), abs(towards))


def floor_divide(x: Tensor, y: Tensor) -> Tensor:
    """(x - remainder) / y, which is whole but for rounding; it has the sign of x / y, also as a zero."""
    m, ratio = fmod(x, y), x / y
    below = m < 0 if _is_positive_constant(y) else m * sign_of(y) < 0
    whole = ((x - m) / y - below.cast(x.dtype)).op("Round")
    size = abs(whole) if _is_positive_constant(y) else y.equals(0).where(abs(ratio), abs(whole))
    return sign_of(ratio) * size
