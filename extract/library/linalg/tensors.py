"""Functions of `np.linalg` that other functions make up: `tensorsolve`, `cross`, `matrix_power`, ...."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import known, raise_where, refuse, without_form
from graph_program.extract.library.arrays import products
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


def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """`np.linalg.cross`."""
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, "
            f"but they are {x1.shape[axis]} and {x2.shape[axis]} dimensional instead."
        )
    return np.cross(x1, x2, axis=axis)


def outer(x1: Array, x2: Array, /) -> Any:
    """`np.linalg.outer`: of vectors only."""
    if x1.ndim != 1 or x2.ndim != 1:
        text = "Input arrays must be one-dimensional, but they are "
        refuse(ValueError, f"{text}x1.ndim={x1.ndim} and x2.ndim={x2.ndim}.")
    return np.outer(x1, x2)


def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Any:
    """`np.linalg.vecdot`."""
    return products.vecdot(x1, x2, axis=axis)


def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    """`np.linalg.multi_dot`, from the left."""
    if out is not None:
        without_form(
            "GP321",
            "np.linalg.multi_dot has no graph form for `out=`",
            hint="assign the result: `y = f(x)` or `y[...] = f(x)`",
        )
    if len(arrays) < 2:
        refuse(ValueError, "Expecting at least two arrays.")
    found = arrays[0]
    for factor in arrays[1:]:
        found = np.dot(found, factor)
    return found


def matrix_power(a: Array, n: int) -> Array:
    """`np.linalg.matrix_power` for a known n, by repeated squaring; of the inverse for n < 0."""
    power = known(n, "the power")
    if a.ndim < 2:
        refuse(ValueError, f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    bad = a.shape[-1] != a.shape[-2]
    raise_where(bad, np.linalg.LinAlgError, "Last 2 dimensions of the array must be square")
    if power == 0:
        return np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape).copy()
    factor = inv(a) if power < 0 else a
    found: Any = None
    for bit in tuple(range(abs(power).bit_length())):
        factor = np.matmul(factor, factor) if bit else factor
        if abs(power) >> bit & 1:
            found = factor if found is None else np.matmul(found, factor)
    result: Array = found.copy()
    return result


def trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """`np.linalg.trace`: over the last two axes."""
    return np.trace(x, offset, -2, -1, dtype)
