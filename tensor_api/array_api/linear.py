"""Products of matrices and vectors: what the main namespace has of linear algebra."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graph_program.tensor_api.array_api import dtypes
from graph_program.tensor_api.array_api.array import Array, elements, wrap
from graph_program.tensor_api.array_api.dtypes import COMPLEX, NUMERIC


def pair(name: str, x1: Array, x2: Array, kinds: str = NUMERIC) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays whose element types have a common one."""
    a, b = elements(name, x1, kinds), elements(name, x2, kinds)
    dtypes.promoted(x1.dtype, x2.dtype)
    return a, b


def matmul(x1: Array, x2: Array, /) -> Array:
    """The product of matrices, or of stacks of them; of vectors their sum of products."""
    a, b = pair("matmul", x1, x2)
    return wrap(np.matmul(a, b))


def tensordot(x1: Array, x2: Array, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array:
    """The sum of products over the last axes of one and the first of the other, or over pairs of axes."""
    a, b = pair("tensordot", x1, x2)
    return wrap(np.tensordot(a, b, axes=axes))


def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """The sum of products along an axis that both have, of complex numbers with the conjugates of `x1`."""
    a, b = pair("vecdot", x1, x2)
    if not -min(a.ndim, b.ndim) <= axis < 0:
        raise ValueError("vecdot() takes an axis that both arrays have, counted from the last one")
    a, b = np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1)
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(f"vecdot() takes axes of one size, got {a.shape[-1]} and {b.shape[-1]}")
    conjugated = np.conjugate(a) if a.dtype.kind in COMPLEX else a
    return wrap(np.matmul(conjugated[..., np.newaxis, :], b[..., np.newaxis])[..., 0, 0])


__all__ = ["matmul", "tensordot", "vecdot"]
