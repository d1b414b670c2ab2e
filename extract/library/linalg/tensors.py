"""Systems whose unknowns are arrays of any rank: `np.linalg.tensorsolve` and `tensorinv`."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.linalg.common import Array
from graph_program.extract.library.linalg.elimination import inv, solve


def tensorsolve(a: Array, b: Array, axes: Any = None) -> Array:
    """`np.linalg.tensorsolve`."""
    if axes is not None:
        moved = [axis % a.ndim for axis in axes]
        a = np.transpose(a, [k for k in range(a.ndim) if k not in moved] + moved)
    shape = a.shape[-(a.ndim - b.ndim) :]
    unknowns = 1
    for size in shape:
        unknowns *= size
    if a.size != unknowns * unknowns:
        raise np.linalg.LinAlgError(
            "Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])"
        )
    return solve(a.reshape(unknowns, unknowns), b.reshape(unknowns)).reshape(shape)


def tensorinv(a: Array, ind: int = 2) -> Array:
    """`np.linalg.tensorinv`."""
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    rows = 1
    for size in a.shape[ind:]:
        rows *= size
    columns = 1
    for size in a.shape[:ind]:
        columns *= size
    return inv(a.reshape(rows, columns)).reshape(a.shape[ind:] + a.shape[:ind])


__all__ = ["tensorinv", "tensorsolve"]
