"""The same elements in another arrangement.

Dims given as operands (`*dims`) are int64 scalars, one per dim of the result; the type of the result
carries what is known of them symbolically.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.tensor_api.opdef import define


def _reshape(x: np.ndarray, *dims: Any) -> Any:
    return np.reshape(x, tuple(int(d) for d in dims))


def _transpose(x: np.ndarray, perm: tuple[int, ...]) -> Any:
    return np.transpose(x, perm)


def _expand_dims(x: np.ndarray, axes: tuple[int, ...]) -> Any:
    return np.expand_dims(x, axes)


def _squeeze(x: np.ndarray, axes: tuple[int, ...]) -> Any:
    return np.squeeze(x, axes)


def _broadcast_to(x: np.ndarray, *dims: Any) -> Any:
    return np.broadcast_to(x, tuple(int(d) for d in dims))


def _concatenate(*arrays: np.ndarray, axis: int) -> Any:
    return np.concatenate(arrays, axis=axis)


define(
    "reshape",
    "x *dims",
    "(t [*s], int64 [], ...) -> t [*reshape(s, dims)]",
    "reshape",
    _reshape,
    "the elements in row-major order as another shape; one dim may be -1",
)
define(
    "transpose",
    "x",
    "t [*s] -> t [*permute(s, perm)]",
    "transpose",
    _transpose,
    "axes in another order",
    attrs="perm",
)
define(
    "expand_dims",
    "x",
    "t [*s] -> t [*insert(s, axes)]",
    "expand_dims",
    _expand_dims,
    "dims of size 1 inserted; axes count in the result, ascending",
    attrs="axes",
)
define(
    "squeeze",
    "x",
    "t [*s] -> t [*remove(s, axes)]",
    "squeeze",
    _squeeze,
    "dims of size 1 removed; ValueError if one is not 1",
    attrs="axes",
)
define(
    "broadcast_to",
    "x *dims",
    "(t [*s], int64 [], ...) -> t [*sizes(dims)]",
    "broadcast_to",
    _broadcast_to,
    "repeated along dims of size 1 and new leading dims",
)
define(
    "concatenate",
    "*arrays",
    "(t [*s, m, *r], t [*s, n, *r], ...) -> t [*s, m+n+..., *r] where rank(s) = axis",
    "concatenate",
    _concatenate,
    "joined along an existing axis",
    attrs="axis",
)
