"""Parts of a tensor, read and written.

`slice` and `set_slice` take one (start, stop) pair of int64 scalars per sliced axis, all starts first,
with Python's meaning: negative counts from the end, out of range is clamped.  A bound left out is
INT64_MAX or INT64_MIN, whichever lies beyond the end that the step walks from or to, except that a
missing start of a positive step is 0.  `steps` are static and not 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.tensor_api.opdef import define

INT64_MAX = np.iinfo(np.int64).max
INT64_MIN = np.iinfo(np.int64).min


def _slices(rank: int, bounds: tuple[Any, ...], axes: tuple[int, ...], steps: tuple[int, ...]) -> tuple[slice, ...]:
    slices = [slice(None)] * rank
    half = len(axes)
    for i, (axis, step) in enumerate(zip(axes, steps, strict=True)):
        start, stop = int(bounds[i]), int(bounds[half + i])
        lowest = step < 0 and stop == INT64_MIN
        slices[axis] = slice(start, None if lowest else stop, step)
    return tuple(slices)


def _slice(x: np.ndarray, *bounds: Any, axes: tuple[int, ...], steps: tuple[int, ...]) -> Any:
    return x[_slices(x.ndim, bounds, axes, steps)]


def _set_slice(x: np.ndarray, value: np.ndarray, *bounds: Any, axes: tuple[int, ...], steps: tuple[int, ...]) -> Any:
    result = x.copy()
    result[_slices(x.ndim, bounds, axes, steps)] = value
    return result


def _take(x: np.ndarray, indices: np.ndarray, axis: int) -> Any:
    return x[(slice(None),) * axis + (indices,)]


def _set_index(x: np.ndarray, value: np.ndarray, *indices: Any) -> Any:
    result = x.copy()
    result[tuple(int(i) for i in indices)] = value
    return result


def _gather_nd(x: np.ndarray, *indices: np.ndarray, axis: int) -> Any:
    return x[(slice(None),) * axis + indices]


def _scatter_nd(x: np.ndarray, value: np.ndarray, *indices: np.ndarray, axis: int, unique: bool) -> Any:
    result = x.copy()
    result[(slice(None),) * axis + indices] = value
    return result


def _scatter_add(x: np.ndarray, value: np.ndarray, indices: np.ndarray) -> Any:
    result = x.copy()
    np.add.at(result, indices, value)
    return result


def _nonzero(mask: np.ndarray) -> Any:
    return np.stack(np.nonzero(mask))


define(
    "nonzero",
    "mask",
    "bool [*s] -> int64 [rank(s), k] where k <= size(s)",
    "nonzero",
    _nonzero,
    "the positions where a mask holds, one row per axis, in row-major order; rank at least 1",
)
define(
    "slice",
    "x *bounds",
    "(t [*s], int64 [], ...) -> t [*slice(s, axes, steps, bounds)]",
    "slice",
    _slice,
    "`x[start:stop:step, ...]` along the given axes",
    attrs="axes steps",
)
define(
    "take",
    "x indices",
    "(t [*s, n, *r], u [*i]) -> t [*s, *i, *r] where u is integer, rank(s) = axis",
    "take",
    _take,
    "elements at positions along one axis; negative counts from the end; IndexError outside",
    attrs="axis",
)
define(
    "gather_nd",
    "x *indices",
    "(t [*s, *p, *r], u [*i], ...) -> t [*s, *i, *r] where u is integer, rank(s) = axis, rank(p) = count",
    "gather_nd",
    _gather_nd,
    "`x[:, i, j]` with index tensors that broadcast for the axes from `axis` on; IndexError outside",
    attrs="axis",
)
define(
    "set_slice",
    "x value *bounds",
    "(t [*s], t [*v], int64 [], ...) -> t [*s]",
    "set_slice",
    _set_slice,
    "x with `x[start:stop:step, ...] = value`",
    attrs="axes steps",
)
define(
    "set_index",
    "x value *indices",
    "(t [*p, *r], t [*v], int64 [], ...) -> t [*p, *r] where rank(p) = count",
    "set_index",
    _set_index,
    "x with `x[i, j, ...] = value` for int64 scalars of the leading axes; value broadcasts; IndexError outside",
)
define(
    "scatter_nd",
    "x value *indices",
    "(t [*s, *p, *r], t [*v], u [*i], ...) -> t [*s, *p, *r] where u is integer, rank(s) = axis, rank(p) = count",
    "set_index",
    _scatter_nd,
    "x with `x[:, i, j] = value` for index tensors that broadcast, for the axes from `axis` on; "
    "the last write wins, or no place is written twice (`unique`)",
    attrs="axis unique",
)
define(
    "scatter_add",
    "x value indices",
    "(t [n], t [k], u [k]) -> t [n] where u is integer",
    "scatter_add",
    _scatter_add,
    "x with `x[i] += value` for one index after the other, so that repeated ones add up; no index is outside",
)
