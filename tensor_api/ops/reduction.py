"""Many elements to one: sums, extremes, positions, and running sums.

`axes` is a tuple of distinct axes >= 0, in ascending order (all of them for a full reduction); it may
be empty, which leaves the shape as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.tensor_api.opdef import define


def _reduction(ufunc: Any) -> Any:
    def reference(x: np.ndarray, axes: tuple[int, ...], keepdims: bool) -> Any:
        return ufunc(x, axis=axes, keepdims=keepdims)

    return reference


def _sum(x: np.ndarray, axes: tuple[int, ...], keepdims: bool) -> Any:
    return np.sum(x, axis=axes, keepdims=keepdims, dtype=np.asarray(x).dtype)


def _prod(x: np.ndarray, axes: tuple[int, ...], keepdims: bool) -> Any:
    return np.prod(x, axis=axes, keepdims=keepdims, dtype=np.asarray(x).dtype)


_SIGNATURE = "t [*s] -> t [*reduce(s, axes, keepdims)]"
define("sum", "x", _SIGNATURE, "reduction", _sum, "sum, in x's own element type", attrs="axes keepdims")
define("prod", "x", _SIGNATURE, "reduction", _prod, "product, in x's own element type", attrs="axes keepdims")
define(
    "max",
    "x",
    _SIGNATURE,
    "reduction",
    _reduction(np.max),
    "largest element, NaN if any is; ValueError if there are none",
    attrs="axes keepdims",
)
define(
    "min",
    "x",
    _SIGNATURE,
    "reduction",
    _reduction(np.min),
    "smallest element, NaN if any is; ValueError if there are none",
    attrs="axes keepdims",
)
define(
    "all",
    "x",
    "bool [*s] -> bool [*reduce(s, axes, keepdims)]",
    "reduction",
    _reduction(np.all),
    "are all elements true",
    attrs="axes keepdims",
)
define(
    "any",
    "x",
    "bool [*s] -> bool [*reduce(s, axes, keepdims)]",
    "reduction",
    _reduction(np.any),
    "is any element true",
    attrs="axes keepdims",
)

_ARG = "t [*s] -> int64 [*reduce(s, axis, keepdims)]"


def _argmax(x: np.ndarray, axis: int, keepdims: bool) -> Any:
    return np.argmax(x, axis=axis, keepdims=keepdims)


def _argmin(x: np.ndarray, axis: int, keepdims: bool) -> Any:
    return np.argmin(x, axis=axis, keepdims=keepdims)


define(
    "argmax",
    "x",
    _ARG,
    "arg_reduction",
    _argmax,
    "position of the first largest element; NaN counts as largest",
    attrs="axis keepdims",
)
define(
    "argmin",
    "x",
    _ARG,
    "arg_reduction",
    _argmin,
    "position of the first smallest element; NaN counts as smallest",
    attrs="axis keepdims",
)


def _cumsum(x: np.ndarray, axis: int) -> Any:
    return np.cumsum(x, axis=axis, dtype=x.dtype)


def _cumprod(x: np.ndarray, axis: int) -> Any:
    return np.cumprod(x, axis=axis, dtype=x.dtype)


define(
    "cumsum",
    "x",
    "t [*s] -> t [*s]",
    "same",
    _cumsum,
    "running sum along an axis, in x's own element type",
    attrs="axis",
)
define(
    "cumprod",
    "x",
    "t [*s] -> t [*s]",
    "same",
    _cumprod,
    "running product along an axis, in x's own element type",
    attrs="axis",
)


def _sort(x: np.ndarray, axis: int) -> Any:
    return np.sort(x, axis=axis, kind="stable")


def _argsort(x: np.ndarray, axis: int) -> Any:
    return np.argsort(x, axis=axis, kind="stable")


define("sort", "x", "t [*s] -> t [*s]", "same", _sort, "ascending along an axis, NaN last", attrs="axis")
define(
    "argsort",
    "x",
    "t [*s] -> int64 [*s]",
    "positions",
    _argsort,
    "positions that sort along an axis, stable, NaN last",
    attrs="axis",
)
